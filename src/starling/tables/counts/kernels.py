"""From counted records to groups: each person's iterations at a level, added up region by region.

Of the Census a person is in the union of AIC(c) over its race codes c, in the intersection of Alone(c), and in Eth(QSPAN) (SafeTab 2022,
Section 2). That depends on the set of codes alone, so it is worked out once for each distinct set and level.
"""

from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled

Int16: TypeAlias = npt.NDArray[np.int16]
Int32: TypeAlias = npt.NDArray[np.int32]
Int64: TypeAlias = npt.NDArray[np.int64]
UInt8: TypeAlias = npt.NDArray[np.uint8]

MOST_PERSONS: Final = 255
"""Persons of one counted record; a larger count is stored as several records."""


class Sets(NamedTuple):
    """Sets of values by number, compressed: those of set i are `codes[offsets[i]:offsets[i + 1]]`, distinct indices in `plan.codes`."""

    offsets: Int64
    codes: Int16


class Iterations(NamedTuple):
    """The iterations of each code, or of each set, compressed like `Sets`: positions in `Level.iterations`."""

    offsets: Int64
    positions: Int32


class Memberships(NamedTuple):
    """The race iterations of each set of race codes, the ethnicity iterations of each ethnicity code, and how many the level has."""

    race: Iterations
    ethnicity: Iterations
    iterations: int


class Portion(NamedTuple):
    """Some counted records.

    Attributes:
        units: The units that the records are of, int64.
        starts, stops: Where each unit's records begin and end in `records`, int64 of the shape of `units`.
        records: int64, each from the highest bit down: number of the set of race codes (32 bits), index of the ethnicity code (16), cell of
            sex and age, 0 to 45 (8), persons, at least 1 (8).
    """

    units: Int64
    starts: Int64
    stops: Int64
    records: Int64


@compiled
def iterations_of_sets(sets: Sets, combined: Iterations, alone: Iterations, iterations: int) -> Iterations:
    """The race iterations of every set of codes, each once.

    Args:
        sets: Sets of race codes.
        combined: The alone-or-in-combination iterations of each code: a set is in those of any of its codes.
        alone: The alone iterations of each code: a set is in those that all of its codes share, the empty set in none.
        iterations: How many iterations the level has; no position is both combined and alone.
    """
    count, most = len(sets.offsets) - 1, 0
    for code in sets.codes:
        most += combined.offsets[code + 1] - combined.offsets[code] + alone.offsets[code + 1] - alone.offsets[code]
    offsets, positions = np.zeros(count + 1, np.int64), np.empty(most, np.int32)
    # Of each iteration, the last set that met it, and (alone) how many of that set's codes it holds.
    seen = np.full(iterations, -1, np.int64)
    held = np.zeros(iterations, np.int64)
    end = 0
    for row in range(count):
        first, last = sets.offsets[row], sets.offsets[row + 1]
        for place in range(first, last):
            code = sets.codes[place]
            for at in range(combined.offsets[code], combined.offsets[code + 1]):
                one = combined.positions[at]
                if seen[one] != row:
                    seen[one] = row
                    positions[end] = one
                    end += 1
            for at in range(alone.offsets[code], alone.offsets[code + 1]):
                one = alone.positions[at]
                held[one] = held[one] + 1 if seen[one] == row else 1
                seen[one] = row
                if held[one] == last - first:
                    positions[end] = one
                    end += 1
        offsets[row + 1] = end
    return Iterations(offsets, positions[:end].copy())


def joined(one: Iterations, other: Iterations) -> Iterations:
    """The iterations of every set in either, which have none in common; both are of the same sets."""
    rows = [np.repeat(np.arange(len(each.offsets) - 1), np.diff(each.offsets)) for each in (one, other)]
    order = np.argsort(np.concatenate(rows), kind="stable")
    return Iterations(one.offsets + other.offsets, np.concatenate((one.positions, other.positions))[order])


@compiled
def add_cells(portion: Portion, region: Int32, first: int, members: Memberships, row: Int32, table: Int64) -> None:
    """Add records, of units that lie in a region of a piece, to the cells of chosen groups, or where there is one cell to their totals.

    `region` is that of every unit, `first` the first one of the piece. `row`, int32 (regions * iterations,), region-major, is the row of
    each group in `table`, int64 (chosen, cells); -1 for one that was not chosen.
    """
    # Taken out of their tuples once: a tuple of arrays counts references wherever it is touched.
    units, starts, stops, records = portion.units, portion.starts, portion.stops, portion.records
    race, race_at = members.race.positions, members.race.offsets
    ethnicity, ethnicity_at = members.ethnicity.positions, members.ethnicity.offsets
    last = table.shape[1] - 1
    for index in range(len(units)):
        base = (np.int64(region[units[index]]) - first) * members.iterations
        for at in range(starts[index], stops[index]):
            record = records[at]
            some, cell = record & 0xFF, min((record >> 8) & 0xFF, last)
            races, qspan = record >> 32, (record >> 16) & 0xFFFF
            for one in range(race_at[races], race_at[races + 1]):
                to = row[base + race[one]]
                if to >= 0:
                    table[to, cell] += some
            for one in range(ethnicity_at[qspan], ethnicity_at[qspan + 1]):
                to = row[base + ethnicity[one]]
                if to >= 0:
                    table[to, cell] += some
