"""Answers from a released grid: counts of rectangles and other regions, and how far off they may be. All of it is post-processing."""
