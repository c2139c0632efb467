"""From counted records to groups: each person's iterations at a level, added up region by region.

A person is in the union of AIC(c) over its race codes c, in the intersection of Alone(c), and in Eth(QSPAN) (SafeTab 2022,
Section 2). That depends on the set of codes alone, so it is worked out once for each distinct set and level.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled

Int16: TypeAlias = npt.NDArray[np.int16]
Int32: TypeAlias = npt.NDArray[np.int32]
Int64: TypeAlias = npt.NDArray[np.int64]
UInt8: TypeAlias = npt.NDArray[np.uint8]


class Sets(NamedTuple):
    """Sets of race codes by number, compressed: the codes of set i are `codes[offsets[i]:offsets[i + 1]]`.

    Attributes:
        offsets: int64 (sets + 1,).
        codes: int16, distinct code indices of each set.
    """

    offsets: Int64
    codes: Int16


class Iterations(NamedTuple):
    """The iterations of each code, or of each set, compressed like `Sets`: positions in `Level.iterations`.

    Attributes:
        offsets: int64 (codes + 1,) or (sets + 1,).
        positions: int32.
    """

    offsets: Int64
    positions: Int32


class Memberships(NamedTuple):
    """Who is in which iterations of a level.

    Attributes:
        race: Of each set of race codes.
        ethnicity: Of each ethnicity code.
        iterations: How many the level has.
    """

    race: Iterations
    ethnicity: Iterations
    iterations: int


class Counted(NamedTuple):
    """Counted records, sorted by unit: 8 bytes each.

    Attributes:
        starts: Where each unit's records begin, int64 (units + 1,).
        races: Number of the set of race codes, int32 (records,).
        qspan: Index of the ethnicity code, int16 (records,).
        cell: Sex and age, uint8 (records,), 0 to 45.
        persons: How many, uint8 (records,), at least 1.
    """

    starts: Int64
    races: Int32
    qspan: Int16
    cell: UInt8
    persons: UInt8


@compiled
def iterations_of_sets(sets: Sets, combined: Iterations, alone: Iterations, iterations: int) -> Iterations:
    """The race iterations of every set of codes, each once.

    Args:
        sets: Sets of race codes.
        combined: Of each code, the alone-or-in-combination iterations: a set is in those of any of its codes.
        alone: Of each code, the alone iterations: a set is in those that all of its codes share, the empty set in none.
        iterations: How many iterations the level has; no position is both combined and alone.
    """
    count = len(sets.offsets) - 1
    offsets = np.zeros(count + 1, np.int64)
    positions = np.empty(0, np.int32)
    # Of each iteration, the last set that met it, and (alone) how many of that set's codes it holds.
    seen = np.full(iterations, -1, np.int64)
    held = np.zeros(iterations, np.int64)
    for fill in (False, True):
        seen[:] = -1
        if fill:
            positions = np.empty(offsets[count], np.int32)
        end = 0
        for row in range(count):
            first, last = sets.offsets[row], sets.offsets[row + 1]
            for place in range(first, last):
                code = sets.codes[place]
                for at in range(combined.offsets[code], combined.offsets[code + 1]):
                    one = combined.positions[at]
                    if seen[one] != row:
                        seen[one] = row
                        if fill:
                            positions[end] = one
                        end += 1
                for at in range(alone.offsets[code], alone.offsets[code + 1]):
                    one = alone.positions[at]
                    held[one] = held[one] + 1 if seen[one] == row else 1
                    seen[one] = row
                    if held[one] == last - first:
                        if fill:
                            positions[end] = one
                        end += 1
            offsets[row + 1] = end
    return Iterations(offsets, positions)


@compiled
def starts_of_units(units: Int32, count: int) -> Int64:
    """Where each unit's records begin once they are sorted by unit: int64 (count + 1,)."""
    starts = np.zeros(count + 1, np.int64)
    for unit in units:
        starts[unit + 1] += 1
    return np.cumsum(starts)


@compiled
def sort_by_unit(units: Int32, starts: Int64, values: npt.NDArray[Any], out: npt.NDArray[Any]) -> None:
    """Counting sort of one column (of any integer type), stable, into `out`."""
    place = starts.copy()
    for record in range(len(units)):
        unit = units[record]
        out[place[unit]] = values[record]
        place[unit] += 1


@compiled
def add_totals(units: Int64, region: Int32, first: int, counted: Counted, members: Memberships, totals: Int64) -> None:
    """Add the records of `units` to `totals`.

    Args:
        units: Units that lie in a region of the piece.
        region: Of every unit, its region.
        first: First region of the piece.
        counted: The records.
        members: Their iterations.
        totals: int64 (regions * iterations,), region-major; added to in place.
    """
    # Taken out of their tuples once: a tuple of arrays counts references wherever it is touched.
    starts, races, qspan, persons = counted.starts, counted.races, counted.qspan, counted.persons
    race, race_at = members.race.positions, members.race.offsets
    ethnicity, ethnicity_at = members.ethnicity.positions, members.ethnicity.offsets
    for unit in units:
        base = (np.int64(region[unit]) - first) * members.iterations
        for record in range(starts[unit], starts[unit + 1]):
            some = np.int64(persons[record])
            for at in range(race_at[races[record]], race_at[races[record] + 1]):
                totals[base + race[at]] += some
            for at in range(ethnicity_at[qspan[record]], ethnicity_at[qspan[record] + 1]):
                totals[base + ethnicity[at]] += some


@compiled
def add_cells(
    units: Int64, region: Int32, first: int, counted: Counted, members: Memberships, row: Int32, table: Int64
) -> None:
    """Add the records of `units` to the cells of chosen groups.

    Args:
        units: Units that lie in a region of the piece.
        region: Of every unit, its region.
        first: First region of the piece.
        counted: The records.
        members: Their iterations.
        row: int32 (regions * iterations,): row of each group in `table`, -1 for a group that was not chosen.
        table: int64 (chosen, cells); added to in place.
    """
    starts, races, qspan = counted.starts, counted.races, counted.qspan
    cell, persons = counted.cell, counted.persons
    race, race_at = members.race.positions, members.race.offsets
    ethnicity, ethnicity_at = members.ethnicity.positions, members.ethnicity.offsets
    for unit in units:
        base = (np.int64(region[unit]) - first) * members.iterations
        for record in range(starts[unit], starts[unit + 1]):
            some, column = np.int64(persons[record]), cell[record]
            for at in range(race_at[races[record]], race_at[races[record] + 1]):
                to = row[base + race[at]]
                if to >= 0:
                    table[to, column] += some
            for at in range(ethnicity_at[qspan[record]], ethnicity_at[qspan[record] + 1]):
                to = row[base + ethnicity[at]]
                if to >= 0:
                    table[to, column] += some
