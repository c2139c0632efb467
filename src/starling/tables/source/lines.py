"""Lines of bytes to records of numbers, by one rule for every line: total, silent, and blind to all other lines.

Privacy. A record must never change how another is read. So a line is what stands between two newline bytes and nothing else:
no quoting, no escapes, no guessing of types, no state carried from line to line, no failure. Replacing one line by any bytes
without a newline replaces at most one record. Why no library reader does this: docs/decisions/reading-records.md.

A line gives a record when it is at most MOST_BYTES long, has as many fields as the header, is UTF-8 without NUL or carriage return (one
before the newline aside), QSEX is 1 or 2, QAGE is one to three digits up to 115, and its block is in the plan's geography.
Otherwise it is dropped. Race codes are QRACE1..QRACE{max_race_codes} up to the first Null or empty field, each once; text that is
no code of the definitions counts as one code without iterations.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled
from starling.tables.plan.cells import TOP_AGE
from starling.tables.plan.codebook import MOST_RACE_CODES
from starling.tables.plan.geography import BLOCK_COLUMNS, WIDTHS
from starling.tables.source.faults import (
    AGE,
    BLOCK,
    BLOCK_FIELDS,
    CENRACE,
    FIELDS,
    HOUSEHOLDER,
    IGNORED_CODES,
    LONG,
    NO_RACE,
    OUTSIDE,
    RACES,
    SEX,
    SPAN,
    TEXT,
    TOO_MANY_CODES,
)
from starling.tables.source.lookup import Int16, Int32, Int64, Lookup, find_block

MOST_BYTES: Final = 65_536
"""Longest line that is read, without its line ending; a census record has about 80 bytes."""

_DIGITS: Final = tuple(WIDTHS[name] for name in BLOCK_COLUMNS)
"""Of state, county, tract and block; their numbers are put together as `plan.blocks.block_ids` does."""
_POWERS: Final = tuple(10**width for width in _DIGITS)
_STATE: Final = 10 ** sum(_DIGITS[1:])

Bytes = npt.NDArray[np.uint8]


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


class Records(NamedTuple):
    """Records as columns of the same length.

    Attributes:
        unit: int32, finest geographic unit.
        races: int32, number of the set of race codes: 0 empty, `code + 1` one code, `-1 - j` the set in row j of `several`.
        qspan: int16, index of the ethnicity code; `unknown` for what is no code.
        sex: int8, 1 or 2.
        age: int8, 0 to 115.
    """

    unit: Int32
    races: Int32
    qspan: Int16
    sex: npt.NDArray[np.int8]
    age: npt.NDArray[np.int8]


@compiled
def number(data: Bytes, start: int, stop: int, width: int) -> int:
    """The number that exactly `width` digits write, else -1."""
    if stop - start != width:
        return -1
    value = 0
    for place in range(start, stop):
        digit = int(np.int64(data[place])) - 48
        if digit < 0 or digit > 9:
            return -1
        value = value * 10 + digit
    return value


@compiled
def _is_null(data: Bytes, start: int, stop: int) -> bool:
    """Whether a field is empty or says Null."""
    if stop == start:
        return True
    return (
        stop - start == 4
        and data[start] == 78
        and data[start + 1] == 117
        and data[start + 2] == 108
        and data[start + 3] == 108
    )


@compiled
def _code(data: Bytes, start: int, stop: int, code_of: Int16) -> int:
    """Index of the code that a field writes; no code is 0000, so entry 0 of `code_of` serves all that is no code."""
    return int(np.int64(code_of[max(number(data, start, stop, 4), 0)]))


@compiled
def _age(data: Bytes, start: int, stop: int) -> int:
    """Years, or -1."""
    width = stop - start
    if width < 1 or width > 3:
        return -1
    years = number(data, start, stop, width)
    return years if years <= TOP_AGE else -1


@compiled
def is_utf8(data: Bytes, start: int, stop: int) -> bool:
    """Whether the bytes are well-formed UTF-8 (Unicode 16, table 3-7): no overlong forms, surrogates or values above U+10FFFF."""
    place = start
    while place < stop:
        lead = data[place]
        place += 1
        if lead < 0x80:
            continue
        low, high = 0x80, 0xBF
        if 0xC2 <= lead <= 0xDF:
            more = 1
        elif 0xE0 <= lead <= 0xEF:
            more = 2
            low = 0xA0 if lead == 0xE0 else low
            high = 0x9F if lead == 0xED else high
        elif 0xF0 <= lead <= 0xF4:
            more = 3
            low = 0x90 if lead == 0xF0 else low
            high = 0x8F if lead == 0xF4 else high
        else:
            return False
        if stop - place < more or data[place] < low or data[place] > high:
            return False
        for following in range(place + 1, place + more):
            if data[following] < 0x80 or data[following] > 0xBF:
                return False
        place += more
    return True


@compiled
def _split(data: Bytes, start: int, starts: Int64) -> tuple[int, int, int]:
    """Find the end of the line at `start` and the beginnings of its fields.

    Args:
        data: Bytes; the line ends at the first newline or with the data.
        start: First byte of the line.
        starts: int64 (fields + 1,), overwritten: where field i begins; the last entry is one past the separator that would follow the last.

    Returns:
        Position of the newline (or the end of the data), end of the text before an optional carriage return, and faults.
    """
    fields = len(starts) - 1
    found, high, odd, returns = 0, np.uint8(0), False, 0
    starts[0] = start
    place = start
    while place < len(data):
        byte = data[place]
        if byte == 10:
            break
        if byte == 124:
            found += 1
            if found < fields:
                starts[found] = place + 1
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
    if found + 1 != fields:
        faults |= FIELDS
    return place, stop, faults


# The kernels below take arrays one by one: a tuple of arrays counts references at every call, which tripled the time of a scan.


@compiled
def _races(data: Bytes, starts: Int64, columns: Int64, code_of: Int16, codes: Int16) -> int:
    """The distinct race codes of a record, ascending, into `codes`; gives how many."""
    count = 0
    for field in columns:
        start, stop = starts[field], starts[field + 1] - 1
        if _is_null(data, start, stop):
            break
        code = _code(data, start, stop, code_of)
        place = count
        while place > 0 and codes[place - 1] > code:
            place -= 1
        if place > 0 and codes[place - 1] == code:
            continue
        for above in range(count, place, -1):
            codes[above] = codes[above - 1]
        codes[place] = code
        count += 1
    return count


@compiled
def _block(data: Bytes, starts: Int64, columns: Int64) -> tuple[int, int]:
    """The number of a record's block, as `plan.blocks.block_ids` makes it, and the faults of its fields."""
    key, faults = 0, 0
    for part in range(len(_DIGITS)):
        field = columns[part]
        value = number(data, starts[field], starts[field + 1] - 1, _DIGITS[part])
        if value < 0:
            faults |= BLOCK_FIELDS[part]
        key = key * _POWERS[part] + value
    return key, faults


@compiled
def _other_faults(data: Bytes, starts: Int64, columns: Columns, book: Lookup) -> int:
    """Faults of fields that do not drop a record: race codes, QSPAN, and what a release does not read."""
    faults, ended = 0, False
    for column in range(len(columns.races)):
        field = columns.races[column]
        start, stop = starts[field], starts[field + 1] - 1
        if _is_null(data, start, stop):
            ended = True
            if column == 0:
                faults |= NO_RACE
        elif ended:
            faults |= IGNORED_CODES
        elif column >= columns.read:
            faults |= TOO_MANY_CODES
        elif _code(data, start, stop, book.code_of) == book.unknown:
            faults |= RACES << column
    if _code(data, starts[columns.span], starts[columns.span + 1] - 1, book.code_of) == book.unknown:
        faults |= SPAN
    if columns.cenrace >= 0 and number(data, starts[columns.cenrace], starts[columns.cenrace + 1] - 1, 2) < 0:
        faults |= CENRACE
    if columns.householder >= 0:
        start, stop = starts[columns.householder], starts[columns.householder + 1] - 1
        word = 0
        for place in range(start, min(stop, start + 6)):
            word = word << 8 | int(np.int64(data[place]))
        if word not in (0x54727565, 0x46616C7365):  # True, False
            faults |= HOUSEHOLDER
    return faults


@compiled
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

    Returns:
        The records that are not dropped, in order; their sets of two or more race codes, int16 (sets, 8), ascending, the rest -1;
        faults of each line, int32 (lines,).
    """
    most = max(stop - first, 0) // columns.fields + 1  # a line with all its fields has at least as many bytes as fields
    unit, races, qspan = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int16)
    sex, age = np.empty(most, np.int8), np.empty(most, np.int8)
    several = np.empty((most, MOST_RACE_CODES), np.int16)
    faults = np.empty(max(stop - first, 0) if explain else 0, np.int32)
    starts = np.zeros(columns.fields + 1, np.int64)
    codes = np.zeros(MOST_RACE_CODES, np.int16)
    race_columns = columns.races[: columns.read]
    at_age, at_sex, at_span, at_block = columns.age, columns.sex, columns.span, columns.block
    code_of, states, blocks, units, slots = book.code_of, book.states, book.blocks, book.units, book.slots
    records, sets, lines, place = 0, 0, 0, first
    while place < stop:
        end, text, fault = _split(data, place, starts)
        blank = text == place
        place = end + 1
        if fault == 0 and not blank:
            block, fault = _block(data, starts, at_block)
            where = -1
            if fault == 0 and not states[block // _STATE]:
                fault = OUTSIDE
            elif fault == 0:
                where = find_block(block, blocks, slots)
                fault = 0 if where >= 0 else BLOCK
            years = _age(data, starts[at_age], starts[at_age + 1] - 1)
            if years < 0:
                fault |= AGE
            which = number(data, starts[at_sex], starts[at_sex + 1] - 1, 1)
            if which != 1 and which != 2:  # noqa: PLR1714 - a tuple here costs a search
                fault |= SEX
            if fault == 0:
                unit[records], sex[records], age[records] = units[where], which, years
                qspan[records] = _code(data, starts[at_span], starts[at_span + 1] - 1, code_of)
                count = _races(data, starts, race_columns, code_of, codes)
                if count > 1:
                    races[records] = -1 - sets
                    for column in range(MOST_RACE_CODES):
                        several[sets, column] = codes[column] if column < count else -1
                    sets += 1
                else:
                    races[records] = codes[0] + 1 if count else 0
                records += 1
            if explain:
                fault |= _other_faults(data, starts, columns, book)
        if explain:
            faults[lines] = 0 if blank else fault
        lines += 1
    kept = Records(unit[:records], races[:records], qspan[:records], sex[:records], age[:records])
    return kept, several[:sets], faults[: lines if explain else 0]
