"""The error of a group's total by the plan alone: its weight, its law, its margin, for each branch that the group may take."""

from fractions import Fraction
from typing import Final

import numpy as np

from starling.privacy.accuracy import margin, quantile, standard_deviation
from starling.tables import cells
from starling.tables.inference.law import TotalLaw
from starling.tables.inference.reuse import stage1_weight
from starling.tables.measurements import TOTAL_ONLY
from starling.tables.plan import Level, Plan

CONFIDENCE: Final = Fraction(95, 100)
"""Of the published intervals."""


def suppression_quantile(plan: Plan, level: Level) -> int | None:
    """A bare total of this level is published when it is strictly above this; None where nothing is suppressed."""
    if not level.geography.below_state or plan.suppression == 0:
        return None
    return quantile(plan.laws(level).stage2, plan.suppression)


def stage1_share(plan: Plan, level: Level, kind: int) -> Fraction:
    """The weight of the first total in that of a group of branch `kind`; 0 where there is none, or it is not used again."""
    if kind == TOTAL_ONLY or not plan.both_stages:
        return Fraction(0)
    return stage1_weight(plan.laws(level), cells.BRANCH_CELLS[kind])


def half_width(plan: Plan, level: Level, kind: int) -> int:
    """The margin of the total of a group of branch `kind`, over all outcomes."""
    laws = plan.laws(level)
    if kind == TOTAL_ONLY:
        return margin(laws.total_only, 1 - CONFIDENCE)
    if not stage1_share(plan, level, kind):
        return margin(laws.stage2, 1 - CONFIDENCE, cells.BRANCH_CELLS[kind])
    return total_law(plan, level, kind).margin(1 - CONFIDENCE)


def deviation_of(plan: Plan, level: Level, kind: int) -> float:
    """Standard deviation of the noise in the total of a group of branch `kind`; its rounding apart."""
    laws = plan.laws(level)
    if kind == TOTAL_ONLY:
        return standard_deviation(laws.total_only)
    second = float(np.sqrt(cells.BRANCH_CELLS[kind])) * standard_deviation(laws.stage2)
    weight = float(stage1_share(plan, level, kind))
    if not weight:
        return second
    first = weight * standard_deviation(laws.stage1)
    second = (1 - weight) * second
    return float(np.sqrt(first * first + second * second))


def total_law(plan: Plan, level: Level, kind: int) -> TotalLaw:
    """Of the total of a group of branch `kind`, 0 to 3."""
    laws = plan.laws(level)
    return TotalLaw(laws.stage1, laws.stage2, cells.BRANCH_CELLS[kind], stage1_share(plan, level, kind))
