"""Rows of Parquet to records: each distinct text of a column is read once, and rows say which text they have.

A row gives the record that the line of its fields would give (lines.py). A field that holds what ends a field or a line, or is
no UTF-8, drops its row and nothing else.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.planfile.pipe_separated import NULL
from starling.privacy.compiled import compiled
from starling.tables.source.fields import (
    BLOCK_FIELDS,
    BLOCK_WIDTHS,
    CENRACE,
    HOUSEHOLDER,
    LONG,
    NO_CODE,
    POWERS,
    SPAN,
    TEXT,
    Bytes,
    Fields,
    Records,
    age_at,
    code_at,
    is_null,
    is_utf8,
    number,
    records_of,
    says_true_or_false,
)
from starling.tables.source.lines import MOST_BYTES, Columns
from starling.tables.source.lookup import Int16, Int32, Int64, Lookup


class _Field(NamedTuple):
    """A column as a dictionary: row i has the text `text[bounds[which[i]]:bounds[which[i] + 1]]`; bounds are (texts + 1,)."""

    which: Int32
    bounds: Int64
    text: Bytes


def scan_batch(batch: pa.RecordBatch, columns: Columns, book: Lookup, explain: bool) -> tuple[Records, Int16, Int32]:
    """Read every row of a batch of strings; what comes back is as from `lines.scan`, a line for each row."""
    fields = [_field(column) for column in batch.columns]
    rows = batch.num_rows
    malformed = _malformed(fields, rows)
    block, of_block = np.zeros(rows, np.int64), malformed.copy()
    for column, width, power, fault in zip(columns.block, BLOCK_WIDTHS, POWERS, BLOCK_FIELDS, strict=True):
        value = _numbers(fields[column].bounds, fields[column].text, width)
        which = fields[column].which
        block = block * power + value[which]
        of_block |= np.where(value < 0, np.int32(fault), np.int32(0))[which]
    races = np.full((rows, len(columns.races)), NO_CODE, np.int16)
    for place, column in enumerate(columns.races):
        field = fields[column]
        races[:, place] = _race_codes(field.bounds, field.text, book.code_of)[field.which]
    age, sex, span = fields[columns.age], fields[columns.sex], fields[columns.span]
    spans = _codes(span.bounds, span.text, book.code_of)[span.which]
    others = _other_faults(fields, columns, spans, book) if explain else np.zeros(0, np.int32)
    ages, sexes = _ages(age.bounds, age.text)[age.which], _numbers(sex.bounds, sex.text, 1)[sex.which]
    of_rows = Fields(malformed, block, of_block, ages, sexes, spans, races, others)
    return records_of(of_rows, min(columns.read, len(columns.races)), book)


def _field(column: pa.Array) -> _Field:
    """A column of strings; a missing value says Null."""
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    texts = pc.fill_null(coded.dictionary.cast(pa.large_string()), NULL)
    which = pc.fill_null(coded.indices.cast(pa.int32()), len(texts))
    texts = pa.concat_arrays([texts, pa.array([NULL], pa.large_string())])
    _, bounds, data = texts.buffers()
    return _Field(
        which.to_numpy(zero_copy_only=False),
        np.frombuffer(bounds, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1],
        np.frombuffer(data, dtype=np.uint8),
    )


def _malformed(fields: list[_Field], rows: int) -> Int32:
    """Faults of rows that no line can hold, int32 (rows,)."""
    faults = np.zeros(rows, np.int32)
    lengths = [np.diff(field.bounds) for field in fields]
    if sum(int(each.max()) + 1 for each in lengths) > MOST_BYTES:
        whole = sum(each[field.which] + 1 for each, field in zip(lengths, fields, strict=True)) - 1
        faults[whole > MOST_BYTES] = LONG
    for field in fields:
        odd = _odd(field.bounds, field.text)
        if odd.any():
            faults[odd[field.which]] |= TEXT
    return faults


def _other_faults(fields: list[_Field], columns: Columns, spans: Int16, book: Lookup) -> Int32:
    """Faults that drop no record and are not of race codes, int32 (rows,)."""
    faults = np.where(spans == book.unknown, np.int32(SPAN), np.int32(0))
    if columns.cenrace >= 0:
        field = fields[columns.cenrace]
        faults[(_numbers(field.bounds, field.text, 2) < 0)[field.which]] |= CENRACE
    if columns.householder >= 0:
        field = fields[columns.householder]
        faults[~_true_or_false(field.bounds, field.text)[field.which]] |= HOUSEHOLDER
    return faults


@compiled
def _odd(bounds: Int64, text: Bytes) -> npt.NDArray[np.bool_]:
    """Whether each text holds a NUL, what would end a field or a line early, or no UTF-8."""
    odd = np.zeros(len(bounds) - 1, np.bool_)
    for one in range(len(odd)):
        high = np.uint8(0)
        for place in range(bounds[one], bounds[one + 1]):
            byte = text[place]
            high |= byte
            if byte == 0 or byte == 10 or byte == 13 or byte == 124:  # noqa: PLR1714 - a tuple here costs a search
                odd[one] = True
        if high >= 0x80 and not is_utf8(text, bounds[one], bounds[one + 1]):
            odd[one] = True
    return odd


@compiled
def _numbers(bounds: Int64, text: Bytes, width: int) -> Int32:
    """The number that exactly `width` digits of each text write, else -1."""
    numbers = np.empty(len(bounds) - 1, np.int32)
    for one in range(len(numbers)):
        numbers[one] = number(text, bounds[one], bounds[one + 1], width)
    return numbers


@compiled
def _ages(bounds: Int64, text: Bytes) -> Int32:
    """The years that each text writes, else -1."""
    ages = np.empty(len(bounds) - 1, np.int32)
    for one in range(len(ages)):
        ages[one] = age_at(text, bounds[one], bounds[one + 1])
    return ages


@compiled
def _codes(bounds: Int64, text: Bytes, code_of: Int16) -> Int16:
    """The index of the code that each text writes."""
    codes = np.empty(len(bounds) - 1, np.int16)
    for one in range(len(codes)):
        codes[one] = code_at(text, bounds[one], bounds[one + 1], code_of)
    return codes


@compiled
def _race_codes(bounds: Int64, text: Bytes, code_of: Int16) -> Int16:
    """The index of the code that each text writes; NO_CODE where it is empty or says Null."""
    codes = _codes(bounds, text, code_of)
    for one in range(len(codes)):
        if is_null(text, bounds[one], bounds[one + 1]):
            codes[one] = NO_CODE
    return codes


@compiled
def _true_or_false(bounds: Int64, text: Bytes) -> npt.NDArray[np.bool_]:
    """Whether each text says True or False."""
    flags = np.empty(len(bounds) - 1, np.bool_)
    for one in range(len(flags)):
        flags[one] = says_true_or_false(text, bounds[one], bounds[one + 1])
    return flags
