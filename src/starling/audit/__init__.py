"""Does a mechanism keep its promise? Lower bounds from its draws, exact differences of its laws, and mechanisms that break theirs."""
