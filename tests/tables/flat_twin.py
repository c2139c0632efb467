"""The slow, readable twin of source and counts: person by person, level by level, in plain Python.

It shares the plan's list of levels and iterations with the real thing, and nothing else: not the reader, not the geography, not the
mapping arrays.
"""

from bisect import bisect_right
from collections import Counter
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.tables.plan import Geography, GeographyLevel, Iteration, Plan
from starling.tables.plan.census_records import census_records

CUTS = (0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85)

Place: TypeAlias = dict[str, str]
Group: TypeAlias = tuple[int, str, str]
"""Position of the level in the plan, region id, iteration code."""


class Person(NamedTuple):
    """A record that counts."""

    place: Place
    races: frozenset[str]
    span: str
    cell: int


def blocks_of(path: Path) -> dict[tuple[str, ...], Place]:
    """The block file, by block."""
    header, *lines = path.read_text().split("\n")
    names = header.split("|")
    rows = [dict(zip(names, line.split("|"), strict=True)) for line in lines if line]
    return {(r["TABBLKST"], r["TABBLKCOU"], r["TABTRACTCE"], r["TABBLK"]): r for r in rows}


def read_line(line: bytes, names: list[str], plan: Plan, blocks: dict[tuple[str, ...], Place]) -> Person | None:
    """One line by the record rules; None when it is dropped."""
    line = line.removesuffix(b"\r")
    if len(line) > 65_536 or b"\0" in line or b"\r" in line:
        return None
    try:
        fields = line.decode("utf-8").split("|")
    except UnicodeDecodeError:
        return None
    if len(fields) != len(names):
        return None
    record = dict(zip(names, fields, strict=True))
    age, sex = record["QAGE"], record["QSEX"]
    if not (age.isascii() and age.isdigit() and len(age) <= 3 and int(age) <= 115 and sex in ("1", "2")):
        return None
    place = blocks.get((record["TABBLKST"], record["TABBLKCOU"], record["TABTRACTCE"], record["TABBLK"]))
    if place is None or not (
        place["TABBLKST"] in census_records(plan).states
        or (place["TABBLKST"] == "72" and census_records(plan).puerto_rico)
    ):
        return None
    races: set[str] = set()
    for column in range(1, census_records(plan).max_race_codes + 1):
        if record[f"QRACE{column}"] in ("", "Null"):
            break
        races.add(record[f"QRACE{column}"])
    return Person(place, frozenset(races), record["QSPAN"], (int(sex) - 1) * 23 + bisect_right(CUTS, int(age)) - 1)


def region_of(place: Place, level: GeographyLevel) -> str | None:
    """The region of a block, by the rules of the specification."""
    puerto_rico = place["TABBLKST"] == "72"
    if level.value.startswith("PR-") != puerto_rico:
        return None
    state, county, tract = place["TABBLKST"], place["TABBLKCOU"], place["TABTRACTCE"]
    regions = {
        "USA": "1",
        "STATE": state,
        "COUNTY": state + county,
        "TRACT": state + county + tract,
        "PLACE": None if place["PLACEFP"] == "99999" else state + place["PLACEFP"],
        "AIANNH": None if place["AIANNHCE"] == "9999" else place["AIANNHCE"],
    }
    return regions[level.value.removeprefix("PR-")]


def is_in(person: Person, iteration: Iteration) -> bool:
    """Union over codes, intersection over codes, or the one ethnicity code."""
    if iteration.kind == "ethnicity":
        return person.span in iteration.codes
    if iteration.alone:
        return bool(person.races) and all(code in iteration.codes for code in person.races)
    return any(code in iteration.codes for code in person.races)


def groups_of(person: Person, plan: Plan) -> list[Group]:
    """Every group of every level that a person is in."""
    return [
        (number, region, iteration.code)
        for number, level in enumerate(plan.levels)
        if (region := region_of(person.place, GeographyLevel(level.geography))) is not None
        for iteration in level.iterations
        if is_in(person, iteration)
    ]


def flat_counts(plan: Plan, blocks: Path, persons: Path) -> Counter[tuple[Group, int]]:
    """Persons by group and cell."""
    header, *lines = persons.read_bytes().split(b"\n")
    names, places = header.decode().split("|"), blocks_of(blocks)
    people = (read_line(line, names, plan, places) for line in lines)
    return Counter((group, person.cell) for person in people if person for group in groups_of(person, plan))


def dense(flat: Counter[tuple[Group, int]], plan: Plan, geography: Geography, number: int) -> npt.NDArray[np.int64]:
    """The counts of one level in plan order, empty groups included: int64 (groups, 46)."""
    level = plan.levels[number]
    return np.array(
        [
            [flat[(number, region, iteration.code), cell] for cell in range(46)]
            for region in geography.regions[level.geography]
            for iteration in level.iterations
        ],
        dtype=np.int64,
    ).reshape(-1, 46)
