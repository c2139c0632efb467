"""The pages on which a release is read: for `starling open` and for a server by one path.

`Screens` replies to the paths below a release. What a domain adds to the pages that all releases have stands in one module for each,
which `starling.domains` names: `tables`, `genome`, `groups`, `places`; each has the face of `DomainPages`.
"""
