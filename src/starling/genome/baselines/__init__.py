"""Rivals of the genome mechanisms, named as such, to be compared and shown wrong: none has a guarantee, so none can be released."""
