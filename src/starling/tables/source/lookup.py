"""What a record's text is looked up in, as arrays for the kernels: the plan's codes and blocks, which are public."""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled
from starling.tables.plan import Geography, Plan
from starling.tables.plan.census_levels import PUERTO_RICO
from starling.tables.plan.census_records import census_records

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
    return Lookup(code_of, unknown, states, blocks, geography.blocks["unit"].to_numpy().astype(np.int32), slots)


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
