"""Promises to draw from, and a small plan that keeps some."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from hypothesis import strategies as st

from starling.privacy.budget import Measure
from starling.tables.plan import AccuracyTarget, Plan
from starling.tables.plan.accuracy_targets import NUMBERS, Setting
from tests.tables.small import small_plan


@st.composite
def targets(draw: st.DrawFn, most: int = 60) -> AccuracyTarget:
    """Any promise that a level of thresholds up to 14 can have."""
    number = draw(st.sampled_from(NUMBERS))
    confidence = draw(st.sampled_from([Fraction(1, 2), Fraction(9, 10), Fraction(19, 20), Fraction(999, 1000)]))
    ages = persons = None
    if number in ("cell", "sex total", "total"):
        kind = draw(st.sampled_from(["every", "ages", "persons"]))
        ages = draw(st.sampled_from([4, 9, 23])) if kind == "ages" else None
        least = 1 if number == "total" else 14
        persons = draw(st.integers(least, 40)) if kind == "persons" else None
    return AccuracyTarget(number, draw(st.integers(1, most)), ages, persons, confidence)


def promising_plan(
    measure: Measure, stated: Sequence[Sequence[AccuracyTarget]], *, gamma: Fraction = Fraction(1, 10)
) -> Plan:
    """The small plan of a state and its counties, each level at the least budget that keeps its promises."""
    plan = replace(small_plan(measure), gamma=gamma)
    levels = []
    for level, remaining in zip(plan.levels, stated, strict=True):
        budget = (
            Setting(measure, gamma, level.stability, level.thresholds).budget(remaining) if remaining else level.budget
        )
        assert budget is not None
        levels.append(replace(level, budget=budget, targets=tuple(remaining)))
    return replace(plan, levels=tuple(levels))
