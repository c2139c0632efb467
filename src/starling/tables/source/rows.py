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
from starling.tables.plan.codebook import MOST_RACE_CODES
from starling.tables.source.fields import (
    BLOCK_FIELDS,
    BLOCK_WIDTHS,
    CENRACE,
    HOUSEHOLDER,
    LONG,
    NO_CODE,
    OUTSIDE,
    POWERS,
    SPAN,
    TEXT,
    Bytes,
    Records,
    age_at,
    code_at,
    is_null,
    is_utf8,
    number,
    race_faults,
    race_set,
    says_true_or_false,
    state_of,
    why_dropped,
)
from starling.tables.source.lines import MOST_BYTES, Columns
from starling.tables.source.lookup import Int16, Int32, Int64, Lookup, find_block


class _Field(NamedTuple):
    """A column as a dictionary: row i has the text `text[bounds[which[i]]:bounds[which[i] + 1]]`; bounds are (texts + 1,)."""

    which: Int32
    bounds: Int64
    text: Bytes


def scan_batch(batch: pa.RecordBatch, columns: Columns, book: Lookup, explain: bool) -> tuple[Records, Int16, Int32]:
    """Read every row of a batch of strings; what comes back is as from `lines.scan`, a line for each row."""
    fields = [_field(column) for column in batch.columns]
    rows = batch.num_rows
    faults = _malformed(fields, rows)
    blocks = np.empty((len(BLOCK_WIDTHS), rows), np.int32)
    for part, (column, width) in enumerate(zip(columns.block, BLOCK_WIDTHS, strict=True)):
        field = fields[column]
        blocks[part] = _numbers(field.bounds, field.text, width)[field.which]
    races = np.full((rows, len(columns.races)), NO_CODE, np.int16)
    for place, column in enumerate(columns.races):
        field = fields[column]
        races[:, place] = _race_codes(field.bounds, field.text, book.code_of)[field.which]
    age, sex, span = fields[columns.age], fields[columns.sex], fields[columns.span]
    spans = _codes(span.bounds, span.text, book.code_of)[span.which]
    others = _other_faults(fields, columns, spans, book) if explain else np.zeros(0, np.int32)
    return _scan(
        faults,
        blocks,
        _ages(age.bounds, age.text)[age.which],
        _numbers(sex.bounds, sex.text, 1)[sex.which],
        spans,
        races,
        others,
        min(columns.read, len(columns.races)),
        book,
    )


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


@compiled
def _scan(
    malformed: Int32,
    block: Int32,
    age: Int32,
    sex: Int32,
    span: Int16,
    race: Int16,
    others: Int32,
    read: int,
    book: Lookup,
) -> tuple[Records, Int16, Int32]:
    """What `lines.scan` gives, of rows whose fields were read: block is (4, rows), race (rows, race columns), all else (rows,).

    A number below 0 is what is no block, age or sex; `others` is empty where faults are not explained.
    """
    rows = len(malformed)
    explain = len(others) > 0
    unit, races, qspan = np.empty(rows, np.int32), np.empty(rows, np.int32), np.empty(rows, np.int16)
    sexes, ages = np.empty(rows, np.int8), np.empty(rows, np.int8)
    several = np.empty((rows, MOST_RACE_CODES), np.int16)
    faults = np.empty(len(others), np.int32)
    states, blocks, units, slots = book.states, book.blocks, book.units, book.slots
    keys, where = np.zeros(rows, np.int64), np.empty(rows, np.int64)
    written = malformed.copy()
    for row in range(rows):
        for part in range(len(BLOCK_WIDTHS)):
            value = block[part, row]
            if value < 0:
                written[row] |= BLOCK_FIELDS[part]
            keys[row] = keys[row] * POWERS[part] + value
    # By itself, so that the processor waits for the memory of many rows at once.
    for row in range(rows):
        if written[row] == 0 and not states[state_of(keys[row])]:
            written[row] = OUTSIDE
        where[row] = find_block(keys[row], blocks, slots) if written[row] == 0 else -1
    records, sets = 0, 0
    for row in range(rows):
        fault = int(np.int64(malformed[row]))
        if fault == 0:
            fault = why_dropped(int(np.int64(written[row])), where[row], age[row], sex[row])
            if fault == 0:
                unit[records], sexes[records], ages[records] = units[where[row]], sex[row], age[row]
                qspan[records] = span[row]
                races[records] = race_set(race[row], read, several[sets])
                if races[records] < 0:
                    races[records] -= sets
                    sets += 1
                records += 1
            if explain:
                fault |= race_faults(race[row], read, book.unknown) | others[row]
        if explain:
            faults[row] = fault
    records_read = Records(unit[:records], races[:records], qspan[:records], sexes[:records], ages[:records])
    return records_read, several[:sets], faults
