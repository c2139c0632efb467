"""The counts of all groups, kept as the compact table of counted records and added up piece by piece when asked.

A dense table of all groups by cells would have 46 numbers for each of 264 million groups. Few groups are ever asked for their
cells, so they are a second pass over the records.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from starling.engine.machine import processors
from starling.tables import cells
from starling.tables.counts import kernels
from starling.tables.counts.kernels import Counted, Int16, Int32, Int64, Iterations, Memberships, Sets, UInt8
from starling.tables.plan import Geography, Piece, Plan, Rows

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

    __slots__ = ("_counted", "_geography", "_level", "_plan", "_sets")

    def __init__(self, plan: Plan, geography: Geography, counted: Counted, sets: Sets) -> None:
        self._plan, self._geography, self._counted, self._sets = plan, geography, counted, sets
        self._level: _Level | None = None

    def totals(self, piece: Piece, /) -> Int64:
        """Persons in each group of the piece: int64 (groups,), plan order, empty groups included."""
        level = self._of(piece)

        def add(units: Int64) -> Int64:
            totals = np.zeros(piece.groups, dtype=np.int64)
            kernels.add_totals(units, level.region, piece.first, self._counted, level.members, totals)
            return totals

        return self._added(level, piece, add)

    def cells(self, piece: Piece, groups: Int64, /) -> Int64:
        """Persons by sex and age in the chosen groups of a piece: int64 (len(groups), 46), in the order asked for."""
        level = self._of(piece)
        chosen, order = np.unique(groups, return_inverse=True)
        row = np.full(piece.groups, -1, dtype=np.int32)
        row[chosen] = np.arange(len(chosen))

        def add(units: Int64) -> Int64:
            table = np.zeros((len(chosen), cells.CELLS), dtype=np.int64)
            kernels.add_cells(units, level.region, piece.first, self._counted, level.members, row, table)
            return table

        return self._added(level, piece, add)[order]

    def _of(self, piece: Piece) -> "_Level":
        """The level of a piece, made when its first piece is asked for."""
        if self._level is None or self._level.number != piece.level:
            self._level = _level(self._plan, self._geography, self._sets, piece.level)
        return self._level

    def _added(self, level: "_Level", piece: Piece, add: Callable[[Int64], Int64]) -> Int64:
        """The sum of `add` over the units of a piece, shared out among threads, each of which adds to an array of its own."""
        units = level.units[level.starts[piece.first] : level.starts[piece.stop]]
        before = np.cumsum(np.diff(self._counted.starts)[units])
        shares = [(before[-1] if len(units) else 0) * worker // processors() for worker in range(1, processors())]
        parts = np.split(units, np.searchsorted(before, shares))
        with ThreadPoolExecutor(processors()) as pool:
            sums = list(pool.map(add, parts))
        for other in sums[1:]:
            sums[0] += other
        return sums[0]


class _Level(NamedTuple):
    """What the pieces of one level share.

    Attributes:
        number: Position in `Plan.levels`.
        region: Of every unit, int32; -1 for none.
        units: Those with a region, ascending by it.
        starts: Where each region's units begin, int64 (regions + 1,).
        members: Who is in which iterations.
    """

    number: int
    region: Int32
    units: Int64
    starts: Int64
    members: Memberships


def _level(plan: Plan, geography: Geography, sets: Sets, number: int) -> _Level:
    level = plan.levels[number]
    region = geography.region_of_unit[level.geography]
    units = np.argsort(region, kind="stable")[np.count_nonzero(region < 0) :]
    starts = np.searchsorted(region[units], np.arange(len(geography.regions[level.geography]) + 1))
    members, count = plan.members(level), len(level.iterations)
    race = kernels.iterations_of_sets(sets, _of_codes(members.combined), _of_codes(members.alone), count)
    return _Level(number, region, units, starts, Memberships(race, _of_codes(members.ethnicity), count))


def _of_codes(rows: Rows) -> Iterations:
    """The plan's rows, and one more without iterations: the index of whatever is no code."""
    return Iterations(np.append(rows.offsets, rows.offsets[-1]).astype(np.int64), rows.positions)
