"""The real groups that benchmarks read in place: households by zone, flights by aircraft, trips by base and day.

Each is aggregated public data of the folder that STARLING_DATA names; its NOTE.md says where it comes from.
"""

import csv
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from bench.peers import ROOT
from starling.groups.optimise.tree import Int64


@dataclass(frozen=True, slots=True)
class Groups:
    """Exact histograms of group sizes on a tree of three levels.

    Attributes:
        levels: int64 (regions of the level, sizes 0 to N), root first.
        parents: For each level below the root, each region's row in the level above.
    """

    levels: tuple[Int64, ...]
    parents: tuple[Int64, ...]

    @property
    def total(self) -> int:
        """The number of groups."""
        return int(self.levels[0].sum())

    @classmethod
    def of(cls, sizes: Mapping[tuple[str, str], Sequence[tuple[int, int]]], largest: int) -> "Groups":
        """Groups from the (size, how many groups) of each leaf, which is named by its parent and itself; no size exceeds `largest`."""
        leaves = sorted(sizes)
        above = sorted({parent for parent, _ in leaves})
        rows = np.array([above.index(parent) for parent, _ in leaves], dtype=np.int64)
        cells = np.zeros((len(leaves), largest + 1), dtype=np.int64)
        for row, leaf in enumerate(leaves):
            for size, groups in sizes[leaf]:
                cells[row, size] += groups
        middle = np.zeros((len(above), largest + 1), dtype=np.int64)
        np.add.at(middle, rows, cells)
        return cls((middle.sum(axis=0, keepdims=True), middle, cells), (np.zeros(len(above), dtype=np.int64), rows))


def folder() -> Path:
    """Where the data lie."""
    return Path(os.environ.get("STARLING_DATA") or ROOT.parent / "shared" / "data") / "groups"


def zones() -> Groups:
    """Households by size (4 stands for 4 or more) in the zones of 35 census tracts of Oregon."""
    rows = _rows("calm_taz_households.csv")
    sizes = {
        (row["TRACTGEOID"], row["TAZ"]): [(size, int(row[f"HHSIZE{size}"])) for size in range(1, 5)] for row in rows
    }
    return Groups.of(sizes, 4)


def flights() -> Groups:
    """Aircraft by their flights from New York City in 2013, each in the region of its most frequent carrier and origin."""
    flown: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for row in _rows("nyc_flights_2013_aircraft.csv"):
        flown[row["tailnum"]][row["carrier"], f"{row['carrier']} {row['origin']}"] += int(row["flights"])
    sizes: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for counts in flown.values():
        home = min(counts, key=lambda region: (-counts[region], region))
        sizes[home].append((sum(counts.values()), 1))
    return Groups.of(sizes, 600)


def trips() -> Groups:
    """Bases of for-hire vehicles on each day of January to August 2015 in New York City, by their trips."""
    sizes: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for row in _rows("nyc_fhv_base_day_2015.csv"):
        sizes[row["date"][:7], row["date"]].append((int(row["trips"]), 1))
    return Groups.of(sizes, 4400)


REAL: Final[dict[str, Callable[[], Groups]]] = {
    "households by zone": zones,
    "flights by aircraft": flights,
    "trips by base and day": trips,
}
"""The data sets by what their groups are."""


def _rows(name: str) -> list[dict[str, str]]:
    with (folder() / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
