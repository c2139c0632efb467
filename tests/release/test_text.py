"""Text for people: aligned, the same in a terminal and in a pipe."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.release.text import OUTSIDE, facts, outside_note, rounded, table

WORD = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=9)


@pytest.mark.examples(20)
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


END = st.integers(-5, 5)


@given(st.lists(st.tuples(st.one_of(st.none(), END), END, END).map(lambda each: (each[0], *sorted(each[1:])))))
def test_numbers_outside_their_intervals_are_counted_and_said(numbers: list[tuple[float | None, int, int]]) -> None:
    known = [(number, low, high) for number, low, high in numbers if number is not None]
    outside = sum(number < low or number > high for number, low, high in known)
    note = outside_note(numbers)
    if not outside:
        assert note == ""
    else:
        assert note == OUTSIDE if len(known) == 1 else note.startswith(f"{outside} of {len(known)} numbers")
        assert "trust the interval" in note
        assert len(note.split()) <= 20
