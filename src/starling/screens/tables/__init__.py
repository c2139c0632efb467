"""The tables of a release, of any domain, as pages and files; and what releases of tables add to them."""
