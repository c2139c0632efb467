"""Numbers at an axis are round and few."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.pages.axes import labelled, ticks


@pytest.mark.parametrize(
    ("low", "high", "most", "found"),
    [
        (0, 10.6, 6, [0, 2, 4, 6, 8, 10]),
        (0, 0.33, 6, [0, 0.1, 0.2, 0.3]),
        (0.97, 4.03, 8, [1, 1.5, 2, 2.5, 3, 3.5, 4]),
        (0, 311.0, 6, [0, 100, 200, 300]),
    ],
)
def test_numbers_at_an_axis(low: float, high: float, most: int, found: list[float]) -> None:
    assert ticks(low, high, most) == pytest.approx(found)


@given(st.floats(0, 1e6), st.floats(1e-3, 1e6), st.integers(2, 12))
def test_they_are_within_the_axis_and_not_too_many(low: float, size: float, most: int) -> None:
    found = ticks(low, low + size, most)
    slack = 1e-6 * (low + size)
    assert len(found) <= most + 1
    assert all(low - slack <= value <= low + size + slack for value in found)


@given(st.floats(-1e7, 1e7), st.floats(1e-3, 1e7), st.integers(2, 12))
def test_each_text_at_an_axis_is_its_number_and_no_other(low: float, size: float, most: int) -> None:
    pairs = labelled(low, low + size, most)
    numbers = [float(text.replace(",", "")) for _, text in pairs]
    assert numbers == pytest.approx([value for value, _ in pairs], rel=1e-9, abs=1e-6 * size)
    assert len({*numbers}) == len(pairs)
    assert not [text for _, text in pairs if "e" in text or (text.startswith("-0") and not float(text))]
