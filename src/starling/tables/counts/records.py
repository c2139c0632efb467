"""The counted records, put away on the disk: a nation has hundreds of millions, too many for the memory of a small machine.

They come as the engine answers, are sorted by unit in runs of bounded length, 8 bytes each, and are read back in portions. So memory
depends on the number of units alone, which is public, however many records there are and wherever they live. The same key may stand in
several runs: whoever reads adds up.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from starling.engine.spill import Spill
from starling.privacy.compiled import compiled
from starling.tables.counts.kernels import MOST_PERSONS, Int16, Int32, Int64, Portion, UInt8

RUN: Final = 1 << 21
"""Rows that are collected before they are sorted and put away."""

PORTION: Final = 1 << 17
"""Records that are read at once: a megabyte."""


Run: TypeAlias = tuple[int, int]
"""Records sorted by unit, in a spill: the places of the numbers that tell where each unit's records begin, and of the first record."""


class Part(NamedTuple):
    """Records of some units that stand together in a run: so many from a place on.

    Attributes:
        units: The units that the records are of, int64, ascending.
        starts, stops: Where the records of each unit begin and end, int64, of the shape of `units`.
    """

    place: int
    length: int
    units: Int64
    starts: Int64
    stops: Int64


class Runs:
    """Counted records of all of so many finest geographic units, put into a spill in runs that are sorted by unit."""

    def __init__(self, units: int, spill: Spill) -> None:
        self._units, self._spill = units, spill
        self._runs: list[Run] = []
        self._waiting: list[tuple[Int32, Int64]] = []

    def _wait(self, unit: Int32, numbers: Int64) -> None:
        """Take records: the unit and the numbers of each, int64 (records, numbers); raises OutputError when the disk is full."""
        self._waiting.append((unit, numbers))
        if sum(len(each) for each, _ in self._waiting) >= RUN:
            self.put_away()

    def put_away(self) -> None:
        """The records that wait, as a run; to be called after the last ones. Raises OutputError when they find no room on the disk."""
        if not self._waiting:
            return
        starts = np.zeros(self._units + 1, dtype=np.int64)
        for unit, numbers in self._waiting:
            starts[1:] += numbers.shape[1] * np.bincount(unit, minlength=self._units)
        np.cumsum(starts, out=starts)
        place, records = starts[:-1].copy(), np.empty(starts[-1], dtype=np.int64)
        for unit, numbers in self._waiting:
            _sort_by_unit(unit, numbers, place, records)
        self._waiting.clear()
        self._runs.append((self._spill.append(starts), self._spill.append(records)))

    def parts(self, units: Int64) -> Iterator[Part]:
        """All records of the units, which ascend, in parts of at most PORTION."""
        if not len(units):
            return
        first, last = int(units[0]), int(units[-1])
        for place, records in self._runs:
            index = self._spill.read(place + first, last - first + 2)
            starts, stops = index[units - first], index[units - first + 1]
            some = stops > starts
            yield from _parts(records, units[some], starts[some], stops[some])

    def read(self, part: Part) -> Portion:
        """The records of a part. Raises OutputError when the disk fails."""
        return Portion(part.units, part.starts, part.stops, self._spill.read(part.place, part.length))


class Records(Runs):
    """Counted records of which each is one number: what it says, and how many persons say it."""

    def add(self, unit: Int32, races: Int32, qspan: Int16, cell: UInt8, persons: Int64) -> None:
        """Some rows: (unit, races, qspan, cell) with their persons, at least 1.

        Raises OutputError when they find no room on the disk.
        """
        key = (races.astype(np.int64) << 32) | (qspan.astype(np.int64) << 16) | (cell.astype(np.int64) << 8)
        pieces = -(-persons // MOST_PERSONS)
        row = np.repeat(np.arange(len(unit)), pieces)
        some = np.full(len(row), MOST_PERSONS)
        some[np.cumsum(pieces) - 1] = persons - MOST_PERSONS * (pieces - 1)
        self._wait(unit[row], (key[row] | some)[:, np.newaxis])


@compiled
def _sort_by_unit(unit: Int32, numbers: Int64, place: Int64, records: Int64) -> None:
    """Put records where those of their unit go; `place`, int64 (units,), says where the next one of each goes, and is moved on."""
    for record in range(len(unit)):
        for number in range(numbers.shape[1]):
            records[place[unit[record]]] = numbers[record, number]
            place[unit[record]] += 1


def _parts(place: int, units: Int64, starts: Int64, stops: Int64) -> Iterable[Part]:
    """Parts that together hold records starts[i]..stops[i] of units[i], and what lies between them within a part."""
    at, begin = 0, 0
    while at < len(units):
        begin = max(begin, int(starts[at]))
        after = int(np.searchsorted(starts, begin + PORTION))
        end = min(begin + PORTION, int(stops[after - 1]))
        here = slice(at, after)
        clipped = (np.clip(each[here] - begin, 0, end - begin) for each in (starts, stops))
        yield Part(place + begin, end - begin, units[here], *clipped)
        begin = end
        at = int(np.searchsorted(stops, end, side="right"))
