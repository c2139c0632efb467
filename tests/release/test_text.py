"""Text for people: aligned, the same in a terminal and in a pipe."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.release.text import facts, rounded, table

WORD = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=9)


@given(st.lists(st.tuples(WORD, WORD, WORD), min_size=1, max_size=6))
def test_columns_stand_under_their_names(rows: list[tuple[str, str, str]]) -> None:
    lines = table(("a", "b", "c"), rows).split("\n")
    assert len(lines) == len(rows) + 1
    assert [tuple(line.split()) for line in lines[1:]] == rows
    assert len({len(line) for line in lines}) == 1, "the last column is set to the right"


def test_no_line_ends_in_spaces() -> None:
    assert table(("a", "b"), [("long", "")]) == "a     b\nlong"


def test_facts_of_nothing_are_nothing() -> None:
    assert facts([]) == ""
    assert facts([("a", "1"), ("long", "22")]) == "a     1\nlong  22"


def test_numbers_keep_four_digits() -> None:
    assert [rounded(number) for number in (0.0, -0.12345, 999.96, 123456.7)] == ["0", "-0.1235", "1,000", "123,457"]


@given(st.floats(-1e12, 1e12))
def test_no_number_has_an_exponent(number: float) -> None:
    text = rounded(number)
    assert "e" not in text
    assert float(text.replace(",", "")) == pytest.approx(number, rel=1e-3, abs=5e-10)
