"""Values of Python as a plan file says them, and the text of such a file."""

import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.planfile.toml import Float
from starling.planfile.values import exact_text, section_of, toml_of
from starling.privacy.budget import exact

TEXT = st.text(st.characters(categories=["L", "N", "P", "Zs"], exclude_characters="\x7f"), max_size=12)
SCALAR = st.one_of(TEXT, st.integers(-(10**12), 10**12), st.booleans())
PLAIN = st.one_of(SCALAR, st.lists(SCALAR, max_size=3))
TABLE = st.dictionaries(TEXT, st.one_of(PLAIN, st.lists(st.dictionaries(TEXT, SCALAR, min_size=1), min_size=1)))


@pytest.mark.examples(12)
@given(st.dictionaries(TEXT, st.one_of(PLAIN, TABLE, st.lists(TABLE, min_size=1, max_size=2)), max_size=5))
def test_the_text_is_toml_of_the_values(values: dict[str, Any]) -> None:
    assert tomllib.loads(toml_of(values)) == values


@pytest.mark.parametrize("number", ["1/3", "20", "0.1", "1e-10", "22/7", "0"])
def test_exact_numbers_are_read_back(number: str) -> None:
    for each in (Fraction(number), -Fraction(number)):
        assert exact(exact_text(each), field="") == each


@given(st.decimals(allow_nan=False, allow_infinity=False, places=9, min_value=-(10**9), max_value=10**9))
def test_every_decimal_is_read_back(number: Decimal) -> None:
    assert exact(exact_text(Fraction(number)), field="") == Fraction(number)


def test_values_are_as_a_file_would_have_them() -> None:
    given = {
        "a": Fraction(1, 3),
        "b": Decimal("0.10"),
        "c": ("x", "y"),
        "d": {"02", "01"},
        "e": Path("lists") / "array.bim",
        "f": None,
        "g": {"h": 0.1, "i": None},
    }
    assert section_of(given).values == {
        "a": "1/3",
        "b": "0.10",
        "c": ["x", "y"],
        "d": ["01", "02"],
        "e": "lists/array.bim",
        "g": {"h": Float("0.1")},
    }


def test_a_float_is_refused_with_its_reason() -> None:
    section = section_of({"budget": 0.1})
    assert section.number("budget", "") is None
    assert "plan: budget is a float, and a binary float is not the decimal it looks like" in str(section.problems[0])
    assert 'budget = "0.1"' in str(section.problems[0])


def test_a_small_decimal_of_python_is_taken_and_a_text_with_an_exponent_is_not() -> None:
    assert section_of({"alpha": Decimal("0.0000001")}).number("alpha", "") == Fraction(1, 10**7)
    section = section_of({"alpha": "1e-7", "budget": 1e-7})
    assert section.number("alpha", "") is section.number("budget", "") is None
    assert 'plan: alpha is written with an exponent; write alpha = "0.0000001"' in str(section.problems[0])
    assert 'put it in quotes: budget = "0.0000001"' in str(section.problems[1])


def test_what_is_no_plan_is_refused() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    for wrong in ("plan.toml", 1, [1], {1: 2}, {"a": {2: 3}}, endless):
        with pytest.raises(PlanError):
            section_of(wrong)
