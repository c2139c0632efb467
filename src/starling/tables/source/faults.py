"""What can be wrong with a record, as bits, and how each is described to the custodian: field, problem and fix, never the value."""

from typing import Final, NamedTuple

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


class Fault(NamedTuple):
    """How a fault is described.

    Attributes:
        bit: The bit that stands for it.
        field: Column, or "line".
        problem: The condition that failed.
        fix: One thing to do.
    """

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
