"""The squares of a released grid with most points, and what can be said of their being so.

Two statements, which are not the same. `sure`: with a probability of at least `level` all squares that it marks are among those with most
points, whatever the data; it follows from sure intervals that hold jointly (each misses with a chance of (1 - level)/squares), and it marks
a square whose lower end less than k others can reach. `chance`: in what part of invented grids a square is among the first k, if each
square's points are its released count with normal errors of a given standard deviation, independent and rounded to whole points from 0
on; it is as good as these deviations are, and no level is claimed for it.

A square is among the k with most points if fewer than k others have more.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.places.answers.rectangles import CumulativeGrid, Float64
from starling.places.answers.sure import LEVEL, Surety
from starling.places.measurements import Bool, Int32

DRAWS: Final = 1000
"""Invented grids."""
RIVALS: Final = 1000
"""At least so many squares, those with most released points, are invented; ten times k where that is more."""
SEED: Final = 1
"""Public: of what is invented."""


@dataclass(frozen=True, slots=True, eq=False)
class Hotspots:
    """The first squares by their released counts, most points first; of equal ones the southern and then the western one first.

    Attributes:
        boxes: int32 (k, 4): first row, row after the last, first column, column after the last.
        counts: float64 (k,): released points of each.
        sure: bool (k,): whether it surely is among the k squares with most points; None where no measurements were given.
        chance: float64 (k,): how likely it is to be among them; None where no deviations were given.
    """

    boxes: Int32
    counts: Float64
    sure: Bool | None
    chance: Float64 | None


def tiles(shape: tuple[int, int], side: int) -> Int32:
    """int32 (tiles, 4): squares of `side` cells that tile a grid from its south-western corner; those at the far edges may be cut."""
    rows, columns = shape
    south, west = (np.arange(0, many, side, dtype=np.int32) for many in shape)
    y, x = (each.reshape(-1) for each in np.meshgrid(south, west, indexing="ij"))
    return np.stack([y, np.minimum(y + side, rows), x, np.minimum(x + side, columns)], axis=1).astype(np.int32)


def checked_tiles(shape: tuple[int, int], k: int, side: int) -> Int32:
    """The squares that tile a grid, found to be at least k.

    Raises:
        ParameterError: a side below 1, or k that is not from 1 to the number of squares.
    """
    if side < 1:
        raise ParameterError("side", "is below 1", "give the number of cells of a side")
    boxes = tiles(shape, side)
    if not 1 <= k <= len(boxes):
        raise ParameterError("k", f"is not in 1 to {len(boxes)}", "ask for as many squares as there are")
    return boxes


def as_rectangles(boxes: Int32) -> Float64:
    """float64 (m, 4): x0, y0, x1, y1 of boxes of cells."""
    return boxes[:, [2, 0, 3, 1]].astype(np.float64)


def hotspots(
    grid: CumulativeGrid,
    k: int,
    side: int = 1,
    *,
    surety: Surety | None = None,
    level: Fraction = LEVEL,
    deviations: Float64 | None = None,
) -> Hotspots:
    """The k squares with most released points, among those that tile the grid.

    Args:
        grid: The released grid.
        k: How many; at least 1, at most as many as there are squares.
        side: Cells of a side, at least 1.
        surety: Sure intervals of the release.
        level: The probability with which all marks of `sure` are right together.
        deviations: float64 (squares,): of the count of each square, in the order of `tiles`.

    Raises:
        ParameterError: k or side outside its bounds, another number of deviations, or a level so near to 1 that it can't be kept for so
            many squares (1 - level is at least 2 10^-9 for each).
    """
    boxes = checked_tiles(grid.shape, k, side)
    asked = as_rectangles(boxes)
    counts = grid.count(asked).counts
    first = np.argsort(-counts, kind="stable")[:k]
    sure = None
    if surety is not None:
        ends = surety.of(asked, 1 - (1 - level) / len(boxes))
        # At most k - 1 other squares can have as many points as its lower end: less than k, with the square itself at most k.
        upper = np.sort(ends.upper)
        reaching = len(boxes) - np.searchsorted(upper, ends.lower[first], side="left")
        sure = reaching <= k
    if deviations is not None and deviations.shape != counts.shape:
        raise ParameterError("deviations", "are not one for each square", "give them in the order of the squares")
    chance = None if deviations is None else chances(counts, deviations, k)
    return Hotspots(boxes[first], counts[first], sure, chance)


def chances(counts: Float64, deviations: Float64, k: int) -> Float64:
    """How likely each of the first k squares is among the k with most points, float64 (k,); the same whenever it is asked.

    Args:
        counts: float64 (squares,): released points of each.
        deviations: float64 (squares,): how far each count is off.
        k: At least 1, at most as many as there are squares.
    """
    rivals = np.argsort(-counts, kind="stable")[: max(RIVALS, 10 * k)]
    random = np.random.default_rng(SEED)
    found = np.zeros(k)
    for _ in range(DRAWS):
        invented = counts[rivals] + deviations[rivals] * random.standard_normal(len(rivals))
        points = np.rint(np.maximum(invented, 0))
        found += points[:k] >= np.partition(points, -k)[-k]
    return found / DRAWS
