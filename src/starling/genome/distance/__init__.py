"""Distances of contingency tables, in patients, to a change of a yes-or-no question about them."""

from starling.genome.distance.significance import (
    allelic_distance,
    distance_to_correlation,
    distance_to_significance,
    genotypic_distance,
)
from starling.genome.distance.trend import trend_distance

__all__ = [
    "allelic_distance",
    "distance_to_correlation",
    "distance_to_significance",
    "genotypic_distance",
    "trend_distance",
]
