"""Lines of bytes to records of numbers, by one rule for every line: total, silent, and blind to all other lines.

Privacy. A record must never change how another is read. So a line is what stands between two newline bytes and nothing else:
no quoting, no escapes, no guessing of types, no state carried from line to line, no failure. Replacing one line by any bytes
without a newline replaces at most one record. Why no library reader does this: docs/decisions/0011-reading-records.md.

A line gives a record when it is at most MOST_BYTES long, has as many fields as the header, is UTF-8 without NUL or carriage return (one
before the newline aside), QSEX is 1 or 2, QAGE is one to three digits up to 115, and its block is in the plan's geography.
Otherwise it is dropped. Race codes are QRACE1..QRACE{max_race_codes} up to the first Null or empty field, each once; text that is
no code of the definitions counts as one code without iterations.
"""

from typing import Final, NamedTuple

import numpy as np

from starling.privacy.compiled import compiled
from starling.tables.source.fields import (
    BLOCK_FIELDS,
    BLOCK_WIDTHS,
    CENRACE,
    FIELDS,
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
    age_at,
    code_at,
    is_null,
    is_utf8,
    number,
    records_of,
    says_true_or_false,
)
from starling.tables.source.lookup import Int16, Int32, Int64, Lookup

MOST_BYTES: Final = 65_536
"""Longest line that is read, without its line ending; a census record has about 80 bytes."""


class Columns(NamedTuple):
    """Where each field stands in a line, counted from 0; public, from the header.

    Attributes:
        fields: How many a line has.
        age, sex, span, householder, cenrace: Positions; -1 for the last two when there is no such column.
        block: int64 (4,): state, county, tract, block.
        races: int64 (races,): QRACE1, QRACE2 ... in order, as many as the file has.
        read: How many of `races` count: the plan's max_race_codes.
    """

    fields: int
    age: int
    sex: int
    span: int
    householder: int
    cenrace: int
    block: Int64
    races: Int64
    read: int


@compiled
def _split(data: Bytes, start: int, starts: Int64) -> tuple[int, int, int]:
    """Find the end of the line at `start`, which ends at the first newline or with the data, and the beginnings of its fields.

    `starts`, int64 (fields + 1,), is overwritten: where field i begins; the last entry is one past the separator that would follow the
    last. Gives the place of the newline or the end of the data, the end of the text before an optional carriage return, and faults.
    """
    fields = len(starts) - 1
    separators, high, odd, returns = 0, np.uint8(0), False, 0
    starts[0] = start
    place = start
    while place < len(data):
        byte = data[place]
        if byte == 10:
            break
        if byte == 124:
            separators += 1
            if separators < fields:
                starts[separators] = place + 1
        elif byte == 0:
            odd = True
        elif byte == 13:
            returns += 1
        high |= byte
        place += 1
    stop = place
    if returns and data[stop - 1] == 13:
        stop -= 1
        returns -= 1
    starts[fields] = stop + 1
    if stop - start > MOST_BYTES:
        return place, stop, LONG
    faults = 0
    if odd or returns or (high >= 0x80 and not is_utf8(data, start, stop)):
        faults |= TEXT
    if separators + 1 != fields:
        faults |= FIELDS
    return place, stop, faults


@compiled
def _block(data: Bytes, starts: Int64, columns: Int64) -> tuple[int, int]:
    """The number of a record's block, as `plan.blocks.block_ids` makes it, and the faults of its fields."""
    key, faults = 0, 0
    for part in range(len(BLOCK_WIDTHS)):
        field = columns[part]
        value = number(data, starts[field], starts[field + 1] - 1, BLOCK_WIDTHS[part])
        if value < 0:
            faults |= BLOCK_FIELDS[part]
        key = key * POWERS[part] + value
    return key, faults


@compiled
def _race_codes(
    data: Bytes, starts: Int64, columns: Int64, code_of: Int16, race: Int16, line: int, whole: bool
) -> None:
    """The code of each race field into a line of `race`: up to the first empty one, or `whole`."""
    for column in range(len(columns)):
        start, stop = starts[columns[column]], starts[columns[column] + 1] - 1
        empty = is_null(data, start, stop)
        race[line, column] = NO_CODE if empty else code_at(data, start, stop, code_of)
        if empty and not whole:
            break


@compiled
def _other_faults(data: Bytes, starts: Int64, columns: Columns, book: Lookup) -> int:
    """Faults of fields that are no race codes and drop no record: QSPAN, and what a release does not read."""
    faults = 0
    if code_at(data, starts[columns.span], starts[columns.span + 1] - 1, book.code_of) == book.unknown:
        faults |= SPAN
    if (
        columns.cenrace >= 0
        and number(data, starts[columns.cenrace], starts[columns.cenrace + 1] - 1, int(np.int64(2))) < 0
    ):
        faults |= CENRACE
    if columns.householder >= 0:
        field = columns.householder
        if not says_true_or_false(data, starts[field], starts[field + 1] - 1):
            faults |= HOUSEHOLDER
    return faults


def scan(
    data: Bytes, first: int, stop: int, columns: Columns, book: Lookup, explain: bool
) -> tuple[Records, Int16, Int32]:
    """Read every line that begins in data[first:stop].

    Args:
        data: Bytes; at least MOST_BYTES + 2 beyond `stop`, or up to the end of the file.
        first: Where the first line begins.
        stop: Lines that begin here or later belong to somebody else.
        columns: Where the fields stand.
        book: What they are looked up in.
        explain: Whether every fault of every line is kept, in the order of lines; else faults are empty.

    Gives what `records_of` does.
    """
    fields, lines = _fields(data, first, stop, columns, book, explain)
    return records_of(fields, lines, min(columns.read, len(columns.races)), book, explain)


@compiled
def _fields(data: Bytes, first: int, stop: int, columns: Columns, book: Lookup, explain: bool) -> tuple[Fields, int]:
    """What the fields of the lines say, with room for more, and how many lines there are; those that give no record are left out unless
    they are explained.
    """
    most = max(stop - first, 0) // columns.fields + 1  # a line with all its fields has at least as many bytes as fields
    if explain:
        most = 1
        for at in range(first, stop):
            most += int(data[at] == 10)
    block, faults = np.empty(most, np.int64), np.empty(most, np.int32)
    age, sex, span = np.empty(most, np.int8), np.empty(most, np.int8), np.empty(most, np.int16)
    race, others = np.empty((most, len(columns.races)), np.int16), np.empty(most if explain else 0, np.int32)
    starts = np.zeros(columns.fields + 1, np.int64)
    at_age, at_sex, at_span, at_block, at_races = columns.age, columns.sex, columns.span, columns.block, columns.races
    code_of = book.code_of
    line, place = int(np.int64(0)), first
    while place < stop:
        end, text, fault = _split(data, place, starts)
        if text == place:
            fault = MALFORMED
        place = end + 1
        if fault != 0 and not explain:
            continue
        if fault == 0:
            block[line], faults[line] = _block(data, starts, at_block)
            age[line] = age_at(data, starts[at_age], starts[at_age + 1] - 1)
            sex[line] = number(data, starts[at_sex], starts[at_sex + 1] - 1, int(np.int64(1)))
            span[line] = code_at(data, starts[at_span], starts[at_span + 1] - 1, code_of)
            _race_codes(data, starts, at_races, code_of, race, line, explain)
            if explain:
                others[line] = _other_faults(data, starts, columns, book)
        else:
            faults[line] = fault | MALFORMED
        line += 1
    return Fields(block, faults, age, sex, span, race, others), line
