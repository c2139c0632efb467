"""The counts of all groups, kept as the compact table of counted records and added up level by level when asked.

A dense table of all groups by cells would have 46 numbers for each of 264 million groups. Few groups are ever asked for their
cells, so they are a second pass over the records.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from starling.engine.machine import processors
from starling.tables import cells
from starling.tables.counts import kernels
from starling.tables.counts.kernels import Counted, Int16, Int32, Int64, Iterations, Memberships, Sets, UInt8
from starling.tables.plan import Geography, Plan, Rows

_MOST: Final = 255
"""Persons of one stored record; a larger count is stored as several records."""


class Counter:
    """Collects the engine's answer as it streams in.

    Args:
        units: How many finest geographic units there are.
    """

    def __init__(self, units: int) -> None:
        self._units = units
        self._parts: dict[str, list[npt.NDArray[Any]]] = {
            "unit": [np.zeros(0, np.int32)],
            "races": [np.zeros(0, np.int32)],
            "qspan": [np.zeros(0, np.int16)],
            "cell": [np.zeros(0, np.uint8)],
            "persons": [np.zeros(0, np.uint8)],
        }

    def add(self, unit: Int32, races: Int32, qspan: Int16, cell: UInt8, persons: Int64) -> None:
        """Some rows: distinct (unit, races, qspan, cell) with their persons, at least 1."""
        times = (persons + _MOST - 1) // _MOST
        split = np.full(int(times.sum()), _MOST, dtype=np.uint8)
        split[np.cumsum(times) - 1] = persons - (times - 1) * _MOST
        for name, column in (("unit", unit), ("races", races), ("qspan", qspan), ("cell", cell)):
            self._parts[name].append(np.repeat(column, times))
        self._parts["persons"].append(split)

    def sorted(self) -> Counted:
        """All rows. Ends the collecting: one column is moved at a time, to hold little twice."""
        units = self._taken("unit")
        starts = kernels.starts_of_units(units, self._units)
        moved: dict[str, npt.NDArray[Any]] = {}
        for name in ("races", "qspan", "cell", "persons"):
            column = self._taken(name)
            moved[name] = np.empty_like(column)
            kernels.sort_by_unit(units, starts, column, moved[name])
        return Counted(starts, **moved)

    def _taken(self, name: str) -> npt.NDArray[Any]:
        return np.concatenate(self._parts.pop(name))


class GroupCounts:
    """Exact counts of every group of a plan: confidential, to be reached through a door alone.

    Args:
        plan: Levels and iterations.
        geography: Regions, and which units are in them.
        counted: The records.
        sets: The sets of race codes that the records number.
    """

    __slots__ = ("_counted", "_geography", "_plan", "_sets")

    def __init__(self, plan: Plan, geography: Geography, counted: Counted, sets: Sets) -> None:
        self._plan, self._geography, self._counted, self._sets = plan, geography, counted, sets

    def totals(self, level: int, /) -> Int64:
        """Persons in each group of `plan.levels[level]`: int64 (regions * iterations,), plan order, empty groups included."""
        totals = np.zeros(self._groups(level), dtype=np.int64)
        members = self._members(level)
        self._by_region(level, lambda units, region: kernels.add_totals(units, region, self._counted, members, totals))
        return totals

    def cells(self, level: int, groups: Int64, /) -> Int64:
        """Persons by sex and age in the chosen groups of a level: int64 (len(groups), 46), in the order asked for."""
        chosen, order = np.unique(groups, return_inverse=True)
        table = np.zeros((len(chosen), cells.CELLS), dtype=np.int64)
        row = np.full(self._groups(level), -1, dtype=np.int32)
        row[chosen] = np.arange(len(chosen))
        members = self._members(level)
        self._by_region(
            level, lambda units, region: kernels.add_cells(units, region, self._counted, members, row, table)
        )
        return table[order]

    def _groups(self, level: int) -> int:
        one = self._plan.levels[level]
        return len(self._geography.regions[one.geography]) * len(one.iterations)

    def _members(self, level: int) -> Memberships:
        one = self._plan.levels[level]
        members = self._plan.members(one)
        count = len(one.iterations)
        race = kernels.iterations_of_sets(self._sets, _of_codes(members.combined), _of_codes(members.alone), count)
        return Memberships(race, _of_codes(members.ethnicity), count)

    def _by_region(self, level: int, add: Callable[[Int64, Int32], None]) -> None:
        """Call `add` with the units of all regions of a level, several regions at once, none by two threads."""
        region = self._geography.region_of_unit[self._plan.levels[level].geography]
        units = np.argsort(region, kind="stable")[np.count_nonzero(region < 0) :]
        if not len(units):
            return
        before = np.cumsum(np.diff(self._counted.starts)[units])
        cuts = [0]
        for worker in range(1, processors()):
            fair = np.searchsorted(before, before[-1] * worker // processors())
            # On to the end of that region: two threads never write to one group.
            cuts.append(int(np.searchsorted(region[units], region[units[fair]], side="right")))
        parts = [units[start:stop] for start, stop in zip(cuts, [*cuts[1:], len(units)], strict=True)]
        with ThreadPoolExecutor(processors()) as pool:
            list(pool.map(lambda part: add(part, region), parts))


def _of_codes(rows: Rows) -> Iterations:
    """The plan's rows, and one more without iterations: the index of whatever is no code."""
    return Iterations(np.append(rows.offsets, rows.offsets[-1]).astype(np.int64), rows.positions)
