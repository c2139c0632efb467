"""Margins of sums get the least budget that keeps them, and what cannot be kept is refused."""

from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from starling.errors import PlanError
from starling.privacy.budget import Measure
from starling.tables.plan import Plan, aggregate_margins
from starling.tables.plan.aggregate_margins import SumMargin, least_budget
from starling.tables.preview.aggregates import preview_aggregates
from tests.tables.plan.test_aggregates import SUMS
from tests.tables.plan.test_grammar_schema import keeps
from tests.tables.test_publish_aggregates import VALUES


def with_margins(*margins: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """The plan with margins in place of the budget of its sums of spending."""
    values = deepcopy(VALUES)
    text = values["sums"][0]
    del text["budget"]
    text.update(keys, margins=list(margins))
    return values


@pytest.mark.parametrize("measure", ["epsilon", "rho"])
@pytest.mark.parametrize(
    "margins",
    [
        [SumMargin("size", Fraction(40))],
        [SumMargin("sum", Fraction(300))],
        [SumMargin("mean", Fraction(1, 2), 1000)],
        [SumMargin("size", Fraction(40)), SumMargin("sum", Fraction(300)), SumMargin("mean", Fraction(1, 2), 1000)],
        [SumMargin("sum", Fraction(10**6))],
    ],
)
def test_the_least_budget_keeps_them_and_a_smaller_one_does_not(margins: list[SumMargin], measure: Measure) -> None:
    for degree in (1, 6):
        result = least_budget(SUMS, measure, degree, margins)
        assert result is not None
        assert all(each.reach(SUMS, measure, result / degree) <= each.within for each in margins)
        assert not all(
            each.reach(SUMS, measure, result * Fraction(999, 1000) / degree) <= each.within for each in margins
        )


def test_what_no_budget_keeps_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = SumMargin("sum", Fraction(1, 10**9))
    # Noise that is nearly always 0 has a margin of 0.
    assert least_budget(SUMS, "rho", 1, [narrow]) is not None
    monkeypatch.setattr(aggregate_margins, "LARGEST_BUDGET", 100)
    assert least_budget(SUMS, "rho", 1, [narrow]) is None
    with pytest.raises(PlanError, match="margins cannot be kept"):
        Plan.of(with_margins({"number": "size", "within": "1/1000000000"}))


def test_a_plan_file_states_them_in_the_unit_of_the_column() -> None:
    values = with_margins({"number": "sum", "within": "250.5"}, {"number": "mean", "within": "2", "records": 100})
    plan = Plan.of(values)
    text = {each.aggregate.name: each.margins for each in preview_aggregates(plan)}["sums of spent (ward, 1)"]
    assert text["sum"] <= 250.5
    assert text["mean of 100"] <= 2
    assert max(text["sum"] / 250.5, text["mean of 100"] / 2) > 0.999
    assert keeps(values)
    # It is written with the budget that was found.
    assert Plan.of(plan.values()) == plan


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (with_margins({"number": "median", "within": 3}), "number is not size or sum or mean"),
        (with_margins({"number": "sum", "within": 0}), "within is not above 0"),
        (with_margins({"number": "sum"}), "within is missing"),
        (with_margins({"number": "mean", "within": 3}), "records is"),
        (with_margins({"number": "size", "within": 3, "records": 5}), "records is of a mean"),
        (with_margins({"number": "size", "within": 3, "chance": 5}), "chance"),
        (with_margins({"number": "size", "within": 3}, budget="1"), "budget stands beside margins"),
    ],
)
def test_what_cannot_be_is_refused(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlanError, match=problem):
        Plan.of(values)
