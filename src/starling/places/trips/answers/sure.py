"""Intervals that hold the true number of trips from a rectangle to a rectangle, whatever the data.

As for the boxes of a grid (places/answers/sure.py): pairs of boxes within the query hold at most its trips, those that it touches at least
them. Each pair of boxes that is not cut has one number of its own that steers nothing, so the sums S and T of these are off by independent
discrete Laplace noise of known scales; with t_in and t_out the margins of these sums, S - t_in <= c <= T + t_out at the stated level. The
level holds given the shape of the tree, and so in all.
"""

from fractions import Fraction

import numpy as np

from starling.places.answers.sure import divided_margins
from starling.places.arrays import Float64, Int16, Int32, Int64
from starling.places.trips.measurements import MeasuredPairs
from starling.privacy.compiled import compiled


class Surety:
    """Sure intervals of measured pairs."""

    def __init__(self, measured: MeasuredPairs) -> None:
        fresh = ~measured.steered
        self._boxes = measured.boxes[measured.node[fresh]]
        self._values, self._noise = measured.value[fresh], measured.noise[fresh]
        self._noises = measured.noises

    def of(self, queries: Float64, level: Fraction) -> tuple[Int64, Int64]:
        """The lower and the upper ends, int64 (queries,) each, both included and neither below 0.

        Args:
            queries: float64 (queries, 8): each a pair of boxes, with fractions of cells.
            level: The probability with which each interval holds the true number.

        Raises:
            ParameterError: another level than `divided_margins` takes.
        """
        values, terms = _sums(self._boxes, self._values, self._noise, queries, len(self._noises))
        low, high = divided_margins(self._noises, terms[0], terms[1], 1 - level)
        lower = np.maximum(values[0] - low, 0)
        return lower, np.maximum(values[1] + high, lower)


@compiled
def _sums(boxes: Int32, values: Int64, noise: Int16, queries: Float64, noises: int) -> tuple[Int64, Int64]:
    """int64 (2, queries): the numbers of the pairs of boxes within each query, and of those that it touches; int64 (2, queries, noises):
    how many draws of each noise are in them.
    """
    sums, terms = np.zeros((2, len(queries)), dtype=np.int64), np.zeros((2, len(queries), noises), dtype=np.int64)
    for at in range(len(queries)):
        for leaf in range(len(boxes)):
            touched, inside = True, True
            for side in range(4):
                first, end = queries[at, 2 * side], queries[at, 2 * side + 1]
                begin, stop = boxes[leaf, 2 * side], boxes[leaf, 2 * side + 1]
                touched &= max(first, begin) < min(end, stop)
                inside &= first <= begin and stop <= end
            if touched:
                sums[1, at] += values[leaf]
                terms[1, at, noise[leaf]] += 1
                if inside:
                    sums[0, at] += values[leaf]
                    terms[0, at, noise[leaf]] += 1
    return sums, terms
