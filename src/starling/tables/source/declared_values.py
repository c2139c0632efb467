"""What fields of declared columns say: the number of a value in its public domain, by one rule for text and for typed columns.

Every field follows the rule by itself, so that none can stop a run or change how another is read:

- Blanks, tabs and a quote around text are passed over; what then is empty is missing.
- A code is the same text as one of the domain; an integer counts as its digits, without a sign where it is positive, and of a type of
  booleans true and false as the first code of true, True, TRUE and 1, or of false, False, FALSE and 0.
- A whole number is its digits, perhaps with a sign before and a point and zeros after them, or a number of the same value. NaN is missing.
- A time is as in ISO 8601, or of a type of times; without a zone it is of UTC.
- Text may write numbers and times as `[format]` of the plan states, and then only so.

Whatever else a field says is outside the domain.

Numbers of which sums and quantiles are made may have an exponent, too. They are read in double precision, multiplied by their public
places, rounded to the nearest whole unit, halves to the even one, and clamped to the public bounds of their column. So a record's part in
a sum is bounded whatever it says.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.booleans import names_truth, spelled
from starling.engine.delimited import labels, plain
from starling.engine.plain_text import NAN, plain_numbers, times_of
from starling.engine.times import periods_of_times
from starling.tables.plan.columns import Codes, Column, Decimals, Domain, Integers, Periods, in_units, places_of
from starling.tables.source.lookup import Int32, Int64
from starling.tables.source.value_sets import gather
from starling.text_format import PLAIN, TextFormat

MISSING: Final = -1
"""Stands for a field that says nothing."""
OUTSIDE: Final = -2
"""Stands for a field that says something which is not in the domain."""

Read: TypeAlias = Callable[[pa.Array], Int32]
"""Gives the number of the value of each field, MISSING or OUTSIDE."""

NONE: Final = -1
"""Stands for a field without a number."""

_WHOLE: Final = r"^[+-]?[0-9]+(\.0*)?$"
_NUMBER: Final = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def reader(domain: Domain, form: TextFormat = PLAIN) -> Read:
    """The function that finds the values of a domain in a column of any type that `fits` allows; `form` is that of text."""
    match domain:
        case Codes():
            read = partial(_codes, pa.array([code.encode() for code in domain.codes], pa.binary()))
            return lambda column: _by_text(read, spelled(column, domain.codes))
        case Integers():
            return partial(_integers, domain, form)
        case Periods():
            return partial(_periods, domain, form)
        case Decimals():
            raise TypeError("units_above reads columns of decimals")


def fits(column: Column, kind: pa.DataType) -> str:
    """What the type of a field must be instead of this one; "" where it fits."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if _is_text(kind) or pa.types.is_null(kind):
        return ""
    if column.separator:
        return "text"
    match column.domain:
        case Codes():
            if not pa.types.is_boolean(kind):
                return label_fits(kind)
            unlisted = f"{label_fits(kind)}, and the plan does not list true and false"
            return "" if names_truth(column.domain.codes) else unlisted
        case Integers() | Decimals():
            return "" if is_number(kind) else "text or a number"
        case Periods():
            return "" if pa.types.is_timestamp(kind) or pa.types.is_date(kind) else "text, a date or a time"


def label_fits(kind: pa.DataType) -> str:
    """What the type of a field of labels must be instead of this one; "" where it fits."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return "" if _is_text(kind) or pa.types.is_null(kind) or pa.types.is_integer(kind) else "text or an integer"


def is_number(kind: pa.DataType) -> bool:
    """Whether a type is one of numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_text(kind: pa.DataType) -> bool:
    return kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def _by_text(read: Callable[[pa.Array], Int32], column: pa.Array) -> Int32:
    """The number of each field, by a function of labels, which is asked once for each text that occurs."""
    coded = _coded(column)
    of_text = np.append(read(labels(coded.dictionary)), np.int32(MISSING))
    return np.asarray(of_text[_places(coded)])


def _coded(column: pa.Array) -> pa.DictionaryArray:
    if pa.types.is_null(column.type):
        column = column.cast(pa.binary())
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _places(coded: pa.DictionaryArray) -> npt.NDArray[np.integer]:
    """Where each field stands in the dictionary; one past its end for a missing field."""
    last = len(coded.dictionary)
    indices = coded.indices
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(last)
    return np.asarray(indices.to_numpy(zero_copy_only=False))


def _codes(codes: pa.Array, texts: pa.Array) -> Int32:
    numbers = pc.index_in(texts, codes, skip_nulls=True).fill_null(OUTSIDE).to_numpy(zero_copy_only=False)
    missing = texts.is_null().to_numpy(zero_copy_only=False)
    return np.where(missing, MISSING, numbers).astype(np.int32)


class ParsedNumbers(NamedTuple):
    """What fields say: float64, the number, NaN where there is none; and whether the field says nothing, or NaN."""

    numbers: npt.NDArray[np.float64]
    missing: npt.NDArray[np.bool_]


def _parsed(field: pa.Array, form: TextFormat, pattern: str) -> ParsedNumbers:
    """The numbers of a field of numbers or of labels; `pattern` is that of text which is one."""
    if is_number(field.type):
        typed, missing = field.cast(pa.float64(), safe=False), field.is_null()
    else:
        text = plain_numbers(field, form)
        missing = pc.or_kleene(text.is_null(), pc.is_in(text, NAN))
        # What matches is ASCII.
        written = pc.if_else(
            pc.match_substring_regex(text, pattern).fill_null(False), text, pa.scalar(None, pa.binary())
        )
        typed = written.cast(pa.string()).cast(pa.float64())
    numbers = typed.fill_null(np.nan).to_numpy(zero_copy_only=False)
    nothing = missing.to_numpy(zero_copy_only=False)
    return ParsedNumbers(numbers, nothing | (np.isnan(numbers) & typed.is_valid().to_numpy(zero_copy_only=False)))


def parse_units(column: Column, field: pa.Array, form: TextFormat = PLAIN) -> ParsedNumbers:
    """The numbers of a field in units of the last place of its column, rounded, before they are clamped; `form` is that of text."""
    plain_field = plain(field)
    numbers, missing = _parsed(plain_field if is_number(plain_field.type) else labels(plain_field), form, _NUMBER)
    with np.errstate(over="ignore"):
        return ParsedNumbers(np.rint(in_units(numbers, places_of(column))), missing)


def units_above(column: Column, field: pa.Array, form: TextFormat = PLAIN) -> Int64:
    """int64 (records,): how many units the number of each record lies above the least of its column; NONE where it has none."""
    low, high = bounds(column)
    units = parse_units(column, field, form).numbers
    there = ~np.isnan(units)
    clamped = np.clip(np.where(there, units, low), low, high).astype(np.int64)
    return np.where(there, clamped - low, NONE)


def bounds(column: Column) -> tuple[int, int]:
    """The least and the largest number of a column, in units of the last place."""
    assert isinstance(column.domain, Integers | Decimals)
    return column.domain.low, column.domain.high


def _integers(domain: Integers, form: TextFormat, column: pa.Array) -> Int32:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_decimal(kind):
        column = plain(column).cast(pa.string())
    elif is_number(kind):
        return _whole(domain, form, plain(column))
    return _by_text(partial(_whole, domain, form), column)


def _whole(domain: Integers, form: TextFormat, field: pa.Array) -> Int32:
    """The value of each whole number; every bound is one that double precision has."""
    number, missing = _parsed(field, form, _WHOLE)
    inside = (number >= domain.low) & (number <= domain.high) & (number == np.floor(number))
    whole = np.where(inside, number, domain.low).astype(np.int64)
    values = np.searchsorted(np.array(domain.cuts), whole, side="right") - 1 if domain.cuts else whole - domain.low
    return np.where(missing, MISSING, np.where(inside, values, OUTSIDE)).astype(np.int32)


def _periods(domain: Periods, form: TextFormat, column: pa.Array) -> Int32:
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _period(domain, plain(column))
    return _by_text(lambda texts: _period(domain, times_of(texts, form)), column)


def _period(domain: Periods, times: pa.Array) -> Int32:
    numbers = periods_of_times(times, domain.bounds)
    missing = times.is_null().to_numpy(zero_copy_only=False)
    return np.where(missing, MISSING, np.where(numbers < 0, OUTSIDE, numbers)).astype(np.int32)


def values(column: Column, read: Read, field: pa.Array) -> Int32:
    """int32 (records,): the value that each record has of a column of one; `column.outside` where it has none of the domain."""
    numbers = read(field)
    return np.where(numbers < 0, _other(column), numbers)


class RecordValues(NamedTuple):
    """What records say of a column of several values.

    Attributes:
        offsets: int64 (texts + 1,): text i gives `numbers[offsets[i]:offsets[i + 1]]`.
        numbers: int32: the number of each value, MISSING or OUTSIDE, in the order in which they are given.
        places: integers (records,): which text each record has.
    """

    offsets: Int64
    numbers: Int32
    places: npt.NDArray[np.integer]


def record_values(column: Column, read: Read, fields: list[pa.Array]) -> RecordValues:
    """The values that the fields of records give; with a separator, records of one text share it."""
    if not column.separator:
        numbers = np.stack([read(field) for field in fields], axis=1)
        return RecordValues(np.arange(len(numbers) + 1) * len(fields), numbers.ravel(), np.arange(len(numbers)))
    coded = _coded(fields[0])
    parts = pc.split_pattern(labels(coded.dictionary), column.separator.encode())
    lengths = np.append(pc.list_value_length(parts).fill_null(0).to_numpy(zero_copy_only=False), 0)
    return RecordValues(np.append(0, np.cumsum(lengths)), read(parts.flatten()), _places(coded))


def sets(column: Column, values: RecordValues, most: int) -> Int32:
    """int32 (records, most): up to `most` different values of each record, the first, ascending, and NONE where it has fewer.

    A field that says nothing gives no value; one that says anything outside the domain gives `column.outside`, or the declared other value.
    """
    numbers = np.where(values.numbers == OUTSIDE, _other(column), values.numbers)
    rows = np.full((len(values.offsets) - 1, most), NONE, dtype=np.int32)
    gather(values.offsets, numbers, rows)
    return np.asarray(rows[values.places])


def _other(column: Column) -> np.int32:
    """The number of the value that a record has which is outside the domain."""
    domain = column.domain
    if isinstance(domain, Codes) and domain.other:
        return np.int32(domain.codes.index(domain.other))
    return np.int32(column.outside)
