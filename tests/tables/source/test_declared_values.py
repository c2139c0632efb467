"""Values of fields of every type: the number that the same text has, and nothing is an error."""

from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.plan.columns import Codes, Column, Integers, Periods, codes_of
from starling.tables.source.declared_values import MISSING, NONE, OUTSIDE, fits, reader, units_above, values

NUMBERS = Integers(-5, 300)
CUT = Integers(-5, 300, (-5, 0, 10))
TEXT = codes_of(("1", "-2", "a"))
DAYS = Periods(("2020-01-01", "2020-02-01", "2020-03-01"))


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.float16(), pa.float64(), pa.decimal128(30, 3)], ids=str)
def test_numbers_of_every_type(kind: pa.DataType) -> None:
    column = pa.array([-6, -5, 0, 100, None]).cast(kind)
    assert reader(NUMBERS)(column).tolist() == [OUTSIDE, 0, 5, 105, MISSING]
    assert reader(CUT)(column).tolist() == [OUTSIDE, 0, 1, 2, MISSING]
    texts = pa.array(["-6", "-5.0", "+0", "0100.", None])
    assert reader(NUMBERS)(texts).tolist() == reader(NUMBERS)(column).tolist()


MOST = 10**9
WHOLE = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())


@pytest.mark.examples(30)
@given(st.data(), st.sampled_from(WHOLE))
def test_integers_of_every_type_and_every_bound(data: st.DataObject, kind: pa.DataType) -> None:
    # A bound may be none that the type of the column holds: below 0 where that has no sign, or too large for it.
    low = data.draw(st.integers(-MOST, MOST - 1), "low")
    domain = Integers(low, data.draw(st.integers(low + 1, MOST), "high"))
    signed = pa.types.is_signed_integer(kind)
    held = st.integers(-(1 << kind.bit_width - 1) if signed else 0, (1 << kind.bit_width - signed) - 1)
    near = st.sampled_from((low - 1, low, domain.high, domain.high + 1)).filter(lambda n: fits_into(n, kind))
    numbers = data.draw(st.lists(st.none() | held | near), "numbers")
    wanted = [MISSING if n is None else n - low if low <= n <= domain.high else OUTSIDE for n in numbers]
    assert reader(domain)(pa.array(numbers, kind)).tolist() == wanted
    assert reader(domain)(pa.array([None if n is None else str(n) for n in numbers], pa.string())).tolist() == wanted
    units = [NONE if n is None else min(max(n, low), domain.high) - low for n in numbers]
    assert units_above(Column("a", domain), pa.array(numbers, kind)).tolist() == units


def fits_into(number: int, kind: pa.DataType) -> bool:
    signed = pa.types.is_signed_integer(kind)
    return bool(-(1 << kind.bit_width - 1) * signed <= number < 1 << kind.bit_width - signed)


@given(st.lists(st.floats()))
def test_numbers_that_are_not_whole_are_outside(numbers: list[float]) -> None:
    wanted = [MISSING if np.isnan(n) else int(n) + 5 if -5 <= n <= 300 and n == int(n) else OUTSIDE for n in numbers]
    assert reader(NUMBERS)(pa.array(numbers, pa.float64())).tolist() == wanted


def test_one_quote_is_passed_over_at_either_end_and_no_more() -> None:
    texts = pa.array(['"5"', '""5""', ' "5" ', '"', '""'])
    assert reader(NUMBERS)(texts).tolist() == [10, OUTSIDE, 10, MISSING, MISSING]
    assert units_above(Column("a", NUMBERS), texts).tolist() == [10, NONE, 10, NONE, NONE]


def test_codes_are_texts_or_integers() -> None:
    assert reader(TEXT)(pa.array([1, -2, 3, None])).tolist() == [0, 1, OUTSIDE, MISSING]
    assert reader(TEXT)(pa.array(["1", "-2", "01", "A", None])).tolist() == [0, 1, OUTSIDE, OUTSIDE, MISSING]
    assert reader(TEXT)(pa.array([b"\xff", b"a", b'" "'])).tolist() == [OUTSIDE, 2, OUTSIDE]


@pytest.mark.parametrize("domain", [TEXT, NUMBERS, DAYS], ids=lambda each: type(each).__name__)
def test_dictionaries_and_columns_of_nothing_are_read_too(domain: Any) -> None:
    for column in (pa.array(["1", "2020-01-05", None, "1"]), pa.array(["a", None, "a", ""])):
        assert reader(domain)(column.dictionary_encode()).tolist() == reader(domain)(column).tolist()
    both = pa.DictionaryArray.from_arrays(pa.array([1, 0, None, 2]), pa.array(["1", "1", None]))
    assert reader(domain)(both).tolist() == reader(domain)(pa.array(["1", "1", None, None])).tolist()
    assert reader(domain)(pa.nulls(2)).tolist() == [MISSING, MISSING]
    assert reader(domain)(pa.array([], pa.string())).tolist() == []


def test_times_of_every_type() -> None:
    wanted = [0, 1, OUTSIDE, MISSING]
    days = [date(2020, 1, 31), date(2020, 2, 1), date(2020, 3, 1), None]
    assert reader(DAYS)(pa.array(days)).tolist() == wanted
    assert reader(DAYS)(pa.array(days).dictionary_encode()).tolist() == wanted
    assert reader(DAYS)(pa.array([None if day is None else day.isoformat() for day in days])).tolist() == wanted
    assert reader(DAYS)(pa.array([datetime(2020, 2, 29, 23)], pa.timestamp("ns"))).tolist() == [1]  # noqa: DTZ001


def test_a_value_outside_is_the_declared_other() -> None:
    column = Column("a", Codes((("x", "x"), ("z", "other")), "z"))
    assert values(column, reader(column.domain), pa.array(["x", "q", None])).tolist() == [0, 1, 1]
    column = Column("a", codes_of(("x",)))
    assert values(column, reader(column.domain), pa.array(["x", "q", None])).tolist() == [0, 1, 1]


@pytest.mark.examples(30)
@given(st.lists(st.binary(max_size=30)), st.sampled_from([TEXT, NUMBERS, CUT, DAYS]))
def test_no_text_is_an_error(texts: list[bytes], domain: Any) -> None:
    result = reader(domain)(pa.array(texts, pa.binary()))
    assert ((result >= OUTSIDE) & (result < domain.size)).all()


@pytest.mark.parametrize(
    ("column", "kind", "wanted"),
    [
        (Column("a", TEXT), pa.float64(), "text or an integer"),
        (Column("a", TEXT), pa.bool_(), "text or an integer, and the plan does not list true and false"),
        (Column("a", codes_of(("0", "1", "x"))), pa.bool_(), ""),
        (Column("a", TEXT), pa.dictionary(pa.int8(), pa.date32()), "text or an integer"),
        (Column("a", TEXT, separator=";"), pa.int64(), "text"),
        (Column("a", NUMBERS), pa.bool_(), "text or a number"),
        (Column("a", DAYS), pa.int64(), "text, a date or a time"),
        (Column("a", DAYS), pa.list_(pa.date32()), "text, a date or a time"),
        *(
            (Column("a", domain), kind, "")
            for domain in (TEXT, NUMBERS, DAYS)
            for kind in (pa.null(), pa.large_binary())
        ),
    ],
)
def test_other_types_are_named(column: Column, kind: pa.DataType, wanted: str) -> None:
    assert fits(column, kind) == wanted
