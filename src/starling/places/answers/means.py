"""Points, sums and means of a value in a query, from the two layers of a plan that sums a column, with sure intervals.

Of n points with values v in public [a, b] the first layer has A = sum (v - a) units, the second B = sum (b - v): n = (A + B)/(b - a), the
sum is (b A + a B)/(b - a), and the mean a + (b - a) A/(A + B). Each layer has a sure interval (sure.py) that misses with half of the
chance, so that both hold together, whatever their noises have in common. Points, sum and mean are monotone in A and in B, so that their
least and greatest values over both intervals hold the true ones, all three at once: points and sums are whole, and are rounded inwards.
Where both layers may be empty there may be no point, and any mean between the bounds. No ratio is approximated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np

from starling.places.answers.forms import ArrayAnswers
from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.arrays import Bool, Float64, Int64
from starling.places.plan.choices import Value

LARGEST: Final = (1 << 63) - 1
"""Beyond it no end of a sum is told."""
ROUNDING: Final = 2.0**-50
"""Of a mean, relative to the bounds."""
Ends: TypeAlias = tuple[Int64, Int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Means(ArrayAnswers):
    """Answers to queries, in their order. Intervals are None where the method has none.

    Attributes:
        points: float64 (queries,): released points.
        points_lower: int64 (queries,): lower ends of sure intervals of the points.
        points_upper: int64 (queries,): their upper ends, included.
        sums: float64 (queries,): released sums of the value, in its units.
        sums_lower: int64 (queries,): lower ends of sure intervals of the sums.
        sums_upper: int64 (queries,): their upper ends, included.
        means: float64 (queries,): released means, within the bounds of the value; no number where less than half a point is released.
        means_lower: float64 (queries,): lower ends of sure intervals of the means.
        means_upper: float64 (queries,): their upper ends, included.
        clipped: bool (queries,): whether a part of the query lies beyond the grid; that part has no points.
    """

    points: Float64
    points_lower: Int64 | None
    points_upper: Int64 | None
    sums: Float64
    sums_lower: Int64 | None
    sums_upper: Int64 | None
    means: Float64
    means_lower: Float64 | None
    means_upper: Float64 | None
    clipped: Bool

    def _columns(self, first: slice) -> dict[str, list[str]]:
        columns: dict[str, list[str]] = {}
        shown = (
            ("points", "points from", self.points, self.points_lower, self.points_upper, 1),
            ("sum", "sum from", self.sums, self.sums_lower, self.sums_upper, 1),
            ("mean", "mean from", self.means, self.means_lower, self.means_upper, 3),
        )
        for number, (name, lowest, values, lower, upper, digits) in enumerate(shown, start=1):
            columns[name] = ["" if np.isnan(each) else f"{each:z,.{digits}f}" for each in values[first].tolist()]
            if lower is not None and upper is not None:
                columns[lowest] = [_end(each) for each in lower[first].tolist()]
                columns["to" + " " * number] = [_end(each) for each in upper[first].tolist()]
        return columns


def _end(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:z,.3f}"


def means_of(
    value: Value,
    above: ReleasedGrid,
    below: ReleasedGrid,
    ask: Callable[[ReleasedGrid, Fraction], Answers],
    level: Fraction,
) -> Means:
    """What two layers say of queries.

    Args:
        value: The public bounds.
        above: The first layer, units above the lower bound.
        below: The second one, units below the upper bound.
        ask: Asks a grid the queries, with sure intervals at a level.
        level: The probability with which each query's intervals of points, sum and mean hold the true numbers, all three.
    """
    one, two = (ask(grid, (1 + level) / 2) for grid in (above, below))
    a, b, width = value.lower, value.upper, value.width
    units = one.counts + two.counts
    share = np.divide(one.counts, units, out=np.full(len(units), np.nan), where=2 * units >= width)
    released = units / width, (b * one.counts + a * two.counts) / width, a + width * np.clip(share, 0, 1)
    points, sums, means = released
    if one.lower is None or one.upper is None or two.lower is None or two.upper is None:
        return Means(points, None, None, sums, None, None, means, None, None, one.clipped)
    ends = ((one.lower, one.upper), (two.lower, two.upper))
    of_points, of_sums = (whole_ends(factors, ends, width) for factors in ((1, 1), (b, a)))
    return Means(points, *of_points, sums, *of_sums, means, *mean_ends(value, ends), one.clipped)


def whole_ends(factors: tuple[int, int], ends: tuple[Ends, Ends], width: int) -> Ends:
    """int64 (queries,) each: the least and the greatest whole number of (f A + g B)/width for whole A and B within their ends.

    >>> whole_ends((100, -20), ((np.array([10]), np.array([130])), (np.array([0]), np.array([240]))), 120)
    (array([-31]), array([108]))
    """
    sides = []
    for up in (False, True):
        numbers: list[int] = [0] * len(ends[0][0])
        for factor, own in zip(factors, ends, strict=True):
            # Python's integers: a factor times units may leave 64 bits.
            numbers = [
                total + factor * end for total, end in zip(numbers, own[(factor >= 0) == up].tolist(), strict=True)
            ]
        whole = [each // width if up else -(-each // width) for each in numbers]
        sides.append(np.array([min(max(each, -LARGEST), LARGEST) for each in whole], dtype=np.int64))
    low, high = sides
    return np.minimum(low, high), np.maximum(low, high)


def mean_ends(value: Value, ends: tuple[Ends, Ends]) -> tuple[Float64, Float64]:
    """float64 (queries,) each: the least and the greatest mean for A and B within their ends, rounded outwards."""
    low, high = (_mean(value, *each) for each in ((ends[0][0], ends[1][1]), (ends[0][1], ends[1][0])))
    low[ends[0][0] + ends[1][1] == 0] = value.lower
    high[ends[0][1] + ends[1][0] == 0] = value.upper
    off = ROUNDING * (abs(value.lower) + value.width)
    return np.maximum(low - off, value.lower), np.minimum(high + off, value.upper)


def _mean(value: Value, above: Int64, below: Int64) -> Float64:
    units = (above + below).astype(np.float64)
    return value.lower + value.width * np.divide(above, units, out=np.zeros(len(units)), where=units > 0)
