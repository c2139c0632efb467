"""Amounts, names and conversions: exact, and rounded against the spender."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import BudgetRefused, ParameterError, PolicyRefused, RequestConflict
from starling.ledger import rules
from starling.ledger.rules import MOST, UNIT, Cap, Request, canonical, cap_units, charge_units, shown

AMOUNTS = st.fractions(min_value=Fraction(1, UNIT), max_value=MOST)


@given(AMOUNTS)
def test_a_charge_is_rounded_up_and_a_cap_down_to_a_unit(amount: Fraction) -> None:
    assert 0 <= Fraction(charge_units(amount), UNIT) - amount < Fraction(1, UNIT)
    assert 0 <= amount - Fraction(cap_units(amount), UNIT) < Fraction(1, UNIT)


@given(st.integers(0, MOST * UNIT))
def test_what_is_shown_is_exact(units: int) -> None:
    assert Fraction(shown(units)) * UNIT == units


@pytest.mark.parametrize(
    "amount", [0, -1, "-0.1", "nan", "inf", "1e3", "1e99", "9" * 100, 0.1, float("nan"), True, "", "1/0", MOST + 1]
)
def test_what_is_no_amount_is_refused(amount: object) -> None:
    with pytest.raises(ParameterError):
        cap_units(amount)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "a b", "x" * 101, "../x", "a\n", "é", "-a"])
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(ParameterError):
        rules.name(name, field="analyst")


def test_the_same_request_is_the_same_text_and_a_float_is_none() -> None:
    assert canonical({"b": 1, "a": ["x", {"d": None, "c": True}]}) == '{"a":["x",{"c":true,"d":null}],"b":1}'
    with pytest.raises(ParameterError):
        canonical({"a": [0.5]})
    one, same, other = (Request("ann", "r", "d", canonical({"q": q})) for q in (1, 1, 2))
    assert one.hash == same.hash != other.hash
    assert one.hash != Request("ann", "r", "e", one.body).hash
    rules.check_same(one.hash, same)
    with pytest.raises(RequestConflict):
        rules.check_same(one.hash, other)


def test_a_charge_fits_up_to_the_cap_and_not_beyond() -> None:
    cap = Cap(3, "analyst", "ann", 10, 7, None)
    rules.check_caps([cap], 3)
    with pytest.raises(BudgetRefused, match="analyst ann"):
        rules.check_caps([Cap(2, "dataset", "census", None, 99, None), cap], 4)


def test_what_costs_nothing_is_no_charge() -> None:
    for cost in (Fraction(0), Fraction(-1)):
        with pytest.raises(PolicyRefused, match="costs nothing"):
            charge_units(cost)


def test_large_budgets_are_taken_and_their_sums_fit_64_bits() -> None:
    assert cap_units(10**9) == charge_units(Fraction(10**9)) == 10**9 * UNIT
    assert 2 * MOST * UNIT < 2**63
