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
from starling.tables.plan.sex_by_age import TOP_AGE
from starling.tables.source.fields import (
    BLOCK_FIELDS,
    BLOCK_WIDTHS,
    CENRACE,
    HOUSEHOLDER,
    LONG,
    MALFORMED,
    NO_CODE,
    POWERS,
    SPAN,
    TEXT,
    Bytes,
    Fields,
    Records,
    is_null,
    is_utf8,
    number,
    records_of,
    says_true_or_false,
)
from starling.tables.source.lines import MOST_BYTES, Columns
from starling.tables.source.lookup import Int16, Int32, Int64, Lookup

_MOST_DIGITS = 9
Flags = npt.NDArray[np.bool_]


class _Field(NamedTuple):
    """A column by its different texts, and what each of them says; all but `which` are of shape (texts,).

    Attributes:
        which: int32 (rows,), the text of each row.
        lengths: int64, bytes.
        numbers: int32, the number that up to nine digits write, else -1.
        odd: Whether it holds a NUL, what would end a field or a line early, or no UTF-8.
    """

    which: Int32
    lengths: Int64
    numbers: Int32
    odd: Flags
    null: Flags
    boolean: Flags

    def number(self, width: int) -> Int32:
        """The number that exactly `width` digits of each text write, else -1."""
        return np.where(self.lengths == width, self.numbers, np.int32(-1))

    def code(self, code_of: Int16) -> Int16:
        """The index of the code that each text writes; no code is 0000, so entry 0 of `code_of` serves all that is no code."""
        return code_of[np.maximum(self.number(4), 0)]


def scan_batch(batch: pa.RecordBatch, columns: Columns, book: Lookup, explain: bool) -> tuple[Records, Int16, Int32]:
    """Read every row of a batch of strings; what comes back is as from `lines.scan`, a line for each row."""
    fields = [_field(column) for column in batch.columns]
    rows = batch.num_rows
    block, of_block = np.zeros(rows, np.int64), np.zeros(rows, np.int32)
    for column, width, power, fault in zip(columns.block, BLOCK_WIDTHS, POWERS, BLOCK_FIELDS, strict=True):
        value, which = fields[column].number(width), fields[column].which
        block = block * power + value[which]
        of_block |= np.where(value < 0, np.int32(fault), np.int32(0))[which]
    races = np.full((rows, len(columns.races)), NO_CODE, np.int16)
    for place, column in enumerate(columns.races):
        field = fields[column]
        races[:, place] = np.where(field.null, NO_CODE, field.code(book.code_of))[field.which]
    age, sex, span = fields[columns.age], fields[columns.sex], fields[columns.span]
    ages = np.where((age.lengths <= 3) & (age.numbers <= TOP_AGE), age.numbers, np.int32(-1)).astype(np.int8)[age.which]
    spans = span.code(book.code_of)[span.which]
    others = np.zeros(rows if explain else 0, np.int32)
    if explain:
        others[spans == book.unknown] |= SPAN
        if columns.cenrace >= 0:
            others[(fields[columns.cenrace].number(2) < 0)[fields[columns.cenrace].which]] |= CENRACE
        if columns.householder >= 0:
            others[~fields[columns.householder].boolean[fields[columns.householder].which]] |= HOUSEHOLDER
    sexes = sex.number(1).astype(np.int8)[sex.which]
    malformed = _malformed(fields, rows)
    of_rows = Fields(block, np.where(malformed, malformed, of_block), ages, sexes, spans, races, others)
    return records_of(of_rows, rows, min(columns.read, len(columns.races)), book, explain)


def _field(column: pa.Array) -> _Field:
    """A column of strings; a missing value says Null."""
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    texts = pc.fill_null(coded.dictionary.cast(pa.large_string()), NULL)
    which = pc.fill_null(coded.indices.cast(pa.int32()), len(texts))
    texts = pa.concat_arrays([texts, pa.array([NULL], pa.large_string())])
    _, bounds, data = texts.buffers()
    starts = np.frombuffer(bounds, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    numbers, flags = np.empty(len(texts), np.int32), np.zeros((3, len(texts)), np.bool_)
    _read(starts, np.frombuffer(data, dtype=np.uint8), numbers, flags)
    return _Field(which.to_numpy(zero_copy_only=False), np.diff(starts), numbers, *flags)


def _malformed(fields: list[_Field], rows: int) -> Int32:
    """Faults of rows that no line can hold, int32 (rows,)."""
    faults = np.zeros(rows, np.int32)
    if sum(int(each.lengths.max()) + 1 for each in fields) > MOST_BYTES:
        whole = sum(each.lengths[each.which] + 1 for each in fields) - 1
        faults[whole > MOST_BYTES] = LONG | MALFORMED
    for field in fields:
        if field.odd.any():
            faults[field.odd[field.which]] |= TEXT | MALFORMED
    return faults


@compiled
def _read(bounds: Int64, text: Bytes, numbers: Int32, flags: Flags) -> None:
    """What each text says into `numbers`, and into `flags`, (3, texts), whether it is odd, Null, and True or False."""
    for one in range(len(numbers)):
        start, stop = bounds[one], bounds[one + 1]
        high = np.uint8(0)
        for place in range(start, stop):
            byte = text[place]
            high |= byte
            if byte == 0 or byte == 10 or byte == 13 or byte == 124:  # noqa: PLR1714 - a tuple here costs a search
                flags[0, one] = True
        if high >= 0x80 and not is_utf8(text, start, stop):
            flags[0, one] = True
        numbers[one] = number(text, start, stop, stop - start) if 0 < stop - start <= _MOST_DIGITS else -1
        flags[1, one], flags[2, one] = is_null(text, start, stop), says_true_or_false(text, start, stop)
