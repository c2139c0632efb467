"""An aggregate that would make the guarantee untrue, or whose noise cannot be drawn, is no part of a plan."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from starling.errors import PlanError
from starling.privacy.sampling.noise import draw
from starling.privacy.sampling.selection_rows import LONGEST, reach
from starling.tables.inference.pairs import pair_errors
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
    with pytest.raises(PlanError, match="is of no column of numbers"):
        replace(small_plan(), aggregates=(SUMS,))


def test_noise_of_the_plan_is_that_of_its_shares() -> None:
    def share(**keys: Any) -> Fraction:
        return PLAN.share(replace(SUMS, level=replace(SUMS.level, **keys)))

    assert share(budget=Fraction(2)) == 2 * share(budget=Fraction(1))
    assert share(stability=4) == share() / 4


def money(width: int, budget: str, measure: str, **rounding: int) -> dict[str, Any]:
    """The values of a plan with sums of a column of this width."""
    return {
        "title": "Money",
        "privacy": {"unit": "person", "neighbours": "add-remove", "measure": measure},
        "records": {"of-a-person": 1},
        "columns": [{"name": "money", "from": 0, "to": width} | rounding],
        "groups": [{"name": "all", "columns": []}],
        "publication": {"negative-counts": True},
        "sums": [{"of": "money", "groups": "all", "budget": budget}],
    }


@pytest.mark.series(3)
@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize("width", [1, 10**7, 2**31, 2**31 + 1, 2**40])
def test_the_noise_of_what_is_let_through_can_be_drawn_at_any_width(width: int, measure: str) -> None:
    """At one to a thousand budgets; where it is refused, the budget that the message names is let through."""
    for budget in ("1000", "1", "0.001", f"1/{2**30}", f"1/{2**55}"):
        try:
            plan = Plan.of(money(width, budget, measure))
        except PlanError as error:
            (problem,) = error.problems
            assert "too small to draw its noise" in problem.problem
            assert "a unit to which numbers are rounded" in problem.fix
            plan = Plan.of(money(width, problem.fix.removeprefix("give it at least ").split(",")[0], measure))
        (sums,) = plan.aggregates
        noise = sums.noise(measure, plan.share(sums))  # type: ignore[arg-type]
        assert draw(noise, 3).dtype == np.int64
        assert 0 <= pair_errors(sums, noise, Fraction(1, 20)).sum_margin < 2**62


def test_wider_bounds_are_refused_with_what_to_do_and_a_unit_does_it() -> None:
    with pytest.raises(PlanError, match=r"-2\^40 to 2\^40"):
        Plan.of(money(10**15, "1", "rho"))
    wide = money(2**40, "1", "rho")
    wide["columns"][0]["from"] = -(2**40)
    with pytest.raises(PlanError, match="a unit such as 1000"):
        Plan.of(wide)
    plan = Plan.of(money(10**15, "1", "rho", unit=1000))
    assert plan.aggregates[0].width == 10**12
    assert Plan.of(plan.values()) == plan
    for rounding, problem in (
        ({"unit": 1500}, "is no power of ten"),
        ({"unit": 10, "decimals": 2}, "stands beside decimals"),
        ({"unit": 10**9}, "does not divide the bounds"),
    ):
        with pytest.raises(PlanError, match=problem):
            Plan.of(money(10**15 + 1000, "1", "rho", **rounding))
