"""Columns of a plan file: numbers with digits after the point; the other kinds are read by test_custom_grammar.py."""

from copy import deepcopy
from typing import Any

import pytest

from starling.errors import PlanError
from starling.tables.plan import Plan
from starling.tables.plan.columns import Decimals
from tests.tables.test_publish_aggregates import VALUES


def with_column(**keys: Any) -> dict[str, Any]:
    """The plan with other keys in the column of decimals."""
    values = deepcopy(VALUES)
    values["columns"][1].update(keys)
    return values


def test_bounds_are_in_units_of_the_last_place() -> None:
    values = with_column(**{"from": "-10.5", "to": 600, "decimals": 1})
    plan = Plan.of({key: value for key, value in values.items() if key != "quantiles"})
    assert plan.records is not None
    assert plan.records.by_name["spent"].domain == Decimals(-105, 6000, 1)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"from": "-0.001"}, "decimals are fewer than the bounds have"),
        ({"from": -0.5}, "float"),
        ({"to": "a"}, "to is"),
        ({"to": "-11"}, "bounds do not ascend"),
        ({"to": 2**40}, "within -2\\^40 to 2\\^40 units"),
        ({"decimals": 10}, "decimals is not an integer from 0 to 9"),
        ({"decimals": "2"}, "decimals is not an integer"),
    ],
)
def test_what_cannot_be_is_refused(keys: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        Plan.of(with_column(**keys))


@pytest.mark.parametrize(
    "values",
    [
        {"groups": [*VALUES["groups"], {"name": "x", "columns": ["spent"]}]},
        {"detail": {"columns": ["spent"], "steps": [{"spent": [0, 5]}]}},
    ],
)
def test_decimals_are_for_sums_and_quantiles_alone(values: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match=r"sums and quantiles alone|detail can be of"):
        Plan.of(VALUES | values)
