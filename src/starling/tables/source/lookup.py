"""What a record's text is looked up in, as arrays for the kernels: the plan's codes and blocks, which are public, and sets of race codes.

Every distinct set of two or more race codes gets a number, so that a record carries one number for its race codes. Numbers are given in
the order of first sight, which depends on threads; nothing that leaves this package depends on it, since sets are only ever expanded back
to their codes. That table is confidential: it lives and dies inside one count.
"""

from threading import Lock
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled
from starling.tables.plan import Geography, Plan
from starling.tables.plan.census_records import census_records
from starling.tables.plan.codebook import MOST_RACE_CODES, PUERTO_RICO

Int16: TypeAlias = npt.NDArray[np.int16]
Int32: TypeAlias = npt.NDArray[np.int32]
Int64: TypeAlias = npt.NDArray[np.int64]


class Lookup(NamedTuple):
    """Public dictionaries from text to numbers.

    Attributes:
        code_of: int16 (10000,): index in `plan.codes` of a four-digit code; `unknown` for what is no code.
        unknown: `len(plan.codes)`: the index of whatever is not a code of the definitions; it has no iterations.
        states: bool (100,): the state codes that the plan tabulates.
        blocks: int64 (blocks,): the plan's blocks, each as the number its 15 digits write, ascending.
        units: int32 (blocks,): finest geographic unit of each block.
        slots: int32: open-addressing table over `blocks`, a power of two and at most half full; -1 is empty.
    """

    code_of: Int16
    unknown: int
    states: npt.NDArray[np.bool_]
    blocks: Int64
    units: Int32
    slots: Int32


def lookup(plan: Plan, geography: Geography) -> Lookup:
    """The dictionaries of one plan over one geography."""
    unknown = len(plan.codes)
    code_of = np.full(10_000, unknown, dtype=np.int16)
    code_of[[int(code) for code in plan.codes]] = np.arange(unknown)
    states = np.zeros(100, dtype=np.bool_)
    states[[int(state) for state in census_records(plan).states]] = True
    states[int(PUERTO_RICO)] = census_records(plan).puerto_rico
    blocks = geography.block_ids()
    slots = np.full(2 << len(blocks).bit_length(), -1, dtype=np.int32)
    _index(blocks, slots)
    units = geography.blocks["unit"].to_numpy().astype(np.int32)
    return Lookup(code_of, unknown, states, blocks, units, slots)


@compiled
def slot_of(key: int, slots: Int32) -> int:
    """Where the search for a number begins in a table of a power of two slots (multiplicative hashing, 2^64 / golden ratio)."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return int(np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(len(slots) - 1)))


@compiled
def _index(blocks: Int64, slots: Int32) -> None:
    for block in range(len(blocks)):
        slot = slot_of(blocks[block], slots)
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = block


@compiled
def find_block(key: int, blocks: Int64, slots: Int32) -> int:
    """The position of a block in `blocks`; -1 when it is not there."""
    slot = slot_of(key, slots)
    while slots[slot] >= 0:
        if blocks[slots[slot]] == key:
            return int(slots[slot])
        slot = (slot + 1) & (len(slots) - 1)
    return -1


class RaceSets:
    """Numbers of sets: 0 is the empty set, `code + 1` the set of one code, and above `unknown + 1` the others as they are met.

    Args:
        unknown: The largest code index (that of every text which is no code).
    """

    def __init__(self, unknown: int) -> None:
        self._first = unknown + 2
        self._used = 0
        self._keys = np.full((1024, MOST_RACE_CODES), -1, dtype=np.int16)
        self._slots = np.full(4096, -1, dtype=np.int32)
        self._lock = Lock()

    def number(self, races: Int32, several: Int16) -> None:
        """Replace, in place, each `races[i] = -1 - j` by the number of the set `several[j]`.

        Args:
            races: int32 (records,): numbers of sets of up to one code; below 0 a row of `several`.
            several: int16 (rows, 8): ascending distinct code indices, the rest -1.
        """
        with self._lock:
            needed = self._used + len(several)
            if needed > len(self._keys):
                keys = np.full((2 * needed, MOST_RACE_CODES), -1, dtype=np.int16)
                keys[: self._used] = self._keys[: self._used]
                self._keys = keys
            if 2 * needed > len(self._slots):
                self._slots = np.full(4 << needed.bit_length(), -1, dtype=np.int32)
                _refill(self._words(), self._used, self._slots)
            ids = np.empty(len(several), dtype=np.int32)
            rows = np.ascontiguousarray(several).view(np.int64)
            self._used = _intern(rows, self._words(), self._used, self._slots, ids)
        put_numbers(races, ids, self._first)

    def rows(self) -> tuple[Int64, Int16]:
        """All sets by number, compressed: offsets int64 (sets + 1,) and code indices int16, ascending within a set."""
        keys = self._keys[: self._used]
        lengths = np.concatenate(
            (np.zeros(1, np.int64), np.ones(self._first - 1, np.int64), np.count_nonzero(keys >= 0, axis=1))
        )
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        return offsets, np.concatenate((np.arange(self._first - 1, dtype=np.int16), keys[keys >= 0]))

    def _words(self) -> Int64:
        return self._keys.view(np.int64)


@compiled
def _start(low: int, high: int, slots: Int32) -> int:
    return slot_of(low ^ slot_of(high, slots) ^ (high << 1), slots)


@compiled
def _refill(keys: Int64, used: int, slots: Int32) -> None:
    """Enter the first `used` keys, all distinct, into empty slots."""
    for key in range(used):
        slot = _start(keys[key, 0], keys[key, 1], slots)
        while slots[slot] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = key


@compiled
def _intern(rows: Int64, keys: Int64, used: int, slots: Int32, ids: Int32) -> int:
    """Find or enter each row; `ids` gets their numbers. There is room for all. Gives the number of keys afterwards."""
    for row in range(len(rows)):
        low, high = rows[row, 0], rows[row, 1]
        slot = _start(low, high, slots)
        while slots[slot] >= 0 and (keys[slots[slot], 0] != low or keys[slots[slot], 1] != high):
            slot = (slot + 1) & (len(slots) - 1)
        if slots[slot] < 0:
            keys[used, 0], keys[used, 1] = low, high
            slots[slot] = used
            used += 1
        ids[row] = slots[slot]
    return used


@compiled
def put_numbers(races: Int32, ids: Int32, first: int) -> None:
    """Replace, in place, each `races[i] = -1 - j` by `first + ids[j]`."""
    for record in range(len(races)):
        if races[record] < 0:
            races[record] = first + ids[-1 - races[record]]
