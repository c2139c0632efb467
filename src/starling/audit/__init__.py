"""Does a mechanism keep its promise? Lower bounds from its draws, exact differences of distributions, and mechanisms that break it."""
