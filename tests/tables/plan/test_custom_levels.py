"""Sums and quantiles of a plan file are read whole, or refused with every problem at its key."""

from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from starling.errors import PlanError
from starling.tables.plan import Plan
from tests.tables.aggregate_worlds import aggregate_worlds
from tests.tables.custom_worlds import World
from tests.tables.plan.test_grammar_schema import keeps
from tests.tables.test_publish_aggregates import VALUES


def changed(kind: str, place: int, **keys: Any) -> dict[str, Any]:
    """The plan with other keys in one of its aggregates; None leaves a key out."""
    values = deepcopy(VALUES)
    text = values[kind][place]
    text.update(keys)
    for key in [key for key, value in keys.items() if value is None]:
        del text[key]
    return values


def test_aggregates_stand_in_plan_order_with_bounds_in_units() -> None:
    plan = Plan.of(VALUES)
    assert [(each.level.name, each.column, each.quantiles is not None) for each in plan.aggregates] == [
        ("(town, 1)", "spent", True),
        ("(town, 2)", "age", False),
        ("(ward, 1)", "age", True),
        ("(ward, 1)", "spent", False),
    ]
    spent = plan.aggregates[3]
    assert (spent.low, spent.high, spent.level.budget) == (-1000, 50_000, Fraction(1))
    first = plan.aggregates[0].quantiles
    assert first is not None
    assert first.cuts == (-1000, 0, 1250, 5000, 10_000, 20_000)
    assert first.shares == (Fraction(1, 4),)
    third = plan.aggregates[2].quantiles
    assert third is not None
    assert third.cuts == tuple(range(100))


def test_the_better_way_is_taken_where_none_is_said() -> None:
    plan = Plan.of(changed("quantiles", 0, way=None))
    result = plan.aggregates[2].quantiles
    assert result is not None
    assert result.way == "selection"


def test_levels_and_aggregates_add_up() -> None:
    plan = Plan.of(VALUES)
    assert plan.cost.amount == Fraction("4.5")
    assert len(plan.guarantee.parts) == 5


@pytest.mark.examples(15)
@settings(max_examples=40, deadline=None)
@given(aggregate_worlds(most=0))
def test_what_is_read_is_written_and_keeps_the_schema(world: World) -> None:
    plan = Plan.of(world.values)
    assert Plan.of(plan.values()) == plan
    assert keeps(world.values)
    assert keeps(plan.values())


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (changed("sums", 0, of="sex"), "sums.*of is not age or spent"),
        (changed("sums", 0, of=None), "of is missing"),
        (changed("sums", 0, budget=None), "budget is missing"),
        (changed("sums", 0, budget=0.5), "float"),
        (changed("sums", 0, groups="by age"), "groups is not by sex or all"),
        (changed("sums", 0, regions="land"), "regions is not town or ward"),
        (changed("sums", 1, **VALUES["sums"][0]), "is there with these groups already"),
        (changed("sums", 0, shares=["0.5"]), "shares is"),
        (changed("quantiles", 0, shares=["1.5"]), "shares are not"),
        (changed("quantiles", 0, shares=["0.5", "0.5"]), "shares are not"),
        (changed("quantiles", 0, shares=["0.333"]), "shares are not"),
        (changed("quantiles", 0, shares=["half"]), "shares are not"),
        (changed("quantiles", 0, shares=None), "shares is missing"),
        (changed("quantiles", 0, way="median"), "way is not"),
        (changed("quantiles", 0, classes=[1, 2]), "classes do not cut"),
        (changed("quantiles", 0, classes=[0, 200]), "classes do not cut"),
        (changed("quantiles", 0, classes=[0]), "classes do not cut"),
        (changed("quantiles", 1, classes=["-10", "0.001"]), "classes do not cut"),
        (changed("quantiles", 1, classes=["-10", "a"]), "classes do not cut"),
        (changed("quantiles", 1, classes=None), "classes are missing, and spent has 51,001 numbers"),
    ],
)
def test_what_cannot_be_is_refused_at_its_key(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        Plan.of(values)


def test_a_plan_without_a_column_of_numbers_has_no_sums() -> None:
    values = deepcopy(VALUES)
    values["columns"] = [{"name": "sex", "values": ["F", "M", "X"]}]
    with pytest.raises(PlanError, match="the plan has none"):
        Plan.of(values)


def test_a_plan_measures_something() -> None:
    values = {key: value for key, value in VALUES.items() if key not in ("levels", "sums", "quantiles")}
    with pytest.raises(PlanError, match="levels"):
        Plan.of(values)
