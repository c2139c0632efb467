"""What is stated of cross tables becomes shares that keep every margin, or that no others beat, at the least budget."""

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from hypothesis import assume, given, settings

from starling.privacy.distributions.deviations import normal_deviations
from starling.tables.plan import Plan, afford, solve
from starling.tables.plan.cross_accuracy import ranked
from starling.tables.plan.cross_solving import stated_weights
from starling.tables.plan.residuals import variances
from tests.tables.plan.stated_cross import WEIGHED, WHOLE, cross_plans, read
from tests.tables.plan.test_custom_grammar_refused import changed


@settings(max_examples=20, deadline=None)
@given(cross_plans())
def test_every_margin_is_kept_and_one_is_reached(values: dict[str, Any]) -> None:
    tables = {key: value for key, value in values["tables"].items() if key not in ("budget", "weights")}
    tables.setdefault("margins", [{"within": 25}])
    plan, refused = read(values | {"tables": tables})
    assert refused <= {"tables.margins"}
    assume(plan)
    assert plan is not None
    cross = plan.cross
    assert cross is not None
    used = []
    for level, reached in zip(cross.levels, variances(plan.cross_shape, cross.shares), strict=True):
        for table, named, variance in zip(cross.tables, cross.named, reached, strict=True):
            margin = ranked(cross.margins, named, level)[0]
            sd = plan.records_of_one * sqrt(variance)
            used.append((sd * normal_deviations(1 - margin.confidence) + plan.cross_shape.step(table)) / margin.within)
    assert 0.9999 < max(used) <= 1 + 1e-12


def test_a_budget_is_shared_better_than_by_any_other_shares() -> None:
    plan = Plan.of(WEIGHED)
    assert plan.cross is not None
    assert plan.cost.amount == Fraction(1, 2)
    weights, shape = np.array(stated_weights(plan.cross)), plan.cross_shape
    assert weights.tolist() == [[0.5, 4, 0.5, 0.5, 0.5], [1, 4, 1, 1, 1]]
    # The regions of a town differ in number here, which the shares take as equal: 0.6 % is the most that was seen.
    least = (weights * variances(shape, plan.cross.shares)).sum() * 0.994
    generator = np.random.default_rng(1)
    shares = np.array([[float(each) for each in level] for level in plan.cross.shares])
    for _ in range(300):
        other = shares * generator.lognormal(0, generator.choice([0.01, 0.3]), shares.shape)
        other *= 0.5 / other.sum()
        other_shares = tuple(tuple(map(Fraction, level.tolist())) for level in other)
        assert (weights * variances(shape, other_shares)).sum() > least


def test_margins_are_scaled_and_a_budget_buys_them() -> None:
    plan = Plan.of(WHOLE)
    wider = solve(plan, scale="1.5")
    assert wider.cross is not None
    assert [each.within for each in wider.cross.margins] == [30, 18, 60, 13]
    assert wider == Plan.of(wider.values())
    assert wider.cost.amount < plan.cost.amount
    factor, bought = afford(plan, "0.01")
    assert bought == solve(plan, scale=factor)
    assert bought.cost.amount <= Fraction("0.01") < solve(plan, scale=factor - Fraction(1, 10)).cost.amount


def test_several_records_of_a_person_cost_their_square() -> None:
    one, three = (
        Plan.of(changed({"records": {"of-a-person": most, "person": "id"}, "tables.margins": [{"within": 25}]}, WHOLE))
        for most in (1, 3)
    )
    assert abs(float(three.cost.amount / one.cost.amount) / 9 - 1) < 1e-5
