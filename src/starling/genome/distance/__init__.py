"""Distances of contingency tables, in patients, to a change of a yes-or-no question about them."""

from starling.genome.distance.bounds import additive_distance, allelic_distance
from starling.genome.distance.correlation import distance_to_correlation
from starling.genome.distance.significance import distance_to_significance

__all__ = ["additive_distance", "allelic_distance", "distance_to_correlation", "distance_to_significance"]
