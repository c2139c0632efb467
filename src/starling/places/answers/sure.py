"""Intervals that hold the true number of points of a query, whatever the data and wherever the points lie within boxes.

For a query that was fixed before the release was seen, c its true number of points: the boxes within it hold at most c points, those that
it touches at least c. Let S and T be the sums of their fresh measurements (cover.py), off by independent discrete Laplace noise of known
scales, and t_in and t_out numbers that the noise of a sum exceeds with probabilities (noise_sums.py) that add up to 1 - level: then
S - t_in <= c <= T + t_out but for a chance of 1 - level. The level holds given the shape of the tree, and so in all, since which boxes are
summed follows from the shape, and fresh noise is independent of it. No statement is made of many queries at once: each interval
holds at its level on its own, unless it is asked for `together`. With no box within the query, S and t_in are 0.

How the chance of missing is divided. By the standard deviations of both sums, in sixteenths: of Laplace noise, t = b ln(1/(2 p)), the
sum of two margins is least where chances are in proportion to scales, and of many draws nearly so. A side without noise gets nothing.
The standard deviations follow from the shape, as the sums do.

Sums and differences of releases or of time slices, drawn independently: the lower end takes S of what is added and T of what is taken away,
the upper end T and S, and the noise of all of them is one sum. So variances add up, and the level is that of the whole.

How wide it is. The width is T - S + t_in + t_out, and T - S, the points of the boxes that the query cuts, stays however little noise there
is: a release says nothing of where they lie.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.places.answers.cover import Sums
from starling.places.answers.layers import LayeredCover
from starling.places.answers.noise_sums import LEAST, distinct, upper_margins
from starling.places.answers.rectangles import checked_rectangles
from starling.places.answers.regions import Region, cell_shares
from starling.places.arrays import Float64, Int64
from starling.places.measurements import MeasuredTree
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import Distribution

LEVEL: Final = Fraction(19, 20)
PARTS: Final = 16
"""In so many parts the chance of missing is divided over both ends."""
JOINT: Final = 1 << 14
"""Rectangles whose sums are in memory at a time: a number for each noise of each takes much room, and many have the same numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class SureIntervals:
    """Intervals, both ends included.

    Attributes:
        lower: int64 (queries,); at least 0 where nothing is taken away.
        upper: int64 (queries,), at least `lower`.
        cut: int64 (queries,): measured points of the boxes that the query cuts, which widen it whatever the noise.
    """

    lower: Int64
    upper: Int64
    cut: Int64


class Surety:
    """Sure intervals of a release, or of a sum of several, some of which are taken away.

    Args:
        measured: The measurements of each, on grids of one shape.
        signs: 1 for what is added, -1 for what is taken away; without it all are added.

    Raises:
        ParameterError: nothing is given, shapes or signs differ, or some cell lies in no box with a fresh measurement.
    """

    def __init__(self, measured: Sequence[MeasuredTree], signs: Sequence[int] | None = None) -> None:
        self._signs = tuple(signs or (1,) * len(measured))
        if len({each.tree.shape for each in measured}) != 1 or len(self._signs) != len(measured):
            raise ParameterError("measurements", "are not of grids of one shape, each with a sign", "give one or more")
        if not set(self._signs) <= {1, -1}:
            raise ParameterError("signs", "hold another number than 1 and -1", "add a release or take it away")
        self._shape = measured[0].tree.shape
        self._covers = [LayeredCover(each) for each in measured]

    def of(self, rectangles: Float64, level: Fraction = LEVEL, *, together: bool = False) -> SureIntervals:
        """An interval for each rectangle.

        Args:
            rectangles: float64 (m, 4): x0, y0, x1, y1 in cell units; what lies beyond the grid has no points.
            level: The probability with which each interval holds the true number, above 0 and below 1 - 2 10^-9.
            together: Whether `level` is that of all intervals holding at once: each then misses with a chance of (1 - level)/m.

        Raises:
            ParameterError: rectangles that `CumulativeGrid.count` refuses, or another level; that of each counts, where all hold together.
        """
        queries = checked_rectangles(rectangles)
        own = of_each(level, len(queries)) if together else level
        parts = (queries[start : start + JOINT] for start in range(0, max(len(queries), 1), JOINT))
        return self._intervals(([cover.sums(part) for cover in self._covers] for part in parts), own)

    def of_regions(
        self, regions: Sequence[Region], level: Fraction = LEVEL, *, together: bool = False
    ) -> SureIntervals:
        """An interval for each region, in cell units; a share of a cell within 10^-9 of 0 or 1 is taken for 0 or 1. See `of`. Raises
        ParameterError for a region that `cell_shares` refuses, or another level than `of` takes.
        """
        shares = [cell_shares(region, self._shape) for region in regions]
        sums = [joined([cover.sums_of_region(each) for each in shares], len(cover.noises)) for cover in self._covers]
        return self._intervals([sums], of_each(level, len(regions)) if together else level)

    def _intervals(self, parts: Iterable[Sequence[Sums]], level: Fraction) -> SureIntervals:
        """The intervals of all parts of the queries, from the sums of each by each release."""
        ends, rows, places, many = [], [], [], 0
        for sums in parts:
            values, terms = self._ends(sums)
            first, back = distinct(terms)
            ends.append(values)
            rows.append(terms[first])
            places.append(back + many)
            many += len(first)
        noises = [noise for cover in self._covers for noise in cover.noises]
        low, high = np.split(np.concatenate(rows), 2, axis=1)
        margins = divided_margins(noises, low, high, 1 - level)
        place, (least, most, cut) = np.concatenate(places), np.concatenate(ends, axis=1)
        lower = least - margins[0][place]
        if -1 not in self._signs:
            lower = np.maximum(lower, 0)
        return SureIntervals(lower, np.maximum(most + margins[1][place], lower), cut)

    def _ends(self, sums: Sequence[Sums]) -> tuple[Int64, Int64]:
        """What queries are made of, whatever the margins.

        Returns:
            int64 (3, queries): sums at the lower and at the upper end, and measured points of the boxes that the query cuts.
            int64 (queries, 2 noises): how many draws of each noise the first has, and then the second.
        """
        values, terms = [], []
        for side in (1, -1):
            # What bounds the lower end of a sum from below bounds it from above where it is taken away.
            within = [sign == side for sign in self._signs]
            drawn = [
                each.inside_terms if inner else each.touched_terms for each, inner in zip(sums, within, strict=True)
            ]
            terms += drawn
            values.append(
                sum(
                    sign * (each.inside if inner else each.touched)
                    for sign, each, inner in zip(self._signs, sums, within, strict=True)
                )
            )
        values.append(np.add.reduce([each.touched - each.inside for each in sums]))
        return np.stack(values), np.concatenate(terms, axis=1)


def of_each(level: Fraction, many: int) -> Fraction:
    """The level of each of many intervals with which all hold together at a level, whatever depends on what (Bonferroni).

    >>> of_each(Fraction(19, 20), 10)
    Fraction(199, 200)
    """
    return 1 - (1 - level) / max(many, 1)


def divided_margins(noises: Sequence[Distribution], low: Int64, high: Int64, missing: Fraction) -> tuple[Int64, Int64]:
    """What the noise of the sums at both ends exceeds with chances that together are at most `missing`, int64 (queries,) each.

    `low` and `high`, int64 (queries, noises), have the draws of each noise in the sums at the lower and upper end. `missing`, above 0 and
    below 1, is divided evenly where a part of it or all of it is no chance that `upper_margins` takes, whose errors are raised.
    """
    first, back = distinct(np.concatenate([low, high], axis=1))
    low, high = low[first], high[first]
    variances = np.array([standard_deviation(each) ** 2 for each in noises])
    below, above = (np.sqrt(terms @ variances) for terms in (low, high))
    parts = np.full(len(low), PARTS // 2)
    if PARTS * LEAST <= missing < Fraction(1, 2):
        share = np.divide(below, below + above, out=np.full(len(low), 0.5), where=below + above > 0)
        parts = np.clip(np.rint(PARTS * share).astype(np.int64), below > 0, PARTS - (above > 0))
    margins = np.zeros((2, len(low)), dtype=np.int64)
    for part in np.unique(parts).tolist():
        here = parts == part
        for end, terms, chance in ((0, low, Fraction(part, PARTS)), (1, high, 1 - Fraction(part, PARTS))):
            if chance:
                margins[end, here] = upper_margins(noises, terms[here], chance * missing)
    return margins[0][back], margins[1][back]


def joined(parts: Sequence[Sums], noises: int) -> Sums:
    """Sums of several queries, one after the other; of none of them with this many noises."""
    none = [np.empty(shape, dtype=np.int64) for shape in (0, 0, (0, noises), (0, noises))]
    return Sums(*(np.concatenate(each) for each in zip(none, *parts, strict=True)))
