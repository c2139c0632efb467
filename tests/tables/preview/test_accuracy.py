"""Margins give the least budgets that keep them, a cost gives margins that it pays for, and either is a plan that a file states."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starling.errors import ParameterError, PlanError, StarlingError
from starling.planfile.values import exact_text
from starling.tables.plan import Plan, afford
from starling.tables.preview import preview
from starling.tables.preview.accuracy import RANKS, accuracy, at_cost, at_every_margin, at_margins, margin_text
from tests.tables.plan.stated_cross import WEIGHED, WHOLE

VALUES: dict[str, Any] = {
    "title": "Visits",
    "privacy": {"unit": "person", "neighbours": "add-remove", "measure": "epsilon"},
    "records": {"of-a-person": 1},
    "publication": {"negative-counts": True},
    "columns": [{"name": "sex", "values": ["F", "M"]}, {"name": "spent", "from": "0", "to": "500.00", "decimals": 2}],
    "groups": [{"name": "everybody", "columns": []}, {"name": "sex", "columns": ["sex"]}],
    "levels": [{"groups": "everybody", "budget": "0.5"}, {"groups": "sex", "budget": "0.5"}],
    "sums": [{"of": "spent", "groups": "sex", "budget": "0.5"}],
    "quantiles": [
        {"of": "spent", "groups": "sex", "budget": "0.5", "shares": ["0.5"], "classes": ["0", "10.00", "100.00"]}
    ],
}
CUSTOM = Plan.of(VALUES)
DEMO = Plan.load("demo")
HOSTILE = ("-1", "0", "x", "1e3", "9" * 41, "9" * 30, "nan", "<script>", "\u0661", "\u202e5", "1/0", "")


def test_a_plan_by_its_own_margins_is_the_plan(tmp_path: Path) -> None:
    stands = accuracy(DEMO)
    assert at_margins(DEMO, {at: each.within for at, each in enumerate(stands.numbers)}).plan == DEMO
    assert [each.level for each in stands.numbers] == [row[0] for row in _rows(preview(DEMO))]
    file = tmp_path / "saved.toml"
    file.write_text(at_every_margin(DEMO, "20").file())
    assert Plan.load(file) == at_every_margin(DEMO, "20").plan


def _rows(value: Any) -> Any:
    return next(part for part in value._parts() if not isinstance(part, str))[1]


def test_margins_are_those_of_the_preview() -> None:
    shown = {row[0]: row[1] for row in _rows(preview(CUSTOM))}
    numbers = accuracy(CUSTOM).numbers
    assert [margin_text(each) for each in numbers[:2]] == [f"{shown[each.level]} persons" for each in numbers[:2]]
    sums, quantiles = preview(CUSTOM).aggregates
    assert numbers[2].within == f"{sums.margins['sum']:.2f}"
    assert (quantiles.ranks_off != {}, numbers[3].within, numbers[3].reason) == (True, "", RANKS)


@given(
    people=st.lists(st.integers(1, 2000), min_size=2, max_size=2),
    units=st.integers(1, 10**7),
    quantile=st.integers(1, 1000),
)
@settings(max_examples=8, deadline=None)
def test_margins_give_budgets_that_give_no_wider_margins(people: list[int], units: int, quantile: int) -> None:
    """Every margin is kept by the exact preview of the plan, and what is kept costs no more."""
    wanted = {0: str(people[0]), 1: str(people[1]), 2: str(Fraction(units, 100))}
    budget = str(Fraction(quantile, 1000))
    try:
        chosen = at_margins(CUSTOM, wanted, {3: budget})
    except PlanError as refused:
        assert "too small" in str(refused) or "beyond" in str(refused) or "above 1" in str(refused)  # noqa: PT017
        return
    levels = preview(chosen.plan).levels
    assert all(
        level.total is not None and level.total.margin <= most for level, most in zip(levels, people, strict=True)
    )
    assert Fraction(chosen.numbers[2].within) <= Fraction(units, 100)
    assert chosen.numbers[3].budget == Fraction(quantile, 1000)
    assert chosen.plan.cost.amount == sum(each.budget for each in chosen.numbers)
    again = at_margins(CUSTOM, {at: each.within for at, each in enumerate(chosen.numbers)}, {3: budget})
    # A budget is the least of its digits, or the next.
    assert again.plan.cost.amount <= chosen.plan.cost.amount * Fraction(10_001, 10_000)
    for one, other in zip(again.numbers[:3], chosen.numbers[:3], strict=True):
        assert Fraction(one.within) <= Fraction(other.within)


@given(total=st.fractions(Fraction(1, 100), 100, max_denominator=997))
@settings(max_examples=8, deadline=None)
def test_a_cost_gives_margins_that_cost_no_more(total: Fraction) -> None:
    chosen = at_cost(CUSTOM, total)
    assert total * Fraction(99_999, 100_000) <= chosen.plan.cost.amount <= total
    back = at_margins(
        CUSTOM, {at: each.within for at, each in enumerate(chosen.numbers)}, {3: str(chosen.numbers[3].budget)}
    )
    assert back.plan.cost.amount <= chosen.plan.cost.amount


def test_a_cost_of_a_plan_with_margins_is_that_of_the_command() -> None:
    factor, solved = afford(DEMO, "0.5")
    chosen = at_cost(DEMO, "0.5")
    assert (chosen.factor, chosen.plan) == (factor, solved)
    document: Any = chosen.as_json()
    assert document["cost"] == exact_text(solved.cost.amount) == "0.458326"
    assert [each["within"] for each in document["numbers"]][:2] == ["24", "12"]
    assert "± 24 persons" in str(chosen)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("at", range(4))
def test_what_is_no_margin_is_refused_by_its_number(text: str, at: int) -> None:
    if not text or (at == 3 and text == "9" * 30):
        assert at_margins(CUSTOM, {at: ""}).plan == CUSTOM, "nothing is written: the budget stays"
        return
    with pytest.raises(PlanError) as refused:
        at_margins(CUSTOM, {at: text}, {at: text})
    assert refused.value.problems[0].field.startswith(accuracy(CUSTOM).numbers[at].level)
    assert "<script>" not in str(refused.value)


@pytest.mark.parametrize("text", [*HOSTILE, "0.000000000000000000000001"])
def test_what_is_no_cost_is_refused(text: str) -> None:
    for plan in (CUSTOM, DEMO):
        if text == "9" * 30 and plan is DEMO:
            assert at_cost(plan, text).numbers[0].within == "1"
            continue
        with pytest.raises(StarlingError) as refused:
            at_cost(plan, text)
        assert isinstance(refused.value, ParameterError | PlanError)


@pytest.mark.parametrize("values", [WHOLE, WEIGHED], ids=["margins", "weights"])
def test_a_cost_or_one_margin_for_all_is_of_cross_tables_too(values: dict[str, Any]) -> None:
    plan = Plan.of(values)
    cheaper, every = at_cost(plan, "0.01").plan, at_every_margin(plan, "30").plan
    assert Fraction("0.009") < cheaper.cost.amount <= Fraction("0.01")
    assert every.cross is not None
    assert [each.within for each in every.cross.margins] == [30]
    assert {each.within for each in accuracy(every).numbers} == {"30"}
    assert every.cost.amount < plan.cost.amount
    assert all(Plan.of(each.values()) == each for each in (cheaper, every))


@pytest.mark.parametrize("values", [WHOLE, WEIGHED], ids=["margins", "weights"])
def test_each_cross_table_has_a_margin_of_its_own(values: dict[str, Any]) -> None:
    plan = Plan.of(values)
    stands = accuracy(plan)
    assert [(each.level, each.name) for each in stands.numbers[:2]] == [("town", "everybody"), ("town", "sex")]
    written = {at: each.within for at, each in enumerate(stands.numbers)}
    assert at_margins(plan, written) == at_margins(plan, {}) == stands
    for at, within, dearer in ((0, "1000", False), (len(written) - 1, "3", True)):
        chosen = at_margins(plan, written | {at: within})
        assert {position: each.within for position, each in enumerate(chosen.numbers)} == written | {at: within}
        if values is WHOLE:
            assert (chosen.plan.cost.amount > plan.cost.amount) == dearer
        assert Plan.of(chosen.plan.values()) == chosen.plan
    with pytest.raises(PlanError) as refused:
        at_margins(plan, written | {1: "0", 2: "x"})
    assert [each.field for each in refused.value.problems] == [each.label for each in stands.numbers[1:3]]
