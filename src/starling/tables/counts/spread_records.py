"""Records of an aggregate, spread over its cells: two numbers each, what it says and its weight in the cell.

A record of a sum is high - x in the first number and x - low in the second; one of quantiles is 1 in the class of its number. So the exact
numbers of a group are sums of weights by cell, whatever the aggregate (plan/aggregates.py).

Each number of a sum has two cells, its limbs: what is below 2^LIMB, and the rest in units of that. Weights may have either sign, and are
added up as they come. So the sum is exact, in as many bits as two numbers have, for up to 2^38 records of the widest column.
"""

from typing import Final

import numpy as np
import pyarrow as pa

from starling.engine.spill import Spill
from starling.privacy.compiled import compiled
from starling.tables.counts.kernels import Int32, Int64, Memberships, Portion
from starling.tables.counts.records import Runs
from starling.tables.measurements import GroupNumbers
from starling.tables.plan import Aggregate

LIMB: Final = 24
"""Bits of the lower limb of a sum."""
LARGEST: Final = 2**62
"""A number of a sum of a column that is not wide counts as at most this."""
_LOW: Final = (1 << LIMB) - 1


class SpreadRecords(Runs):
    """The records of all aggregates that are of one column and of the same cells, such as `aggregate`."""

    def __init__(self, aggregate: Aggregate, units: int, spill: Spill) -> None:
        super().__init__(units, spill)
        self._width = aggregate.width

    def add_classes(self, unit: Int32, groups: Int32, classes: Int64, records: Int64) -> None:
        """Some rows of quantiles: area, number of what records say of groups, their class, below 0 for none, and how many there are.

        Raises OutputError when they find no room on the disk.
        """
        some = classes >= 0
        self._spread(unit[some], groups[some], classes[some], records[some])

    def add_sums(self, unit: Int32, groups: Int32, above: tuple[Int64, Int64], records: Int64) -> None:
        """Some rows of sums: area, number of what records say of groups, how many units the numbers of these records lie above the least
        one in all, by upper and lower limb, and how many records have a number; those without are left out.

        Raises OutputError when they find no room on the disk.
        """
        (upper, low), (width_high, width_low) = above, divmod(self._width, 1 << LIMB)
        # The limbs of both numbers; those of 0 are left out.
        for cell, weight in enumerate((width_low * records - low, width_high * records - upper, low, upper)):
            some = np.flatnonzero(weight)
            self._spread(unit[some], groups[some], np.full(len(some), cell), weight[some])

    def _spread(self, unit: Int32, groups: Int32, cell: Int64, weight: Int64) -> None:
        self._wait(unit, np.stack(((groups.astype(np.int64) << 32) | cell, weight), axis=1))


def limbs(numbers: pa.Decimal128Array) -> tuple[Int64, Int64]:
    """Whole numbers of 128 bits, from 0 to 2^86, as their upper and lower limbs.

    >>> [each.tolist() for each in limbs(pa.array([2**70 + 5], pa.decimal128(38, 0)))]
    [[70368744177664], [5]]
    """
    halves = np.frombuffer(numbers.buffers()[1], "<u8").reshape(-1, 2)
    low, high = halves[numbers.offset : numbers.offset + len(numbers)].T
    upper = (high << np.uint64(64 - LIMB)) | (low >> np.uint64(LIMB))
    return upper.astype(np.int64), (low & np.uint64(_LOW)).astype(np.int64)


def joined(table: Int64, *, wide: bool) -> GroupNumbers:
    """The two numbers of sums, from their limbs: integers of Python where the column is wide; else int64, each at most LARGEST.

    No number is above LARGEST but with more than 2^31 records. To count it as that moves no two sums further apart. `table` is int64
    (groups, 4): lower and upper limb of the first number, then of the second.
    """
    low, high = table[:, 0::2], table[:, 1::2]
    high, low = high + (low >> LIMB), low & _LOW
    if wide:
        numbers: GroupNumbers = high.astype(object) * (1 << LIMB) + low.astype(object)
        return numbers
    most = LARGEST >> LIMB
    return np.where(high >= most, LARGEST, (np.minimum(high, most - 1) << LIMB) + low)


@compiled
def add_weights(portion: Portion, region: Int32, first: int, members: Memberships, table: Int64) -> None:
    """Add records to the cells of all groups of a piece, `table`, int64 (regions * iterations, cells); other arguments as of
    `kernels.add_cells`.
    """
    units, starts, stops, records = portion.units, portion.starts, portion.stops, portion.records
    positions, offsets = members.race.positions, members.race.offsets
    for index in range(len(units)):
        base = (np.int64(region[units[index]]) - first) * members.iterations
        for at in range(starts[index], stops[index], 2):
            groups, cell, weight = records[at] >> 32, records[at] & 0xFFFFFFFF, records[at + 1]
            for one in range(offsets[groups], offsets[groups + 1]):
                table[base + positions[one], cell] += weight
