"""What a map shows of experience: tables from which its page reads typical errors, and a list of hotspots with their chances.

How far reruns are off is given by squares of cells, so that a page stays small: what a rerun is off in a rectangle is taken as the sum over
squares, those that the rectangle cuts by the share of their area. So a page states typical errors of rectangles alone that are at least
`WHOLE` squares high and wide; the command `count` has them of any.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Final

import numpy as np

from starling.places.answers.hotspots import Hotspots, as_rectangles, tiles
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.answers.sure import LEVEL
from starling.places.arrays import Float64
from starling.places.plan import Plan
from starling.places.typical.errors import MOST_CELLS, deviations, rerun_errors
from starling.places.typical.ranking import off_by, stated

SQUARES: Final = 128
"""Squares along the longer side, at most."""
WHOLE: Final = 2
HOTSPOTS: Final = 10
"""In the list, if the grid has so many squares."""
ALONG: Final = 64
"""Squares of which hotspots are found, along the longer side, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Experience:
    """What a map shows of reruns of a release.

    Attributes:
        fold: Cells of a side of the squares of both tables.
        errors: float64 (reruns, rows, columns): how far each rerun is off in each square.
        boxes: float64 (rows, columns): the standard deviation of the noise of a box in each square, the mean over its cells.
        side: Cells of a side of the squares among which hotspots were found.
        hotspots: The first of them.
    """

    fold: int
    errors: Float64
    boxes: Float64
    side: int
    hotspots: Hotspots


def listed(shape: tuple[int, int]) -> tuple[int, int]:
    """How many hotspots a map lists, and cells of a side of their squares.

    >>> listed((96, 160)), listed((2, 3))
    ((10, 3), (6, 1))
    """
    side = -(-max(shape) // ALONG)
    return min(HOTSPOTS, prod(-(-each // side) for each in shape)), side


def experience(plan: Plan, released: ReleasedGrid, level: Fraction = LEVEL) -> Experience | None:
    """What a map shows of a released grid, at the level of all marks of hotspots; None where it has more than 2^22 cells, which would take
    long.
    """
    if plan.grid.cells > MOST_CELLS:
        return None
    fold, (k, side) = -(-max(plan.grid.shape) // SQUARES), listed(plan.grid.shape)
    tables, squares = (as_rectangles(tiles(plan.grid.shape, each)) for each in (fold, side))
    rectangles = np.concatenate([tables, squares])

    def ask(grid: ReleasedGrid) -> Answers:
        return grid.count(rectangles)

    errors, boxes = rerun_errors(plan, released, ask), deviations(released, ask)
    shape = tuple(-(-each // fold) for each in plan.grid.shape)
    split = len(tables)
    off = off_by(errors[:, split:], boxes[split:])
    hotspots = released.hotspots(k, side, level)
    return Experience(
        fold,
        errors[:, :split].reshape(-1, *shape),
        boxes[:split].reshape(shape),
        side,
        stated(hotspots, released.table.count(squares).counts, off),
    )
