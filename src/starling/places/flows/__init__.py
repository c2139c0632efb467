"""Flows between public areas: how many trips lead from each to each, and from and to any group of them."""
