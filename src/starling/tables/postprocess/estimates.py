"""Which groups of a piece are published, and with which numbers.

T1 has one number for each published group: the bare total, or the sum of its cells. T2 has, for each group whose branch has
cells, two sex marginals and the cells. Below the state a bare total at or below the noise's quantile at the plan's
suppression chance is dropped: a function of released values and the plan alone. With negative counts refused, each cell is
clamped at 0 after that decision; totals and marginals are sums of the clamped cells.

Intervals cover the true count with probability at least CONFIDENCE over the noise of all groups, before suppression: the
count, before clamping, plus and minus the margin of the sum of as many independent draws as it has cells. Where counts are
clamped the interval is too, which loses no coverage, since a true count is never negative. Among the published bare totals of
very small groups more miss, since such a group is published only when its noise was high; preview says how many.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.accuracy import margin, quantile, standard_deviation
from starling.privacy.laws import Law
from starling.tables import cells
from starling.tables.measurements import TOTAL_ONLY, Int64, Measured
from starling.tables.plan import Level, Plan

Float64: TypeAlias = npt.NDArray[np.float64]

CONFIDENCE: Final = Fraction(95, 100)
"""Of the published intervals."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers that are published, one row each.

    Attributes:
        count: As published, int64.
        estimate: The same before clamping, int64: what the interval is centred on.
        deviation: Standard deviation of the noise in it, float64.
        margin: Half width of its interval, int64.
    """

    count: Int64
    estimate: Int64
    deviation: Float64
    margin: Int64


@dataclass(frozen=True, slots=True)
class Estimates:
    """The numbers of the published groups of a piece.

    Attributes:
        groups: Their positions in the piece, ascending, int64.
        branch: Of each, int8.
        totals: Of each.
        cells: Of each with a branch above 0, one after the other: 2 sexes, each its sum and then its 4, 9 or 23 bands.
    """

    groups: Int64
    branch: npt.NDArray[np.int8]
    totals: Numbers
    cells: Numbers


def estimate(plan: Plan, level: Level, measured: Measured) -> Estimates:
    """What the measurements say by themselves: second measurements and their sums."""
    starts = measured.offsets()
    groups = np.flatnonzero(_published(plan, level, measured, starts))
    branch = measured.branch[groups]
    sums = np.zeros((2, len(groups)), dtype=np.int64)
    spread = _Spread(len(groups))
    sizes = np.array(rows_of_branch())[np.maximum(branch, 0)]
    firsts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))
    detail = np.zeros((2, firsts[-1]), dtype=np.int64)
    details = _Spread(int(firsts[-1]))
    laws = plan.laws(level)
    for kind in (TOTAL_ONLY, *range(len(cells.BRANCH_CELLS))):
        here = np.flatnonzero(branch == kind)
        if not len(here):
            continue
        size = cells.BRANCH_CELLS[max(kind, 0)]
        values = measured.values[starts[groups[here], np.newaxis] + np.arange(size)]
        both = (clamp(plan, values), values)
        sums[:, here] = [each.sum(axis=1) for each in both]
        law = laws.total_only if kind == TOTAL_ONLY else laws.stage2
        spread.put(here, law, size)
        if kind > 0:
            bands = size // cells.SEXES
            places = firsts[here, np.newaxis] + np.arange(sizes[here[0]])
            detail[:, places] = [with_sums(each, bands) for each in both]
            for column in range(places.shape[1]):
                details.put(places[:, column], law, 1 if column % (bands + 1) else bands)
    return Estimates(groups, branch, spread.numbers(*sums), details.numbers(*detail))


def suppression_quantile(plan: Plan, level: Level) -> int | None:
    """A bare total of this level is published when it is strictly above this; None where nothing is suppressed."""
    if not level.geography.below_state or plan.suppression == 0:
        return None
    return quantile(plan.laws(level).stage2, plan.suppression)


def clamp(plan: Plan, values: Int64) -> Int64:
    """Negative values as the plan publishes them."""
    return values if plan.allow_negative else np.maximum(values, 0)


def rows_of_branch() -> tuple[int, ...]:
    """T2 rows of a group of each branch: 0, 10, 20 and 48."""
    return (0, *(size + cells.SEXES for size in cells.BRANCH_CELLS[1:]))


def with_sums(values: Int64, bands: int) -> Int64:
    """Cells (groups, 2 bands) with each sex led by its sum, (groups, 2 bands + 2)."""
    by_sex = values.reshape(-1, cells.SEXES, bands)
    led = np.concatenate((by_sex.sum(axis=2, keepdims=True), by_sex), axis=2)
    return led.reshape(len(values), -1)


def _published(plan: Plan, level: Level, measured: Measured, starts: Int64) -> npt.NDArray[np.bool_]:
    bar = suppression_quantile(plan, level)
    if bar is None:
        return np.ones(len(measured.branch), dtype=np.bool_)
    published: npt.NDArray[np.bool_] = (measured.branch != 0) | (measured.values[starts[:-1]] > bar)
    return published


class _Spread:
    """Deviation and margin of numbers that are sums of independent draws."""

    def __init__(self, size: int) -> None:
        self._deviation = np.zeros(size)
        self._margin = np.zeros(size, dtype=np.int64)

    def put(self, places: Int64, law: Law, terms: int) -> None:
        """Those at these places are sums of `terms` draws."""
        self._deviation[places] = standard_deviation(law, terms)
        self._margin[places] = margin(law, 1 - CONFIDENCE, terms)

    def numbers(self, count: Int64, estimate: Int64) -> Numbers:
        return Numbers(count, estimate, self._deviation, self._margin)
