"""The error of a group's total by the plan alone: its weight, its law, its margin, for each branch that the group may take."""

from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.tables import cells
from starling.tables.inference.combined import margin, quantile, standard_deviation
from starling.tables.inference.deviations import corrected_deviations
from starling.tables.inference.distribution import Chosen, TotalLaw
from starling.tables.measurements import TOTAL_ONLY
from starling.tables.plan import Level, Plan
from starling.tables.plan.combined_stages import stage1_weight

Float64: TypeAlias = npt.NDArray[np.float64]

CONFIDENCE: Final = Fraction(95, 100)
"""Of the published intervals."""


def suppression_quantile(plan: Plan, level: Level) -> int | None:
    """A bare total of this level is published when it is strictly above this; None where nothing is suppressed."""
    if not level.geography.below_state or plan.suppression == 0:
        return None
    return quantile(plan.noise(level), plan.suppression)


def stage1_share(plan: Plan, level: Level, kind: int) -> Fraction:
    """The weight of the first total in that of a group of branch `kind`; 0 where there is none, or it is not used again."""
    if kind == TOTAL_ONLY or not plan.variants.both_stages:
        return Fraction(0)
    return stage1_weight(plan.laws(level), cells.BRANCH_CELLS[kind])


def half_width(plan: Plan, level: Level, kind: int) -> int:
    """The margin of the total of a group of branch `kind`, over all outcomes."""
    if kind == TOTAL_ONLY:
        return margin(plan.noise(level, total_only=True), 1 - CONFIDENCE)
    if not stage1_share(plan, level, kind):
        return margin(plan.noise(level), 1 - CONFIDENCE, cells.BRANCH_CELLS[kind])
    return total_law(plan, level, kind).margin(1 - CONFIDENCE)


def deviation_of(plan: Plan, level: Level, kind: int) -> float:
    """Standard deviation of the published total of a group of branch `kind`, its rounding included."""
    if kind == TOTAL_ONLY:
        return standard_deviation(plan.noise(level, total_only=True))
    return run_deviation(plan, level, kind, cells.BRANCH_CELLS[kind])


def unrounded_deviation(plan: Plan, level: Level, kind: int) -> float:
    """The same of the weighted total before it is rounded to a whole number."""
    if kind == TOTAL_ONLY:
        return standard_deviation(plan.noise(level, total_only=True))
    second = float(np.sqrt(cells.BRANCH_CELLS[kind])) * standard_deviation(plan.noise(level))
    weight = float(stage1_share(plan, level, kind))
    if not weight:
        return second
    first = weight * standard_deviation(plan.laws(level).stage1)
    second = (1 - weight) * second
    return float(np.sqrt(first * first + second * second))


def run_deviation(plan: Plan, level: Level, kind: int, terms: int, first: int | None = None) -> float:
    """The same of a run of `terms` cells of such a group, which shares what is made of its total.

    That of the run that begins with the cell `first`; without one, the largest of all such runs.
    """
    weight = stage1_share(plan, level, kind)
    if not weight:
        return float(np.sqrt(terms)) * standard_deviation(plan.noise(level))
    laws = plan.laws(level)
    found = corrected_deviations(laws.stage1, laws.stage2, cells.BRANCH_CELLS[kind], weight, terms)
    return max(found) if first is None else found[first // terms]


def moved_deviation(one: float, size: int, terms: int, total: Float64) -> Float64:
    """Of a run of `terms` of `size` cells whose total was made to add up and deviates by `total`; the rounding of its part apart.

    What is apart from the total, and its part of the total, which are uncorrelated.

    Args:
        one: Standard deviation of a cell as measured.
        size: Cells of the group.
        terms: Cells of the run.
        total: Of the total, float64 of any shape.
    """
    part = terms / size
    deviation: Float64 = np.sqrt(terms * one * one * (1 - part) + part * part * total * total)
    return deviation


def what_is_chosen(plan: Plan, level: Level, kind: int) -> Chosen:
    """What the branch of a group, 0 to 3, and its being published say of the noise in its total.

    Without the first total in it the branch says nothing: the second measurement does not depend on it.
    """
    chosen = Chosen.of(kind, level.thresholds, suppression_quantile(plan, level))
    return chosen if stage1_share(plan, level, kind) else Chosen(bar=chosen.bar)


def total_law(plan: Plan, level: Level, kind: int) -> TotalLaw:
    """Of the total of a group of branch `kind`, 0 to 3."""
    laws = plan.laws(level)
    return TotalLaw(laws.stage1, laws.stage2, cells.BRANCH_CELLS[kind], stage1_share(plan, level, kind))
