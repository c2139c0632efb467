"""A third domain, to show what a domain takes: a histogram over a public list of categories."""
