"""Points that nobody left, as a preview simulates them: where they gather, lie everywhere, or fill a city; rectangles to ask for them."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from starling.places.arrays import Float64, Int64

QUERIES: Final = 1000
UNEVEN: Final = 1.2
"""Where points gather: the deviation of the logarithm of what each quarter of a box gets."""
CENTRES: Final = 5
"""Where points lie everywhere: normal clusters, as wide as a sixth of the grid, on an even ground."""

OCCUPIED: Final = 0.19
"""A city: the part of the cells that may have points at all; of end points of taxis in Beijing (256 x 256 cells) as many have some."""
STEEP: Final = 24.0
"""A city: how fast the logarithm of what a cell gets falls from the centre, over a side of the grid."""
ROUGH: Final = 0.5
"""A city: the deviation by which each box of each depth adds to that logarithm. So half of the points lie in about 1 % of the cells."""


def gathered(shape: tuple[int, int], number: int, seed: int) -> Int64:
    """Invented points that gather in few places, int64 (rows, columns): each box divides what it gets unevenly over its quarters."""
    random = np.random.default_rng([seed, 1])
    weights: Float64 = np.ones((1, 1))
    for _ in range((max(shape) - 1).bit_length()):
        weights = np.repeat(np.repeat(weights, 2, axis=0), 2, axis=1)
        weights *= np.exp(UNEVEN * random.standard_normal(weights.shape))
    return _points(weights[: shape[0], : shape[1]], number, random)


def everywhere(shape: tuple[int, int], number: int, seed: int) -> Int64:
    """Invented points that lie everywhere, int64 (rows, columns): wide clusters on an even ground."""
    random = np.random.default_rng([seed, 2])
    rows, columns = (((np.arange(cells) + 0.5) / cells)[:, None] for cells in shape)
    centres = random.uniform(0.1, 0.9, (CENTRES, 2))
    high, wide = (np.exp(-18 * (each - centres[:, axis]) ** 2) for axis, each in enumerate((rows, columns)))
    return _points(0.1 + high @ wide.T, number, random)


def city(shape: tuple[int, int], number: int, seed: int) -> Int64:
    """Invented points of a dense city, int64 (rows, columns): they fall off from a centre, and beyond its edge there is none."""
    random = np.random.default_rng([seed, 4])
    middle = random.uniform(0.35, 0.65, 2)
    rows, columns = ((np.arange(cells) + 0.5) / cells for cells in shape)
    log: Float64 = -STEEP * np.hypot(rows[:, None] - middle[0], columns - middle[1])
    for depth in range(2, (max(shape) - 1).bit_length() + 1):
        boxes = ROUGH * random.standard_normal((1 << depth, 1 << depth))
        log += boxes[np.ix_((rows * (1 << depth)).astype(np.int64), (columns * (1 << depth)).astype(np.int64))]
    return _points(np.where(log >= np.quantile(log, 1 - OCCUPIED), np.exp(log), 0.0), number, random)


def _points(weights: Float64, number: int, random: np.random.Generator) -> Int64:
    drawn: Int64 = random.poisson(number * weights / weights.sum()).astype(np.int64)
    return drawn


def squares(cells: Int64, size: float, seed: int) -> Float64:
    """Squares around points, float64 (1000, 4) in cells, cut at the grid, of a side in percent of the grid's; anywhere where there is no
    point.
    """
    random = np.random.default_rng([seed, 3])
    rows, columns = cells.shape
    ends = np.array([columns, rows, columns, rows], dtype=np.float64)
    chances = cells.reshape(-1) / cells.sum() if cells.any() else None
    at = random.choice(cells.size, QUERIES, p=chances)
    centre = np.stack(np.divmod(at, columns)[::-1], axis=1) + random.uniform(0, 1, (QUERIES, 2))
    half = size / 200 * ends[:2]
    corners: Float64 = np.concatenate([centre - half, centre + half], axis=1)
    return np.clip(corners, 0, ends)


def whole(grid: Float64, seed: int) -> Int64:
    """A grid of whole points, none below 0: each cell of `grid`, float64 (rows, columns), is rounded up with the chance of its fraction."""
    random = np.random.default_rng(seed)
    return np.floor(np.maximum(grid, 0) + random.uniform(0, 1, grid.shape)).astype(np.int64)


RECTANGLES: Final = 2000
"""Of each kind of the paper's workloads (HTF 2021, Section 5.1)."""
SQUARES: Final = {"squares of 2 %": 0.02, "squares of 6 %": 0.06, "squares of 10 %": 0.1}
RANDOM: Final = "random rectangles"


def workloads(shape: tuple[int, ...], seed: int) -> Iterator[tuple[str, Float64]]:
    """Each kind of rectangles by its name: float64 (RECTANGLES, 4), x0, y0, x1, y1 in cells, cut at the grid."""
    random = np.random.default_rng(seed)
    size = np.array([shape[1], shape[0]], dtype=np.float64)
    for name, share in SQUARES.items():
        centre = random.uniform(0, 1, (RECTANGLES, 2)) * size
        half = size * np.sqrt(share) / 2
        yield name, np.concatenate([np.maximum(centre - half, 0), np.minimum(centre + half, size)], axis=1)
    corners = random.uniform(0, 1, (2, RECTANGLES, 2)) * size
    yield RANDOM, np.concatenate([corners.min(axis=0), corners.max(axis=0)], axis=1)
