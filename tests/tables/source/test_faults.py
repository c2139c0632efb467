"""Every fault has one bit and one way to be told."""

from starling.tables.source import faults
from starling.tables.source.lines import MOST_BYTES


def test_bits_are_distinct_and_each_is_told() -> None:
    told = [fault.bit for fault in (*faults.PROBLEMS, *faults.NOTES)]
    assert len(set(told)) == len(told)
    assert all(bit.bit_count() == 1 and bit < 2**31 for bit in told)
    named = {value for name, value in vars(faults).items() if name.isupper() and isinstance(value, int)}
    assert named | set(faults.BLOCK_FIELDS) <= set(told)
    assert {faults.RACES << column for column in range(8)} <= set(told)


def test_the_longest_line_is_the_one_that_is_read() -> None:
    (long,) = (fault for fault in faults.PROBLEMS if fault.bit == faults.LONG)
    assert long.problem == f"is longer than {MOST_BYTES} bytes"
