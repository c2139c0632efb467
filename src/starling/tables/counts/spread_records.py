"""Records of an aggregate, spread over its cells: two numbers each, what it says and its weight in the cell.

A record of a sum is high - x in the first cell and x - low in the second; one of quantiles is 1 in the class of its number. So the exact
numbers of a group are sums of weights by cell, whatever the aggregate (plan/aggregates.py).
"""

from typing import Final, TypeAlias

import numpy as np

from starling.engine.spill import Spill
from starling.privacy.compiled import compiled
from starling.tables.counts.kernels import Int32, Int64, Memberships, Portion
from starling.tables.counts.records import RUN, Runs
from starling.tables.plan import Aggregate

Rows: TypeAlias = tuple[Int32, Int32, Int64, Int64]
"""Units, numbers of sets of values, cells and weights, of one length."""

FEW: Final = 4
"""Records are added up where they are so many times as many as the rows that there could be."""


class SpreadRecords(Runs):
    """The records of all aggregates that are of one column and of the same cells.

    Args:
        aggregate: One of these aggregates.
        units: How many areas there are.
        spill: Where they are put.
    """

    def __init__(self, aggregate: Aggregate, units: int, spill: Spill) -> None:
        super().__init__(units, spill)
        self._width, self._sums = aggregate.width, aggregate.quantiles is None
        self._waiting: list[Rows] = []

    def add(self, unit: Int32, groups: Int32, number: Int64, records: Int64) -> None:
        """Some records that say the same: area and number of what they say of groups.

        Args:
            unit: The areas.
            groups: The numbers of what is said of groups.
            number: Of sums, how many units the numbers of these records lie above the least one, in all; else the class of each of them.
            records: How many records with a number there are; where there are none, nothing is added.

        Raises OutputError when they find no room on the disk.
        """
        given = records > 0
        rows = unit[given], groups[given], number[given], records[given]
        unit, groups, number, records = self._added_up(*rows)
        if self._sums:
            cell = np.zeros_like(number)
            self._waiting += [(unit, groups, cell, self._width * records - number), (unit, groups, cell + 1, number)]
        else:
            self._waiting.append((unit, groups, number, records))
        if sum(len(rows[0]) for rows in self._waiting) >= RUN:
            self.put_away()

    def _added_up(self, unit: Int32, groups: Int32, number: Int64, records: Int64) -> Rows:
        """The same records as a row for each area, number of what they say and, of quantiles, class, where those are few."""
        said, classes = int(groups.max(initial=0)) + 1, 1 if self._sums else int(number.max(initial=0)) + 1
        if FEW * self.units * said * classes > len(unit):
            return unit, groups, number, records
        key = (unit.astype(np.int64) * said + groups) * classes + (0 if self._sums else number)
        weights = np.zeros((2, self.units * said * classes), dtype=np.int64)
        np.add.at(weights[0], key, records)
        present = np.flatnonzero(weights[0])
        areas, in_area = np.divmod(present, said * classes)
        of_row = areas.astype(np.int32), (in_area // classes).astype(np.int32)
        if not self._sums:
            return *of_row, in_area % classes, weights[0, present]
        np.add.at(weights[1], key, number)
        return *of_row, weights[1, present], weights[0, present]

    def put_away(self) -> None:
        """The rows that wait, as a run; to be called after the last ones. Raises OutputError like `add`."""
        starts = np.zeros(self.units + 1, dtype=np.int64)
        for unit, *_ in self._waiting:
            starts[1:] += 2 * np.bincount(unit, minlength=self.units)
        np.cumsum(starts, out=starts)
        place, records = starts[:-1].copy(), np.empty(starts[-1], dtype=np.int64)
        for rows in self._waiting:
            _sort_by_unit(*rows, place, records)
        self._waiting.clear()
        self.put(starts, records)


@compiled
def _sort_by_unit(unit: Int32, groups: Int32, cell: Int64, weight: Int64, place: Int64, records: Int64) -> None:
    """Put rows where their unit's records go; `place`, int64 (units,), says where the next one of each goes, and is moved on."""
    for row in range(len(unit)):
        to = place[unit[row]]
        records[to] = (np.int64(groups[row]) << 32) | cell[row]
        records[to + 1] = weight[row]
        place[unit[row]] = to + 2


@compiled
def add_weights(portion: Portion, region: Int32, first: int, members: Memberships, table: Int64) -> None:
    """Add records to the cells of all groups of a piece.

    Args:
        portion: Records of units that lie in a region of the piece.
        region: The region of every unit.
        first: First region of the piece.
        members: The iterations that the records are in.
        table: int64 (regions * iterations, cells), region-major; added to in place.
    """
    units, starts, stops, records = portion.units, portion.starts, portion.stops, portion.records
    positions, offsets = members.race.positions, members.race.offsets
    for index in range(len(units)):
        base = (np.int64(region[units[index]]) - first) * members.iterations
        for at in range(starts[index], stops[index], 2):
            groups, cell, weight = records[at] >> 32, records[at] & 0xFFFFFFFF, records[at + 1]
            for one in range(offsets[groups], offsets[groups + 1]):
                table[base + positions[one], cell] += weight
