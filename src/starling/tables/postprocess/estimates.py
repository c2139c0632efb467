"""Which groups of a piece are published, and with which numbers.

T1 has one number for each published group: the bare total, or the sum of its cells. T2 has, for each group whose branch has
cells, the cells and their sums over the last attribute of the detail. Below the state a bare total at or below the noise's
quantile at the plan's suppression chance is dropped: a function of released values and the plan alone. With negative counts
refused, each cell is clamped at 0 after that decision; totals and marginals are sums of the clamped cells.

What the plan may ask for besides: the stage-1 total weighted in (inference/combined.py), or totals that add up over regions and iterations
(inference/consistency.py). Either moves a group's total by a whole number of persons, which its cells share (combined.spread), so that T1
stays the sum of T2. Which groups are published, and in how much detail, is not touched by either.

Intervals of totals cover the true count with probability at least CONFIDENCE over the noise of all groups, before suppression: the count,
before clamping, plus and minus the margin of the distribution of its error. Where the plan asks for it, they cover given that and how the
group is published (inference/distribution.py), which for very small groups below the state the others do not: those are published only
when their noise was high. Totals that add up have errors that are sums of very many draws; their margin is MARGINS times the standard
deviation.

Intervals of cells and sexes are those of the stage-2 measurement by itself. Its noise is drawn after the detail was chosen, so they
hold given the choice, whatever was made of the total.

Where counts are clamped the intervals are too, which loses no coverage, since a true count is never negative.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.hierarchy.trees import Estimated
from starling.privacy.budget import Measure
from starling.tables.inference.combined import corrections, margin, spread, standard_deviation
from starling.tables.inference.consistency import make_consistent
from starling.tables.inference.distribution import ends
from starling.tables.inference.totals import (
    CONFIDENCE,
    deviation_of,
    half_width,
    moved_deviation,
    run_deviation,
    stage1_share,
    suppression_quantile,
    total_distribution,
    unrounded_totals,
    what_is_chosen,
)
from starling.tables.measurements import Int64, Measured, Measurements
from starling.tables.plan import Geography, Level, Piece, Plan
from starling.tables.plan.detail import TOTAL_ONLY
from starling.tables.plan.nesting import nested

Float64: TypeAlias = npt.NDArray[np.float64]

MARGINS: Final[dict[Measure, float]] = {"rho": 1.96, "epsilon": 2.37}
"""Margin of a total that adds up, in standard deviations: of a normal distribution, as sums of many discrete Gaussian draws have; of any
symmetric distribution with log-concave density (release/intervals.py). Draws are whole, and no step is added: margins are rounded up to
whole persons around whole numbers, which is as much. By enumeration, of two and three regions in one, 97 % and more hold."""


@dataclass(frozen=True, slots=True)
class Total:
    """Published numbers of some groups, int64, the standard deviations of their noise, and the ends of their intervals, included."""

    count: Int64
    deviation: Float64
    lower: Int64
    upper: Int64


@dataclass(frozen=True, slots=True)
class Consistent:
    """Totals of a piece that add up with all others, int64 (groups,), the variances of their noise, and by how many persons intervals are
    wider for rounding, int64.
    """

    count: Int64
    variance: Float64
    wider: Int64


def measured_totals(plan: Plan, level: Level, kind: int, stage1: Int64, sums: Int64) -> Total:
    """The totals of groups of the branch `kind`, from their stage-1 totals and the sums of their stage-2 values, int64 (groups,) each."""
    weight = stage1_share(plan, level, kind)
    count = sums + corrections(stage1, sums, weight) if weight else sums
    deviation = np.full(len(sums), deviation_of(plan, level, kind))
    if plan.variants.given_published and kind != TOTAL_ONLY:
        intervals = ends(total_distribution(plan, level, kind), what_is_chosen(plan, level, kind), 1 - CONFIDENCE)
        return Total(count, deviation, *intervals.of(count))
    half = half_width(plan, level, kind)
    return Total(count, deviation, count - half, count + half)


def consistent_totals(plan: Plan, totals: Consistent, groups: Int64) -> Total:
    """The totals of some groups of a piece, of whatever branch."""
    count, deviation = totals.count[groups], np.sqrt(totals.variance[groups])
    half = np.ceil(MARGINS[plan.measure] * deviation).astype(np.int64) + totals.wider[groups]
    return Total(count, deviation, count - half, count + half)


class AddedUp:
    """All nested levels of a plan, read once and made to add up; held in memory."""

    def __init__(self, plan: Plan, geography: Geography, measurements: Measurements) -> None:
        self._totals: dict[int, Estimated] = {}
        in_sums = {level.geography for level in plan.levels if nested(plan, level.geography)}
        for piece, measured in measurements:
            level = plan.levels[piece.level]
            if level.geography in in_sums:
                shape = (len(geography.regions[level.geography]), piece.iterations)
                totals = self._totals.setdefault(piece.level, Estimated(np.zeros(shape), np.zeros(shape)))
                sums = measured.sums(plan.detail)
                here = unrounded_totals(plan, level, measured.branch, measured.stage1, sums)
                totals.count[piece.first : piece.stop] = here.count.reshape(-1, piece.iterations)
                totals.variance[piece.first : piece.stop] = here.variance.reshape(-1, piece.iterations)
        self._wider = make_consistent(plan, geography.regions, self._totals)

    def of(self, piece: Piece) -> Consistent | None:
        """A piece; None for one that is part of no sum."""
        if piece.level not in self._totals:
            return None
        totals, rows = self._totals[piece.level], slice(piece.first, piece.stop)
        wider = np.zeros((rows.stop - rows.start, piece.iterations), dtype=np.int64)
        for column in range(piece.iterations):
            if (piece.level, column) in self._wider:
                wider[:, column] = self._wider[piece.level, column][rows]
        return Consistent(totals.count[rows].ravel().astype(np.int64), totals.variance[rows].ravel(), wider.ravel())


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers as published, one row each, and before clamping: the estimate, its standard deviation, the ends of its interval."""

    count: Int64
    estimate: Int64
    deviation: Float64
    lower: Int64
    upper: Int64

    @classmethod
    def zeros(cls, size: int) -> "Numbers":
        """So many rows, to be written by `put`."""
        count, estimate, lower, upper = np.zeros((4, size), dtype=np.int64)
        return cls(count, estimate, np.zeros(size), lower, upper)

    def put(self, positions: Int64, count: Int64, total: Total) -> None:
        """Write the rows at these places."""
        self.count[positions], self.estimate[positions], self.deviation[positions] = count, total.count, total.deviation
        self.lower[positions], self.upper[positions] = total.lower, total.upper


@dataclass(frozen=True, slots=True)
class Estimates:
    """The numbers of the published groups of a piece.

    Attributes:
        groups: The positions of the published groups in the piece, ascending, int64.
        branch: The branch of each published group, int8.
        cells: The T2 rows of each with a branch above 0, one after the other, in the order of `Detail.rows`.
    """

    groups: Int64
    branch: npt.NDArray[np.int8]
    totals: Numbers
    cells: Numbers


def estimate(plan: Plan, level: Level, measured: Measured, consistent: Consistent | None = None) -> Estimates:
    """What is published of a piece; `consistent` are its totals after they were made to add up, None where there are none."""
    starts = measured.offsets(plan.detail)
    bar, groups = suppression_quantile(plan, level), np.arange(len(measured.branch))
    if bar is not None:
        groups = np.flatnonzero((measured.branch != 0) | (measured.values[starts[:-1]] > bar))
    branch = measured.branch[groups]
    totals = Numbers.zeros(len(groups))
    sizes = np.array(plan.detail.row_counts)[np.maximum(branch, 0)]
    firsts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
    details = Numbers.zeros(int(firsts[-1]))
    for kind in plan.detail.branches:
        here = np.flatnonzero(branch == kind)
        if not len(here):
            continue
        size = plan.detail.sizes[max(kind, 0)]
        values = measured.values[starts[groups[here], np.newaxis] + np.arange(size)]
        if consistent is not None:
            total = consistent_totals(plan, consistent, groups[here])
        else:
            total = measured_totals(plan, level, kind, measured.stage1[groups[here]], values.sum(axis=1))
        better = values + spread(total.count - values.sum(axis=1), size)
        totals.put(here, clamp(plan, better).sum(axis=1), total)
        if kind > 0:
            positions = firsts[here, np.newaxis] + np.arange(sizes[here[0]])
            deviation = None if consistent is None else total.deviation
            _put_cells(plan, level, kind, details, positions, (values, better), deviation)
    return Estimates(groups, branch, totals, details)


def _put_cells(
    plan: Plan,
    level: Level,
    kind: int,
    details: Numbers,
    positions: Int64,
    values: tuple[Int64, Int64],
    deviation: Float64 | None,
) -> None:
    """The T2 rows of groups of one branch, (groups, rows), from their cells as measured and as published, (groups, cells).

    `deviation` is that of their totals where these were made to add up.
    """
    size, width = values[0].shape[1], plan.detail.widths[kind]
    noise = plan.noise(level)
    measured, better = (with_sums(each, width) for each in values)
    count = with_sums(clamp(plan, values[1]), width)
    for column, row in enumerate(plan.detail.rows[kind]):
        terms, first = row.terms, row.first
        half = margin(noise, 1 - CONFIDENCE, terms)
        estimate = better[:, column]
        if deviation is None:
            error = np.full(len(positions), run_deviation(plan, level, kind, terms, first))
        else:
            error = moved_deviation(standard_deviation(noise), size, terms, deviation)
        lower = np.minimum(measured[:, column] - half, estimate)
        upper = np.maximum(measured[:, column] + half, estimate)
        details.put(positions[:, column], count[:, column], Total(estimate, error, lower, upper))


def clamp(plan: Plan, values: Int64) -> Int64:
    """Negative values as the plan publishes them."""
    return values if plan.allow_negative else np.maximum(values, 0)


def with_sums(values: Int64, width: int) -> Int64:
    """Cells (groups, cells) with each run of `width` of them led by its sum; as they are where that is 0 (`Detail.widths`)."""
    if not width:
        return values
    runs = values.reshape(len(values), -1, width)
    led = np.concatenate((runs.sum(axis=2, keepdims=True), runs), axis=2)
    return led.reshape(len(values), -1)
