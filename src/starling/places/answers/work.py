"""Steps (release/work.py) of what questions to a released grid do; the constants were measured, and are those of the slower methods."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isqrt
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.places.answers.coordinates import Units, region_in_cells
from starling.places.arrays import Float64
from starling.places.plan.grid import Grid

PER_CELL: Final = 30
"""Of the grid, which is added up once."""
PER_BOX: Final = 700
"""Of a box that is put into the index of sure intervals."""
PER_SQUARE: Final = 1000
"""Of a square whose sure interval is one of very many."""
PER_CUT: Final = 300
"""Of a box that a rectangle cuts."""
PER_SHARE: Final = 40
"""Of a cell whose share of a region is reckoned."""
PER_RELATION: Final = 150
"""Of a box that is compared with a region."""
PER_EDGE: Final = 20
"""Of a row or column that an edge crosses."""
PER_CELL_AGAIN: Final = 400
"""Of a cell that is measured and estimated again."""
PER_DRAW: Final = 30
"""Of an invented count of a square."""
CUT: Final = 16
"""A rectangle cuts so many boxes for each in a row of them, on all levels of a tree."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is public about a release and takes work.

    Attributes:
        boxes: Released boxes of all slices.
        reruns: How often a grid is measured again for what is typical; 0 where it has too many cells.
        draws: How often squares are invented for chances.
        rivals: Squares that are invented at least.
    """

    grid: Grid
    boxes: int
    reruns: int
    draws: int
    rivals: int


def opening(sizes: Sizes) -> int:
    """Of the first question to a release."""
    return (0 if sizes.grid.sparse else sizes.grid.cells * PER_CELL) + sizes.boxes * PER_BOX


def cutting(sizes: Sizes) -> int:
    """Of one rectangle: its edges cross each row and column twice at most."""
    return PER_CUT * min(2 * sum(sizes.grid.shape), CUT * (isqrt(sizes.boxes) + 1))


def regions(sizes: Sizes, many: int, cells: int, corners: int) -> tuple[int, int]:
    """Of the counts of so many regions, of their extents' cells and of their corners, and of their sure intervals, for which each box is
    compared with each region. An edge crosses each row and column once at most.
    """
    counts = cells * PER_SHARE + corners * sum(sizes.grid.shape) * PER_EDGE
    return counts, counts + many * sizes.boxes * PER_RELATION


def repeated(sizes: Sizes) -> int:
    """Of measuring and estimating a grid again."""
    return sizes.reruns * sizes.grid.cells * PER_CELL_AGAIN


def extent(corners: Iterable[Float64], grid: Grid, units: Units) -> int:
    """The cells of the smallest block that holds a region, float64 (corners, 2) of each ring, on the grid; all where its corners have no
    place there.
    """
    rings = [np.reshape(ring, (-1, 2)) for ring in corners]
    if not sum(map(len, rings)):
        return 0
    try:
        region = region_in_cells(grid, units, [[ring] for ring in rings if len(ring)])
    except ParameterError:
        return 0  # The question is refused by the same error.
    points = np.concatenate([ring for polygon in region for ring in polygon])
    if not np.isfinite(points).all():
        return grid.cells
    ends = np.clip([np.floor(points.min(axis=0)), np.ceil(points.max(axis=0))], 0, grid.shape[::-1])
    return int(np.prod(ends[1] - ends[0]))
