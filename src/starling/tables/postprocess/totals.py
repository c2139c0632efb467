"""The total of each group as it is published, before clamping, with its error: as measured, with the first total, or made to add up."""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.budget import Measure
from starling.tables.inference.consistency import Totals, make_consistent, nested
from starling.tables.inference.distribution import ends
from starling.tables.inference.reuse import corrections
from starling.tables.inference.totals import (
    CONFIDENCE,
    deviation_of,
    half_width,
    stage1_share,
    total_law,
    unrounded_deviation,
    what_is_chosen,
)
from starling.tables.measurements import BRANCHES, TOTAL_ONLY, Int64, Measured, Measurements
from starling.tables.plan import Geography, Level, Piece, Plan

Float64: TypeAlias = npt.NDArray[np.float64]

MARGINS: Final[dict[Measure, float]] = {"rho": 1.96, "epsilon": 2.37}
"""Margin of a total that adds up, in standard deviations: of a normal law, as sums of many discrete Gaussian draws have; of any
symmetric law with log-concave density (release/intervals.py)."""


@dataclass(frozen=True, slots=True)
class Total:
    """Published numbers and their errors, one each of any number of groups.

    Attributes:
        count: int64.
        deviation: Standard deviation of the noise, float64.
        lower: Of the interval, included, int64.
        upper: "
    """

    count: Int64
    deviation: Float64
    lower: Int64
    upper: Int64


@dataclass(frozen=True, slots=True)
class Consistent:
    """Totals of a piece that add up with all others.

    Attributes:
        count: int64 (groups,).
        variance: Of the noise, float64 (groups,).
    """

    count: Int64
    variance: Float64


def measured_totals(plan: Plan, level: Level, kind: int, stage1: Int64, sums: Int64) -> Total:
    """Of groups of one branch, from their two measurements.

    Args:
        plan: The released plan.
        level: Of the groups.
        kind: Their branch.
        stage1: First totals, int64 (groups,).
        sums: Of the second measurements, int64 (groups,).
    """
    weight = stage1_share(plan, level, kind)
    count = sums + corrections(stage1, sums, weight) if weight else sums
    deviation = np.full(len(sums), deviation_of(plan, level, kind))
    if plan.variants.given_published and kind != TOTAL_ONLY:
        intervals = ends(total_law(plan, level, kind), what_is_chosen(plan, level, kind), 1 - CONFIDENCE)
        return Total(count, deviation, *intervals.of(count))
    half = half_width(plan, level, kind)
    return Total(count, deviation, count - half, count + half)


def consistent_totals(plan: Plan, totals: Consistent, groups: Int64) -> Total:
    """Of some groups of a piece, of whatever branch."""
    count, deviation = totals.count[groups], np.sqrt(totals.variance[groups])
    half = np.ceil(MARGINS[plan.measure] * deviation).astype(np.int64)
    return Total(count, deviation, count - half, count + half)


class AddedUp:
    """All nested levels of a plan, read once and made to add up; held in memory."""

    def __init__(self, plan: Plan, geography: Geography, measurements: Measurements) -> None:
        self._totals: dict[int, Totals] = {}
        for piece, measured in measurements:
            level = plan.levels[piece.level]
            if nested(level.geography):
                shape = (len(geography.regions[level.geography]), piece.iterations)
                totals = self._totals.setdefault(piece.level, Totals(np.zeros(shape), np.zeros(shape)))
                counts, variances = _estimated(plan, level, measured)
                totals.count[piece.first : piece.stop] = counts.reshape(-1, piece.iterations)
                totals.variance[piece.first : piece.stop] = variances.reshape(-1, piece.iterations)
        make_consistent(plan, geography.regions, self._totals)

    def of(self, piece: Piece) -> Consistent | None:
        """A piece; None for one that is part of no sum."""
        if piece.level not in self._totals:
            return None
        totals, rows = self._totals[piece.level], slice(piece.first, piece.stop)
        return Consistent(totals.count[rows].ravel().astype(np.int64), totals.variance[rows].ravel())


def _estimated(plan: Plan, level: Level, measured: Measured) -> tuple[Float64, Float64]:
    """The total of every group of a piece and its variance, not rounded: float64 (groups,)."""
    starts = measured.offsets()
    counts = np.add.reduceat(measured.values, starts[:-1]) if len(measured.values) else measured.stage1
    found, variances = counts.astype(np.float64), np.zeros(len(counts))
    for kind in BRANCHES:
        here = np.flatnonzero(measured.branch == kind)
        weight = float(stage1_share(plan, level, kind))
        found[here] += weight * (measured.stage1[here] - counts[here])
        variances[here] = unrounded_deviation(plan, level, kind) ** 2
    return found, variances
