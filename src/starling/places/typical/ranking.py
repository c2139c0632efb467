"""The squares with most released points, with the chance of each to be among those with most points.

How far a square's count is off is taken from reruns of the release and from the noise of the boxes where it lies, as for typical
errors; the weights below are those with which stated chances were right on data that served to choose them. `bench.places_hotspots`
measures on others what share of the squares of each stated chance are among the first. Nothing is proved: the marks of `hotspots` are
what is sure.
"""

from fractions import Fraction
from typing import Final

import numpy as np

from starling.places.answers.hotspots import Hotspots, as_rectangles, checked_tiles
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.answers.sure import LEVEL
from starling.places.plan import Plan
from starling.places.plan.grid import Float64
from starling.places.typical.errors import deviations, squares
from starling.places.typical.reruns import MOST_CELLS

OF_RERUNS: Final = 1.25
"""Root mean squares of reruns in a standard deviation of a square's count."""
OF_BOXES: Final = 0.5
"""Standard deviations of a box's noise in it."""


def likely_hotspots(plan: Plan, released: ReleasedGrid, k: int, side: int = 1, *, level: Fraction = LEVEL) -> Hotspots:
    """The k squares of `side` cells with most released points, with marks and chances; the same whenever it is asked.

    Args:
        plan: The public choices.
        released: The released grid of one slice, with its measurements.
        k: How many.
        side: Cells of a side.
        level: The probability with which all marks are right together.

    Returns:
        What `hotspots` says; its chances are None where the grid has more than 2^22 cells, which would take long.

    Raises:
        ParameterError: as `hotspots`.
    """
    if plan.grid.cells > MOST_CELLS:
        return released.hotspots(k, side, level)
    tiled = as_rectangles(checked_tiles(released.table.shape, k, side))
    return released.hotspots(k, side, level, off_by(plan, released, tiled))


def off_by(plan: Plan, released: ReleasedGrid, rectangles: Float64) -> Float64:
    """The standard deviation with which chances are reckoned, of the count of each rectangle, float64 (m,).

    Args:
        plan: The public choices.
        released: The released grid of one slice, with its measurements.
        rectangles: float64 (m, 4) in cell units.
    """

    def ask(grid: ReleasedGrid) -> Answers:
        return grid.count(rectangles)

    boxes = deviations(released, ask)
    found: Float64 = np.sqrt(OF_RERUNS**2 * squares(plan, released, ask) + OF_BOXES**2 * boxes * boxes)
    return found
