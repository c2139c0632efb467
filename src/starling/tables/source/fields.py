"""What the fields of a record say, and which record they make: one rule for lines of text and for rows of Parquet.

A field is some bytes. Nothing here fails, and nothing knows of another record than the one it is asked about. What is wrong with a record
is told as bits, which PROBLEMS and NOTES describe to the custodian: by field, problem and fix, never by the value.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled
from starling.tables.plan.blocks import BLOCK_COLUMNS, WIDTHS
from starling.tables.plan.iterations import MOST_RACE_CODES
from starling.tables.plan.sex_by_age import TOP_AGE
from starling.tables.source.lookup import Int16, Int32, Int64, Lookup, find_block
from starling.tables.source.value_sets import insert, set_of

FIELDS: Final = 1 << 0
TEXT: Final = 1 << 1
LONG: Final = 1 << 2
AGE: Final = 1 << 3
SEX: Final = 1 << 4
BLOCK_FIELDS: Final = (1 << 5, 1 << 6, 1 << 7, 1 << 8)
"""State, county, tract, block."""
BLOCK: Final = 1 << 9
NO_RACE: Final = 1 << 10
RACES: Final = 1 << 11
"""QRACE1; the next seven bits are QRACE2 to QRACE8."""
SPAN: Final = 1 << 19
TOO_MANY_CODES: Final = 1 << 20
HOUSEHOLDER: Final = 1 << 21
CENRACE: Final = 1 << 22
OUTSIDE: Final = 1 << 23
IGNORED_CODES: Final = 1 << 24
MALFORMED: Final = 1 << 25
"""Beside the faults for which nothing else of a line is looked at; alone for an empty line, which gives no record."""


class Fault(NamedTuple):
    """How a fault is described: the bit that stands for it, its column or "line", the condition that failed, and one thing to do."""

    bit: int
    field: str
    problem: str
    fix: str


_DROPPED = "the record is not counted until then"
_UNKNOWN = "use a code of the definitions; until then it counts as a code without iterations"

PROBLEMS: Final = (
    Fault(FIELDS, "line", "does not have as many fields as the header", "write every field, Null where there is none"),
    Fault(
        TEXT, "line", "is not UTF-8, or holds a NUL or a stray carriage return", "write the line again as plain text"
    ),
    Fault(LONG, "line", "is longer than 65536 bytes", "write the line again"),
    Fault(AGE, "QAGE", "is not a whole number from 0 to 115 in one to three digits", f"correct it; {_DROPPED}"),
    Fault(SEX, "QSEX", "is not 1 or 2", f"correct it; {_DROPPED}"),
    Fault(BLOCK_FIELDS[0], "TABBLKST", "is not two digits", f"write the state's code; {_DROPPED}"),
    Fault(BLOCK_FIELDS[1], "TABBLKCOU", "is not three digits", f"write the county's code; {_DROPPED}"),
    Fault(BLOCK_FIELDS[2], "TABTRACTCE", "is not six digits", f"write the tract's code; {_DROPPED}"),
    Fault(BLOCK_FIELDS[3], "TABBLK", "is not four digits", f"write the block's code; {_DROPPED}"),
    Fault(BLOCK, "TABBLK", "with its tract, county and state is not in the geography", f"correct either; {_DROPPED}"),
    Fault(NO_RACE, "QRACE1", "is Null", "give at least one race code"),
    *(
        Fault(RACES << column, f"QRACE{column + 1}", "is not a code of the definitions", _UNKNOWN)
        for column in range(8)
    ),
    Fault(SPAN, "QSPAN", "is not a code of the definitions", "use a code of the definitions"),
    Fault(TOO_MANY_CODES, "QRACE", "columns hold more codes than the plan's max_race_codes", "raise max_race_codes"),
    Fault(HOUSEHOLDER, "HOUSEHOLDER", "is not True or False", "write True or False"),
    Fault(CENRACE, "CENRACE", "is not two digits", "write the two-digit race group"),
)
"""All faults, in the order in which those of a line are stated."""

NOTES: Final = (
    Fault(OUTSIDE, "TABBLKST", "is outside the states of the plan", "nothing to do: the record is not counted"),
    Fault(IGNORED_CODES, "QRACE", "columns hold codes after a Null", "nothing to do: those codes are ignored"),
)
"""Not wrong, but good to know."""


BLOCK_WIDTHS: Final = tuple(WIDTHS[name] for name in BLOCK_COLUMNS)
"""Digits of state, county, tract and block; their numbers are put together as `plan.blocks.block_ids` does."""
POWERS: Final = tuple(10**width for width in BLOCK_WIDTHS)
_STATE: Final = 10 ** sum(BLOCK_WIDTHS[1:])

NO_CODE: Final = -1
"""What stands for a race field that is empty or says Null."""

Bytes = npt.NDArray[np.uint8]


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
    """The number that exactly `width` digits write, else -1. Kernels give no constant as `width`: each would be compiled on its own."""
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
def is_null(data: Bytes, start: int, stop: int) -> bool:
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
def code_at(data: Bytes, start: int, stop: int, code_of: Int16) -> int:
    """Index of the code that a field writes; no code is 0000, so entry 0 of `code_of` serves all that is no code."""
    return int(np.int64(code_of[max(number(data, start, stop, int(np.int64(4))), 0)]))


@compiled
def age_at(data: Bytes, start: int, stop: int) -> int:
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


# The kernels below take arrays one by one: a tuple of arrays counts references at every call, which tripled the time of a scan.


@compiled
def race_set(race: Int16, row: int, read: int, several: Int16) -> int:
    """The set of race codes of a row: 0 empty, `code + 1` one code, -1 where it was written to `several`, int16 (8,), ascending, the
    rest -1. `race` has the code of each race field, NO_CODE from the first empty one on; so many of them count.
    """
    count = int(np.int64(0))
    for column in range(read):
        if race[row, column] == NO_CODE:
            break
        count = insert(several, count, race[row, column])
    return set_of(several, count)


@compiled
def race_faults(race: Int16, row: int, read: int, unknown: int) -> int:
    """Faults of race fields, which drop no record: `race` has the code of each, of which `read` count; `unknown` is no code."""
    faults, ended = 0, False
    for column in range(race.shape[1]):
        if race[row, column] == NO_CODE:
            ended = True
            if column == 0:
                faults |= NO_RACE
        elif ended:
            faults |= IGNORED_CODES
        elif column >= read:
            faults |= TOO_MANY_CODES
        elif race[row, column] == unknown:
            faults |= RACES << column
    return faults


@compiled
def says_true_or_false(data: Bytes, start: int, stop: int) -> bool:
    """Whether a field says True or False."""
    word = 0
    for place in range(start, min(stop, start + 6)):
        word = word << 8 | int(np.int64(data[place]))
    return word in (0x54727565, 0x46616C7365)


class Fields(NamedTuple):
    """What the fields of some lines or rows say, as columns of one length.

    Attributes:
        block: int64, the number of the block, as `plan.blocks.block_ids` makes it.
        faults: int32, those of the fields that write it, or of a line that is MALFORMED.
        age: int8, years, or -1.
        sex: int8, what the field says, or -1.
        span: int16, index of the ethnicity code.
        race: int16 (rows, race fields), the code of each, NO_CODE where it is empty; unless explained, up to the first such field alone.
        others: int32, faults that drop no record and are not of race fields; empty where they are not explained.
    """

    block: Int64
    faults: Int32
    age: npt.NDArray[np.int8]
    sex: npt.NDArray[np.int8]
    span: Int16
    race: Int16
    others: Int32


@compiled
def records_of(fields: Fields, rows: int, read: int, book: Lookup, explain: bool) -> tuple[Records, Int16, Int32]:
    """The records that are not dropped, in order; their sets of two or more race codes, int16 (sets, 8), ascending, the rest -1; and the
    faults of each row where they are explained, int32.

    The first `rows` are there, and `read` race fields count.
    """
    # A tuple of arrays counts references wherever it is touched.
    block, of_fields, age, sex, race = fields.block, fields.faults, fields.age, fields.sex, fields.race
    span, others = fields.span, fields.others
    states, blocks, units, slots = book.states, book.blocks, book.units, book.slots
    unit, races, qspan = np.empty(rows, np.int32), np.empty(rows, np.int32), np.empty(rows, np.int16)
    sexes, ages = np.empty(rows, np.int8), np.empty(rows, np.int8)
    several, faults = np.empty((rows, MOST_RACE_CODES), np.int16), np.empty(rows if explain else 0, np.int32)
    where = np.empty(rows, np.int64)
    # By itself, so that the processor waits for the memory of many rows at once.
    for row in range(rows):
        where[row] = -1
        if of_fields[row] == 0 and states[block[row] // _STATE]:
            where[row] = find_block(block[row], blocks, slots)
    records, sets = 0, 0
    for row in range(rows):
        fault = int(np.int64(of_fields[row]))
        if fault & MALFORMED == 0:
            if fault == 0 and where[row] < 0:
                fault = BLOCK if states[block[row] // _STATE] else OUTSIDE
            if age[row] < 0:
                fault |= AGE
            if sex[row] != 1 and sex[row] != 2:
                fault |= SEX
            if fault == 0:
                unit[records], sexes[records], ages[records] = units[where[row]], sex[row], age[row]
                qspan[records] = span[row]
                races[records] = race_set(race, row, read, several[sets])
                if races[records] < 0:
                    races[records] -= sets
                    sets += 1
                records += 1
            if explain:
                fault |= race_faults(race, row, read, book.unknown) | others[row]
        if explain:
            faults[row] = fault & ~MALFORMED
    records_read = Records(unit[:records], races[:records], qspan[:records], sexes[:records], ages[:records])
    return records_read, several[:sets], faults
