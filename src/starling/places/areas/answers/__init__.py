"""Answers of a release of areas: numbers of any union, sums and means of a value, all with exact intervals."""
