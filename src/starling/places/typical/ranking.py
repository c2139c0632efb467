"""The squares with most released points, with the chance of each to be among those with most points.

The chance is the part of invented grids in which a square is among the first k, if each square's points are its released count with a
normal error, independent of the others, in whole points from 0 on; of equal squares each is among the first that fewer than k surpass.
How far a square's count is off is taken from reruns of the release and from the noise of the boxes where it lies, as for typical
errors; the weights below are those with which stated chances were right on data that served to choose them. `bench.places_hotspots`
measures on others what share of the squares of each stated chance are among the first. Nothing is proved: the marks of `hotspots` are
what is sure.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from starling.places.answers.hotspots import Hotspots, as_rectangles, checked_tiles, first_by
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.answers.sure import LEVEL
from starling.places.arrays import Float64, Int64
from starling.places.generate.noise import normal
from starling.places.plan import Plan
from starling.places.typical.errors import MOST_CELLS, deviations, rerun_errors

DRAWS: Final = 1000
"""Invented grids."""
RIVALS: Final = 1000
"""At least so many squares, those with most released points, are invented; ten times k where that is more."""
SEED: Final = 1
"""Public: of what is invented."""
LEAST: Final = 0.6
"""Smaller chances were not right in the study, and are not stated."""
OF_RERUNS: Final = 1.25
"""Root mean squares of reruns in a standard deviation of a square's count."""
OF_BOXES: Final = 0.5
"""Standard deviations of a box's noise in it."""


def likely_hotspots(plan: Plan, released: ReleasedGrid, k: int, side: int = 1, *, level: Fraction = LEVEL) -> Hotspots:
    """The k squares of `side` cells with most released points, with marks and chances; the same whenever it is asked.

    Returns what `hotspots` says, with chances: no number below .6, and None where the grid has more than 2^22 cells, which would take
    long.

    Raises:
        ParameterError: as `hotspots`.
    """
    tiled = as_rectangles(checked_tiles(released.table.shape, k, side))
    hotspots_of = released.hotspots(k, side, level)
    if plan.grid.cells > MOST_CELLS:
        return hotspots_of
    # Squares far behind have no part in chances, so that nothing is asked of them.
    rivals = tiled[rivals_of(released.table.count(tiled).counts, k)]

    def ask(grid: ReleasedGrid) -> Answers:
        return grid.count(rivals, intervals=False)

    off = off_by(rerun_errors(plan, released, ask), deviations(released, ask))
    return stated(hotspots_of, ask(released).counts, off)


def off_by(errors: Float64, boxes: Float64) -> Float64:
    """The standard deviation of each square's count with which chances are reckoned, float64 (squares,), of how far reruns are off, float64
    (reruns, squares), and of the deviation of the noise of a box where each lies.
    """
    errors_of: Float64 = np.sqrt(OF_RERUNS**2 * (errors**2).mean(axis=0) + OF_BOXES**2 * boxes * boxes)
    return errors_of


def stated(hotspots: Hotspots, counts: Float64, deviations: Float64) -> Hotspots:
    """Hotspots with their chances, which are no number below .6; `counts` and `deviations` are those of all squares, or of all rivals."""
    likely = chances(counts, deviations, len(hotspots.counts))
    return replace(hotspots, chance=np.where(likely < LEAST, np.nan, likely))


def rivals_of(counts: Float64, k: int) -> Int64:
    """Which squares are invented, int64 (rivals,): those with most points, most first."""
    return first_by(counts, max(RIVALS, 10 * k))


def chances(counts: Float64, deviations: Float64, k: int) -> Float64:
    """How likely each of the first k squares is among the k with most points, float64 (k,), given counts and how far each is off; always
    the same.
    """
    rivals = rivals_of(counts, k)
    result = np.zeros(k)
    for number in range(DRAWS):
        invented = counts[rivals] + deviations[rivals] * normal(len(rivals), SEED, number)
        points = np.rint(np.maximum(invented, 0))
        result += points[:k] >= np.partition(points, -k)[-k]
    return result / DRAWS
