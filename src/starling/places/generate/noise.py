"""Invented noise, for reruns of a release and for chances: it follows from a public seed, and is NOT PRIVATE."""

import numpy as np

from starling.places.arrays import Float64, Int64


def laplace(scales: Float64, seed: int, number: int) -> Int64:
    """Discrete Laplace noise, int64 of the shape of its scales, each above 0, by a public seed and a number: differences of geometric
    draws.
    """
    random = np.random.default_rng([seed, number])
    ends = -np.expm1(-1 / scales)
    return np.asarray(random.geometric(ends) - random.geometric(ends), dtype=np.int64)


def normal(many: int, seed: int, number: int) -> Float64:
    """Standard normal noise, float64 (many,), by a public seed and a number."""
    return np.random.default_rng([seed, number]).standard_normal(many)
