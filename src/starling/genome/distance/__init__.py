"""Distances of contingency tables, in patients, to a change of a yes-or-no question about them."""
