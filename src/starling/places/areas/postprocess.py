"""Estimates of all nodes that add up: least squares over the hierarchy (hierarchy/trees.py). They are unbiased, and no whole numbers."""

import numpy as np

from starling.hierarchy.trees import Estimated, least_squares
from starling.places.areas.measurements import AreaMeasurements, variances
from starling.places.areas.plan.model import AreasPlan


def estimates(plan: AreasPlan, measured: AreaMeasurements) -> list[Estimated]:
    """Estimates of each level, the whole first: counts and their variances, float64 (nodes, slices * layers)."""
    levels = [
        Estimated(counts.astype(np.float64), np.broadcast_to(variance, counts.shape).copy())
        for counts, variance in zip(measured, variances(plan), strict=True)
    ]
    return least_squares(levels, list(plan.areas.parents))
