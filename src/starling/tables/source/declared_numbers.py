"""What fields of columns of numbers say, of which sums and quantiles are made: one rule for text and for typed columns.

A number is read in double precision, multiplied by its public places, rounded to the nearest whole unit, halves to the even one, and
clamped to the public bounds of its column. Text is a number where it is digits, perhaps with a sign, a point and an exponent, or
as `[format]` of the plan states; blanks, tabs and a quote around it are passed over. NaN, and whatever else is no number, is none. So no
field can stop a run, and a record's part in a sum is bounded whatever it says.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.delimited import labels, plain
from starling.engine.plain_text import NAN, plain_numbers
from starling.tables.plan.columns import Column, Decimals, Integers, in_units, places_of
from starling.tables.source.declared_values import is_number
from starling.tables.source.lookup import Int64
from starling.text_format import PLAIN, TextFormat

NONE: Final = -1
"""Stands for a field without a number."""
_NUMBER: Final = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


class ParsedNumbers(NamedTuple):
    """What fields say: float64, the number in units of its last place, rounded, before it is clamped, NaN where there is none; and whether
    the field says nothing, or NaN.
    """

    units: npt.NDArray[np.float64]
    missing: npt.NDArray[np.bool_]


def units_above(column: Column, field: pa.Array, form: TextFormat = PLAIN) -> Int64:
    """int64 (records,): how many units the number of each record lies above the least of its column; NONE where it has none."""
    low, high = bounds(column)
    units = parse_numbers(column, field, form).units
    there = ~np.isnan(units)
    clamped = np.clip(np.where(there, units, low), low, high).astype(np.int64)
    return np.where(there, clamped - low, NONE)


def parse_numbers(column: Column, field: pa.Array, form: TextFormat = PLAIN) -> ParsedNumbers:
    """The numbers of a field, as they are written but for rounding; `form` is that of text."""
    plain_field = plain(field)
    if is_number(plain_field.type):
        typed, missing = plain_field.cast(pa.float64(), safe=False), plain_field.is_null()
    else:
        text = plain_numbers(labels(plain_field), form)
        missing = pc.or_kleene(text.is_null(), pc.is_in(text, NAN))
        # What matches is ASCII.
        written = pc.if_else(
            pc.match_substring_regex(text, _NUMBER).fill_null(False), text, pa.scalar(None, pa.binary())
        )
        typed = written.cast(pa.string()).cast(pa.float64())
    values = typed.fill_null(np.nan).to_numpy(zero_copy_only=False)
    nothing = missing.to_numpy(zero_copy_only=False)
    nothing = nothing | (np.isnan(values) & typed.is_valid().to_numpy(zero_copy_only=False))
    with np.errstate(over="ignore"):
        return ParsedNumbers(np.rint(in_units(values, places_of(column))), nothing)


def bounds(column: Column) -> tuple[int, int]:
    """The least and the largest number of a column, in units of the last place."""
    assert isinstance(column.domain, Integers | Decimals)
    return column.domain.low, column.domain.high
