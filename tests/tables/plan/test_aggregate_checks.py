"""An aggregate that would make the guarantee untrue, or whose noise cannot be drawn, is no part of a plan."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from starling.errors import PlanError
from starling.privacy.sampling.selection_rows import LONGEST, reach
from starling.tables.plan import Aggregate, Plan
from starling.tables.plan.aggregate_checks import LONGEST_REACH, reach_of
from starling.tables.plan.aggregates import Quantiles, sensitivity
from tests.tables.small import small_plan
from tests.tables.test_publish_aggregates import VALUES

PLAN = Plan.of(VALUES)
SUMS = PLAN.aggregates[3]
QUANTILES = PLAN.aggregates[0]


def with_last(aggregate: Aggregate) -> Plan:
    """The plan with this in place of its sums of spending."""
    return replace(PLAN, aggregates=(*PLAN.aggregates[:3], aggregate))


@pytest.mark.parametrize(
    ("aggregate", "problem"),
    [
        (replace(SUMS, column="sex"), "no column of numbers"),
        (replace(SUMS, column="x"), "no column of numbers"),
        (replace(SUMS, high=SUMS.high - 1), "other bounds than its column"),
        (replace(SUMS, level=replace(SUMS.level, stability=0)), "stability below"),
        (replace(SUMS, level=replace(SUMS.level, thresholds=(1,))), "thresholds"),
        (replace(SUMS, level=replace(SUMS.level, iteration_level=9)), "none of the plan"),
        (replace(SUMS, level=replace(SUMS.level, budget=Fraction(0))), "not above 0"),
        (replace(SUMS, level=replace(SUMS.level, budget=Fraction(1, 10**30))), "too small to draw its noise"),
        (replace(SUMS, level=PLAN.aggregates[0].level), "plan order"),
    ],
)
def test_what_cannot_be_is_refused(aggregate: Aggregate, problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        with_last(aggregate)


@pytest.mark.parametrize(
    "quantiles",
    [
        Quantiles((), (-1000, 0), "counts"),
        Quantiles((Fraction(1, 101),), (-1000, 0), "counts"),
        Quantiles((Fraction(1),), (-1000, 0), "counts"),
        Quantiles((Fraction(1, 2), Fraction(1, 4)), (-1000, 0), "counts"),
        Quantiles((Fraction(1, 2),), (-1000,), "counts"),
        Quantiles((Fraction(1, 2),), (0, 5), "counts"),
        Quantiles((Fraction(1, 2),), (-1000, 50_001), "counts"),
    ],
)
def test_quantiles_that_cannot_be_are_refused(quantiles: Quantiles) -> None:
    with pytest.raises(PlanError, match="shares or classes that cannot be"):
        replace(PLAN, aggregates=(replace(QUANTILES, quantiles=quantiles),))


def test_a_selection_needs_a_budget_for_its_table() -> None:
    little = replace(QUANTILES, level=replace(QUANTILES.level, budget=Fraction(1, 10**6)))
    with pytest.raises(PlanError, match="too small for selections"):
        replace(PLAN, measure="epsilon", aggregates=(little,))


def test_what_is_let_through_can_be_drawn() -> None:
    assert LONGEST_REACH <= LONGEST
    for share in (Fraction(1, 2), Fraction(99, 100)):
        for epsilon in (Fraction(1, 10**4), Fraction(3)):
            assert reach(epsilon / (2 * sensitivity(share))) <= reach_of(epsilon, share)


def test_plans_of_the_census_have_none() -> None:
    with pytest.raises(PlanError, match="records of one's own"):
        replace(small_plan(), aggregates=(SUMS,))


def test_noise_of_the_plan_is_that_of_its_shares() -> None:
    def share(**keys: Any) -> Fraction:
        return PLAN.share(replace(SUMS, level=replace(SUMS.level, **keys)))

    assert share(budget=Fraction(2)) == 2 * share(budget=Fraction(1))
    assert share(stability=4) == share() / 4
