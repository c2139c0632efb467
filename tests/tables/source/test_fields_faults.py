"""Every fault has one bit and one way to be told."""

from starling.tables.source import fields
from starling.tables.source.lines import MOST_BYTES


def test_bits_are_distinct_and_each_is_told() -> None:
    report = [fault.bit for fault in (*fields.PROBLEMS, *fields.NOTES)]
    assert len(set(report)) == len(report)
    assert all(bit.bit_count() == 1 and bit < 2**31 for bit in report)
    others = {"MALFORMED", "MOST_RACE_CODES", "NO_CODE", "TOP_AGE", "_STATE"}
    named = {
        value
        for name, value in vars(fields).items()
        if name.isupper() and isinstance(value, int) and name not in others
    }
    assert named | set(fields.BLOCK_FIELDS) <= set(report)
    assert {fields.RACES << column for column in range(8)} <= set(report)


def test_the_longest_line_is_the_one_that_is_read() -> None:
    (long,) = (fault for fault in fields.PROBLEMS if fault.bit == fields.LONG)
    assert long.problem == f"is longer than {MOST_BYTES} bytes"
