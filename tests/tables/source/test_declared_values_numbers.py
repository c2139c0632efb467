"""Numbers of columns for sums: the same of text and of every type, clamped, and nothing is an error."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.plan.columns import Column, Decimals, Integers
from starling.tables.source.declared_values import NONE, bounds, parse_units, units_above

CENTS = Column("x", Decimals(-500, 10_000, 2))
WHOLE = Column("x", Integers(-5, 100))


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(30, 3)], ids=str)
def test_numbers_of_every_type(kind: pa.DataType) -> None:
    column = pa.array([-6, -5, 0, 100, 101, None]).cast(kind)
    assert units_above(WHOLE, column).tolist() == [0, 0, 5, 105, 105, NONE]
    assert units_above(CENTS, column).tolist() == [0, 0, 500, 10_500, 10_500, NONE]
    texts = pa.array(["-6", "-5.0", " +0", "1e2", '"101"', ""])
    assert units_above(WHOLE, texts).tolist() == [0, 0, 5, 105, 105, NONE]
    assert units_above(WHOLE, texts.dictionary_encode()).tolist() == [0, 0, 5, 105, 105, NONE]


@pytest.mark.examples(20)
@given(st.lists(st.none() | st.floats() | st.integers(-(2**63), 2**63 - 1).map(float)))
def test_floats_are_rounded_and_clamped_alike_in_text(numbers: list[float | None]) -> None:
    result = units_above(CENTS, pa.array(numbers, pa.float64()))
    low, high = bounds(CENTS)
    for number, units in zip(numbers, result.tolist(), strict=True):
        if number is None or np.isnan(number):
            assert units == NONE
        else:
            exact = min(
                max(Fraction(number) * 100 if np.isfinite(number) else Fraction(number > 0) * 10**9 - 10**8, low), high
            )
            # In double precision, to the nearest unit.
            assert abs(units + low - exact) <= Fraction(501, 1000)
    finite = [None if each is None or not np.isfinite(each) else each for each in numbers]
    texts = pa.array([None if each is None else repr(each) for each in finite], pa.string())
    assert units_above(CENTS, texts).tolist() == units_above(CENTS, pa.array(finite, pa.float64())).tolist()


@given(st.lists(st.binary(max_size=6)))
def test_no_text_is_an_error(texts: list[bytes]) -> None:
    result = units_above(CENTS, pa.array(texts, pa.binary()))
    assert ((result == NONE) | ((result >= 0) & (result <= 10_500))).all()


@pytest.mark.parametrize("text", ["", "?", "1,5", "--1", '""1""', "1e", "0x1", "é", "inf", "1 2", ".", "1_0"])
def test_what_is_no_number_is_none(text: str) -> None:
    result = parse_units(CENTS, pa.array([text, "nan"]))
    assert np.isnan(result.numbers).all()
    assert result.missing.tolist() == [text == "", True]


def test_numbers_beyond_double_precision_are_clamped() -> None:
    assert units_above(CENTS, pa.array(["1e999", "-1e999", "1" * 400])).tolist() == [10_500, 0, 10_500]
