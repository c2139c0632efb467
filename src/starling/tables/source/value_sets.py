"""Numbers of sets of values, such as race codes, so that a record carries one number for an attribute of which it has several values.

Number 0 is the empty set, `value + 1` the set of one value, and above `outside + 1` stand the others in the order of first sight. The table
is confidential: which sets occur depends on records. It lives and dies inside one count, where the sets are expanded back to their values.
"""

import numpy as np

from starling.privacy.compiled import compiled
from starling.tables.source.lookup import Int16, Int32, Int64

NONE = -1
"""What fills up the row of a set with fewer values than are read, and stands for a field that gives no value."""


class ValueSets:
    """The sets of up to `most` values of one attribute that were met; `outside`, the largest, stands for any that it does not have."""

    def __init__(self, outside: int, most: int) -> None:
        self._first = outside + 2
        self._used = 0
        self._keys = np.full((1024, most), NONE, dtype=np.int32)
        self._slots = np.full(4096, -1, dtype=np.int32)

    def number(self, sets: Int32, several: Int16 | Int32) -> None:
        """Replace, in place, each `sets[i] = -1 - j` by the number of the set `several[j]`, of ascending different values, the rest NONE;
        by one thread at a time.
        """
        needed = self._used + len(several)
        if needed > len(self._keys):
            keys = np.full((2 * needed, self._keys.shape[1]), NONE, dtype=np.int32)
            keys[: self._used] = self._keys[: self._used]
            self._keys = keys
        if 2 * needed > len(self._slots):
            self._slots = np.full(4 << needed.bit_length(), -1, dtype=np.int32)
            _enter(self._keys[: self._used], self._keys, 0, self._slots, np.empty(self._used, dtype=np.int32))
        numbers = np.empty(len(several), dtype=np.int32)
        self._used = _enter(several.astype(np.int32, copy=False), self._keys, self._used, self._slots, numbers)
        several_values = np.flatnonzero(sets < 0)
        sets[several_values] = self._first + numbers[-1 - sets[several_values]]

    def rows(self) -> tuple[Int64, Int32]:
        """All sets by number, compressed: offsets int64 (sets + 1,), and values int32, ascending within a set."""
        keys = self._keys[: self._used]
        lengths = np.concatenate(([0, 0], np.ones(self._first - 1, np.int64), np.count_nonzero(keys >= 0, axis=1)))
        singles = np.arange(self._first - 1, dtype=np.int32)
        return np.cumsum(lengths, dtype=np.int64), np.concatenate((singles, keys[keys >= 0]))


@compiled
def _start(key: Int32, slots: Int32) -> int:
    """Where the search for a set begins, in a table of a power of two slots (multiplicative hashing of value after value)."""
    mixed = np.uint64(0)
    for value in key:
        if value == NONE:
            break
        mixed = (mixed ^ np.uint64(np.int64(value) + 1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return int(np.int64(mixed & np.uint64(len(slots) - 1)))


@compiled
def _same(one: Int32, other: Int32) -> bool:
    for place in range(len(one)):  # noqa: SIM110 - a generator is not compiled
        if one[place] != other[place]:
            return False
    return True


@compiled
def _enter(rows: Int32, keys: Int32, used: int, slots: Int32, numbers: Int32) -> int:
    """Find or enter each row, for which there is room; `numbers` gets their places in `keys`. Gives how many are used then."""
    for row in range(len(rows)):
        slot = _start(rows[row], slots)
        while slots[slot] >= 0 and not _same(keys[slots[slot]], rows[row]):
            slot = (slot + 1) & (len(slots) - 1)
        if slots[slot] < 0:
            # One by one: the kernel is compiled in half the time.
            for place in range(keys.shape[1]):
                keys[used, place] = rows[row, place]
            slots[slot] = used
            used += 1
        numbers[row] = slots[slot]
    return used


@compiled
def gather(offsets: Int64, values: Int32, rows: Int32) -> None:
    """Put the first different values of each record into its row, ascending; a row is NONE where a record has fewer.

    Args:
        offsets: int64 (records + 1,): the values of record i are `values[offsets[i]:offsets[i + 1]]`, in the order in which it gives them.
        values: int32: NONE for a field that gives no value.
        rows: int32 (records, most), NONE before.
    """
    for record in range(len(rows)):
        count = 0
        for at in range(offsets[record], offsets[record + 1]):
            if values[at] != NONE and count < rows.shape[1]:
                count = insert(rows[record], count, values[at])


@compiled
def insert(row: Int16 | Int32, count: int, value: int) -> int:
    """Put a value among the first `count` of a row, which ascend, where it is not there yet; gives how many there are then."""
    place = count
    while place > 0 and row[place - 1] > value:
        place -= 1
    if place > 0 and row[place - 1] == value:
        return count
    for above in range(count, place, -1):
        row[above] = row[above - 1]
    row[place] = value
    return count + 1


@compiled
def set_of(row: Int16 | Int32, count: int) -> int:
    """The number of the set of the first `count` values of a row; -1 for several, and then the rest of the row is NONE."""
    if count > 1:
        for place in range(count, len(row)):
            row[place] = NONE
        return -1
    return int(np.int64(row[0])) + 1 if count else 0
