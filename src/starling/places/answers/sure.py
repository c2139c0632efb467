"""Intervals that hold the true number of points in a rectangle, whatever the data and wherever the points lie within boxes.

For a query that was fixed before the release was seen, c its true number of points: the boxes within it hold at most c points, those that
it touches at least c. Let S and T be the sums of their fresh measurements (cover.py), off by independent discrete Laplace noise of known
scales, and t a number that the noise of a sum exceeds with a probability of at most (1 - level)/2 (noise_sums.py): then
S - t_in <= c <= T + t_out but for a chance of 1 - level. The level holds given the shape of the tree, and so in all, since which boxes are
summed follows from the shape, and fresh noise is independent of it. No statement is made of many queries at once: each interval
holds at its level on its own. With no box within the query, S and t_in are 0.

How wide it is. The width is T - S + t_in + t_out, and T - S, the points of the boxes that the query cuts, stays however little noise there
is: a release says nothing of where they lie.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from starling.places.answers.cover import FreshCover
from starling.places.answers.noise_sums import upper_margins
from starling.places.answers.rectangles import Float64, checked_rectangles
from starling.places.measurements import Int64, MeasuredTree

LEVEL: Final = Fraction(19, 20)


@dataclass(frozen=True, slots=True, eq=False)
class SureIntervals:
    """Intervals, both ends included.

    Attributes:
        lower: int64 (queries,), at least 0.
        upper: int64 (queries,), at least `lower`.
        cut: int64 (queries,): measured points of the boxes that the query cuts, which widen it whatever the noise.
    """

    lower: Int64
    upper: Int64
    cut: Int64


class Surety:
    """Sure intervals of a release.

    Args:
        measured: Its measurements.

    Raises:
        ParameterError: some cell lies in no box with a fresh measurement.
    """

    def __init__(self, measured: MeasuredTree) -> None:
        self._cover = FreshCover(measured)

    def of(self, rectangles: Float64, level: Fraction = LEVEL) -> SureIntervals:
        """An interval for each rectangle.

        Args:
            rectangles: float64 (m, 4): x0, y0, x1, y1 in cell units; what lies beyond the grid has no points.
            level: The probability with which each interval holds the true number, above 0 and below 0.999998.

        Raises:
            ParameterError: rectangles that `CumulativeGrid.count` refuses, or another level.
        """
        sums = self._cover.sums(checked_rectangles(rectangles))
        missing = (1 - level) / 2
        below = upper_margins(self._cover.noises, sums.inside_terms, missing)
        above = upper_margins(self._cover.noises, sums.touched_terms, missing)
        lower = np.maximum(sums.inside - below, 0)
        return SureIntervals(lower, np.maximum(sums.touched + above, lower), sums.touched - sums.inside)
