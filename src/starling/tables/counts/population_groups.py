"""The counts of all groups, kept as the counted records and added up piece by piece when asked.

A dense table of all groups by cells would have 46 numbers for each of the Census's 264 million groups. Few groups are ever asked for their
cells, so they are a second pass over the records. Small pieces, which are those of the largest regions and so of the most records, are
counted by cell at once, and need no second pass. Which pieces those are, the plan says.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from threading import Lock
from typing import Final, NamedTuple

import numpy as np

from starling.engine.machine import processors
from starling.tables.counts import kernels
from starling.tables.counts.kernels import Int32, Int64, Iterations, Memberships, Sets
from starling.tables.counts.records import Records, Runs
from starling.tables.counts.spread_records import SpreadRecords, add_weights, joined
from starling.tables.measurements import GroupNumbers
from starling.tables.plan import Geography, Level, Piece, Plan

SMALL: Final = 1 << 18
"""Groups of the largest piece that is counted by cell at once. Public, and of no effect on a count."""


class GroupCounts:
    """Exact counts of every group of a plan: confidential, to be reached by `publish` or `inspect` alone.

    The counted records number the sets of values of each attribute, by its kind, in one order; `spread` are those of each aggregate.
    """

    __slots__ = ("_geography", "_level", "_plan", "_records", "_sets", "_small", "_spread")

    def __init__(
        self,
        plan: Plan,
        geography: Geography,
        records: Records,
        sets: Mapping[str, Sets],
        spread: Sequence[SpreadRecords] = (),
    ) -> None:
        self._plan, self._geography, self._records, self._sets, self._spread = plan, geography, records, sets, spread
        self._level: _Level | None = None
        self._small: tuple[Piece, Int64] | None = None

    def totals(self, piece: Piece, /) -> Int64:
        """Persons in each group of the piece: int64 (groups,), plan order, empty groups included."""
        if piece.groups <= SMALL:
            totals: Int64 = self._all_cells(piece).sum(axis=1)
            return totals
        return self._cells(piece, np.arange(piece.groups), 1)[:, 0]

    def cells(self, piece: Piece, groups: Int64, /) -> Int64:
        """Persons by finest cell in the chosen groups of a piece: int64 (len(groups), cells), in the order asked for."""
        if piece.groups <= SMALL:
            return self._all_cells(piece)[groups]
        chosen, order = np.unique(groups, return_inverse=True)
        return self._cells(piece, chosen, self._plan.detail.finest)[order]

    def aggregate(self, piece: Piece, /) -> GroupNumbers:
        """The exact numbers of every group of a piece of an aggregate, (groups, cells), as plan/aggregates.py defines them."""
        aggregate = self._plan.aggregates[piece.level]
        of_sums = aggregate.quantiles is None
        shape = piece.groups, aggregate.cells * (2 if of_sums else 1)
        table = _added(self._spread[piece.level], self._of(aggregate.level), piece, shape, add_weights)
        return joined(table, wide=aggregate.wide) if of_sums else table

    def _all_cells(self, piece: Piece) -> Int64:
        """Persons by finest cell in every group of a small piece, int64 (groups, cells); kept until another piece or level is asked for."""
        if self._small is None or self._small[0] != piece:
            self._small = piece, self._cells(piece, np.arange(piece.groups), self._plan.detail.finest)
        return self._small[1]

    def _cells(self, piece: Piece, chosen: Int64, cells: int) -> Int64:
        """Persons by finest cell, or in all, in the chosen groups of a piece, which ascend: int64 (len(chosen), cells)."""
        level = self._of(self._plan.levels[piece.level])
        row = np.full(piece.groups, -1, dtype=np.int32)
        row[chosen] = np.arange(len(chosen))
        return _added(self._records, level, piece, (len(chosen), cells), kernels.add_cells, row)

    def _of(self, level: Level) -> "_Level":
        """What the pieces of a level share, made when its first piece is asked for."""
        if self._level is None or self._level.level is not level:
            self._level, self._small = _level(self._plan, self._geography, self._sets, level), None
        return self._level


class _Level(NamedTuple):
    """What the pieces of one level share: the level, the region of every unit (-1 for none), the units that have one,
    ascending by region, where each region's units begin, int64 (regions + 1,), and who is in which iterations.
    """

    level: Level
    region: Int32
    units: Int64
    starts: Int64
    members: Memberships


def _level(plan: Plan, geography: Geography, sets: Mapping[str, Sets], level: Level) -> _Level:
    region = geography.region_of_unit[level.geography]
    units = np.argsort(region, kind="stable")[np.count_nonzero(region < 0) :]
    starts = np.searchsorted(region[units], np.arange(len(geography.regions[level.geography]) + 1))
    count = len(level.iterations)
    attributes = [(each.kind, each.separate) for each in plan.attributes]
    of_attributes = []
    for kind in (kind for kind, separate in attributes if not separate):
        combined, alone = (_of_codes(plan, level, kind, alone=alone) for alone in (False, True))
        of_attributes.append(kernels.iterations_of_sets(sets[kind], combined, alone, count))
    (separate,) = [kind for kind, separate in attributes if separate] or [""]
    of_value = _of_codes(plan, level, separate, alone=False)
    return _Level(level, region, units, starts, Memberships(reduce(kernels.joined, of_attributes), of_value, count))


def _of_codes(plan: Plan, level: Level, kind: str, *, alone: bool) -> Iterations:
    """The iterations of a kind that hold each code of the plan; none for the indices of whatever is no code."""
    index = {code: i for i, code in enumerate(plan.codes)}
    pairs = sorted(
        (index[code], position)
        for position, iteration in enumerate(level.iterations)
        if iteration.kind == kind and iteration.alone is alone
        for code in iteration.codes
    )
    lengths = np.bincount([code for code, _ in pairs], minlength=len(index) + 1)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
    return Iterations(offsets, np.array([position for _, position in pairs], dtype=np.int32))


def _added(
    records: Runs, level: _Level, piece: Piece, shape: tuple[int, ...], add: Callable[..., None], *more: Int32
) -> Int64:
    """What a kernel adds, to zeros of a shape, for all records of the piece: by threads, each of which adds to an array of its own."""
    parts = records.parts(np.sort(level.units[level.starts[piece.first] : level.starts[piece.stop]]))
    one_at_a_time = Lock()

    def work(_: int) -> Int64:
        sums = np.zeros(shape, dtype=np.int64)
        while True:
            with one_at_a_time:
                part = next(parts, None)
            if part is None:
                return sums
            add(records.read(part), level.region, piece.first, level.members, *more, sums)

    with ThreadPoolExecutor(processors()) as pool:
        sums = list(pool.map(work, range(processors())))
    for other in sums[1:]:
        sums[0] += other
    return sums[0]
