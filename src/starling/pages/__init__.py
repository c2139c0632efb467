"""What every page is made of, wherever it stands: served by the server, alone in the folder of a release, or a fragment in a notebook.

`parts` has the values of which a page consists, `marks` the pictures, `terms` the definitions; `templates/` and `static/` say how they
look, and `rendering` puts them together. It knows no release, no domain and no server.
"""
