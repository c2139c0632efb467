"""Rectangles to ask a grid for, of no one's choosing: the paper's workloads (HTF 2021, Section 5.1).

Squares of 2, 6 and 10 percent of the grid around uniform centres, cut at the grid, and rectangles with uniform corners.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from starling.places.plan.grid import Float64

QUERIES: Final = 2000
SQUARES: Final = {"squares of 2 %": 0.02, "squares of 6 %": 0.06, "squares of 10 %": 0.1}
RANDOM: Final = "random rectangles"


def workloads(shape: tuple[int, ...], seed: int) -> Iterator[tuple[str, Float64]]:
    """Each kind of rectangles by its name: float64 (QUERIES, 4), x0, y0, x1, y1 in cells, cut at the grid."""
    random = np.random.default_rng(seed)
    size = np.array([shape[1], shape[0]], dtype=np.float64)
    for name, share in SQUARES.items():
        centre = random.uniform(0, 1, (QUERIES, 2)) * size
        half = size * np.sqrt(share) / 2
        yield name, np.concatenate([np.maximum(centre - half, 0), np.minimum(centre + half, size)], axis=1)
    corners = random.uniform(0, 1, (2, QUERIES, 2)) * size
    yield RANDOM, np.concatenate([corners.min(axis=0), corners.max(axis=0)], axis=1)
