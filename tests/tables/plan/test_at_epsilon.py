"""A plan at (epsilon, delta): all budgets in proportion, sums too, and the epsilon that a release of it states."""

from dataclasses import replace
from fractions import Fraction

import pytest

from starling.errors import ParameterError, PlanError
from starling.release.claims import claim
from starling.tables.plan import AccuracyTarget, Plan, describe, solve_at
from starling.tables.plan.variants import TopUp
from starling.tables.publication import plan_digest
from tests.tables.plan.priced import promising_plan
from tests.tables.plan.stated_cross import WEIGHED, WHOLE
from tests.tables.small import small_plan


def test_all_budgets_grow_alike_and_the_release_states_what_was_asked() -> None:
    plan = small_plan("epsilon", suppression=Fraction(1, 10))
    solved = solve_at(plan, "1.5", "1e-10")
    assert [each.budget / before.budget for each, before in zip(solved.plan.levels, plan.levels, strict=True)] == [
        solved.factor
    ] * len(plan.levels)
    assert replace(solved.plan, levels=plan.levels) == plan
    assert solved.plan.cost.amount == solved.factor * plan.cost.amount
    assert solved.reached.epsilon <= solved.epsilon == Fraction(3, 2)
    assert Fraction(claim(solved.plan.guarantee).epsilon) == solved.reached.epsilon


def test_margins_give_way_to_the_budgets() -> None:
    plan = promising_plan("epsilon", [[AccuracyTarget("cell", 60)], [AccuracyTarget("cell", 40)]])
    solved = solve_at(plan, "0.5", "1e-10").plan
    assert all(level.targets for level in plan.levels)
    assert not any(level.targets for level in solved.levels)


def test_a_plan_that_adds_to_a_release_is_refused() -> None:
    plan = small_plan("rho")
    budgets = tuple(level.budget for level in plan.levels)
    earlier = TopUp("r", "l", "0" * 64, plan.cost.amount, budgets, ("a",) * len(budgets))
    topping = replace(plan, variants=replace(plan.variants, top_up=earlier))
    with pytest.raises(ParameterError, match="adds to earlier releases"):
        solve_at(topping, 1, "1e-10")


def test_the_plan_and_what_is_stated_of_it_keep_the_delta_that_was_asked() -> None:
    stated = WEIGHED | {"privacy": WEIGHED["privacy"] | {"delta": "0.00000050"}}
    solved = solve_at(Plan.of(WEIGHED), 1, "5e-7")
    assert solved.plan == replace(Plan.of(stated), cross=solved.plan.cross)
    assert solved.plan.values()["privacy"]["delta"] == "5e-7"
    assert claim(solved.plan.guarantee).losses()["approximate_dp"]["delta"] == "5e-7"  # type: ignore[index, call-overload]
    assert Fraction(claim(solved.plan.joint_guarantee).epsilon) == solved.reached.epsilon <= 1
    assert describe(solved.plan).approximate == solved.reached
    # A plan that names none states what it stated, and is the same request.
    assert "delta" not in Plan.of(WEIGHED).values()["privacy"]
    assert plan_digest(Plan.of(WEIGHED)) != plan_digest(replace(Plan.of(WEIGHED), delta="5e-7"))


@pytest.mark.parametrize("delta", ["1", "0", "x", "-1e-3"])
def test_a_delta_that_is_no_chance_is_refused_at_its_key(delta: str) -> None:
    with pytest.raises(PlanError, match=r"privacy\.delta|delta is"):
        Plan.of(WEIGHED | {"privacy": WEIGHED["privacy"] | {"delta": delta}})
    with pytest.raises(PlanError, match="delta is no chance"):
        replace(Plan.of(WEIGHED), delta=delta)


def test_cross_tables_keep_their_shares_and_margins_are_refused() -> None:
    solved = solve_at(Plan.of(WEIGHED), 1, "1e-10")
    assert solved.plan == Plan.of(solved.plan.values())
    assert solved.plan.cost.amount == solved.factor / 2
    with pytest.raises(ParameterError, match="promises margins of cross tables"):
        solve_at(Plan.of(WHOLE), 1, "1e-10")
