"""Invented persons and geography in the Census formats, from a public seed: for demonstrations, tests and benchmarks.

Nothing here is about anybody: a plan's code book and states, a number of persons and a seed are all that goes in. The same four give the
same bytes on any number of cores, because persons are made in runs of fixed size, each with its own random stream, and are
written in order. (With the same NumPy: its distributions may change between versions, so GENERATED.json names it.)

Memory holds the geography and a few runs of persons, however many there are.
"""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from starling.engine.machine import in_order
from starling.engine.new_folder import new_folder
from starling.errors import ParameterError
from starling.tables.generate.files import PERSON_COLUMNS, WRITERS, Columns, Records, Writer
from starling.tables.generate.land import Land, invent_land, region_names, settle
from starling.tables.generate.people import Mix
from starling.tables.plan import Plan
from starling.tables.plan.codebook import PUERTO_RICO
from starling.tables.plan.geography import COLUMNS, NAMES_COLUMNS, NO_AIANNH, NO_PLACE

Format: TypeAlias = Literal["text", "parquet"]

NAMES: Final = "region-names.txt"
NOTE: Final = "GENERATED.json"
ENDINGS: Final[dict[Format, str]] = {"text": "txt", "parquet": "parquet"}
NOTICE: Final = (
    "Invented data. No person, address or people is described: every value was drawn from the public seed below, and how common "
    "a group is says nothing about the group whose name it bears. Tables made from it are no statistics of any place."
)
RUN: Final = 1 << 18
"""Persons of one run, and blocks of one batch; part of what the seed means, so not an option."""

MOST_PERSONS: Final = 2**31
_LAND, _MIX, _PEOPLE, _NAMES = range(4)
"""Which random stream of the seed."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What was written.

    Attributes:
        geography: GRF-C, one line a block.
        persons: Person records, one line a person, in the order of their blocks.
        names: Invented names of the regions, which `read_geography` takes beside the geography.
        note: GENERATED.json: that it is invented, the seed, the versions and the sizes.
        sizes: Numbers of states, counties, tracts, blocks, places, aiannh_areas and persons.
    """

    geography: Path
    persons: Path
    names: Path
    note: Path
    sizes: dict[str, int]


def generate(
    plan: Plan,
    *,
    persons: int,
    seed: int,
    out: Path,
    states: Sequence[str] | None = None,
    land_for: int | None = None,
    format: Format = "text",  # noqa: A002 - the word that the command line and its users have for it
    workers: int | None = None,
) -> Generated:
    """Invent a population for `plan` and write it to the folder `out`.

    Args:
        plan: Gives the code book, the most race codes of a person, and the states when none are named.
        persons: How many, 0 to 2^31.
        seed: Public; 0 or more.
        out: Folder to make; must not exist.
        states: Two-digit codes; "72" is Puerto Rico. May go beyond the plan: such persons are in no table.
        land_for: Make as many counties, tracts, blocks and places as for so many persons; as for `persons` without it.
        format: The form of both files: "text" (`|` between fields) or "parquet".
        workers: Threads; as many as there are cores without it. Changes the time it takes, never a byte.

    Raises:
        ParameterError: for a number out of range or a state code that is not two digits.
        OutputError: when `out` exists or cannot be written.
    """
    codes = _checked(plan, persons, seed, states, format)
    land_for = persons if land_for is None else land_for
    if not 0 <= land_for <= MOST_PERSONS:
        raise ParameterError("land", f"is not for 0 to {MOST_PERSONS} persons", "leave it out, or say for how many")
    with new_folder(out) as folder:
        threads = workers or os.cpu_count() or 1
        land = invent_land(_stream(seed, _LAND), codes, land_for)
        land = land if land_for == persons else settle(land, persons)
        sizes = _write(folder, plan, codes, land, seed=seed, format_=format, workers=threads)
    ending = ENDINGS[format]
    return Generated(out / f"GRF-C.{ending}", out / f"person-records.{ending}", out / NAMES, out / NOTE, sizes)


def _checked(
    plan: Plan, persons: object, seed: object, states: Sequence[str] | None, format_: object
) -> tuple[str, ...]:
    """The states to invent, ascending; refuses what cannot be meant."""

    def refuse(field: str, problem: str, fix: str) -> ParameterError:
        return ParameterError(field, problem, fix)

    if plan.records is not None:
        raise refuse(
            "plan",
            "is about records of one's own, and those of the Census alone are invented",
            "give one of the Census",
        )
    if isinstance(persons, bool) or not isinstance(persons, int) or not 0 <= persons <= MOST_PERSONS:
        raise refuse("persons", f"is not a whole number from 0 to {MOST_PERSONS}", "say how many to invent")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise refuse("seed", "is not a whole number of 0 or more", "give a public seed such as 1")
    if format_ not in ENDINGS:
        raise refuse("format", "is not text or parquet", 'write "text" or "parquet"')
    if states is None:
        states = (*plan.states, *([PUERTO_RICO] if plan.puerto_rico else []))
    codes = tuple(sorted(set(states)))
    if not codes or not all(len(code) == 2 and code.isascii() and code.isdigit() for code in codes):
        raise refuse("states", "are not a list of two-digit codes", 'give codes such as ["01", "02"]')
    return codes


def _write(
    folder: Path, plan: Plan, states: tuple[str, ...], land: Land, *, seed: int, format_: Format, workers: int
) -> dict[str, int]:
    """Everything, into an existing empty folder; returns the sizes."""
    persons = int(land.persons.sum())
    mix = Mix(_stream(seed, _MIX), plan.definitions, land, plan.max_race_codes)
    records = Records(land, mix)
    ends = np.cumsum(land.persons)

    def people(rows: range) -> Columns:
        # Persons stand in the order of the blocks.
        home = np.searchsorted(ends, np.arange(rows.start, rows.stop), side="right")
        return records.persons(mix.people(_stream(seed, _PEOPLE, rows.start // RUN), home))

    ending, writer = ENDINGS[format_], WRITERS[format_]
    _write_file(writer(folder / f"GRF-C.{ending}", COLUMNS), records.blocks, len(land.state), workers)
    _write_file(writer(folder / f"person-records.{ending}", PERSON_COLUMNS), people, persons, workers)
    named = [NAMES_COLUMNS, *region_names(_stream(seed, _NAMES), land)]
    (folder / NAMES).write_text("".join("|".join(line) + "\n" for line in named), encoding="utf-8")
    sizes = _sizes(land)
    note = {
        "notice": NOTICE,
        "seed": seed,
        "states": list(states),
        "plan": plan.title,
        "numpy": np.__version__,
        "sizes": sizes,
    }
    (folder / NOTE).write_text(json.dumps(note, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return sizes


def _sizes(land: Land) -> dict[str, int]:
    inside = land.place != NO_PLACE
    return {
        "states": len(np.unique(land.state)),
        "counties": int(land.county_of_tract[-1]) + 1,
        "tracts": len(land.county_of_tract),
        "blocks": len(land.state),
        "places": len(np.unique(land.state[inside] * 100_000 + land.place[inside])),
        "aiannh_areas": len(np.unique(land.area[land.area != NO_AIANNH])),
        "persons": int(land.persons.sum()),
    }


def _stream(seed: int, *which: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=which)))


def _write_file(writer: Writer, make: Callable[[range], Columns], rows: int, workers: int) -> None:
    """All rows through `writer`: made by several threads, written in order, with a bounded number of runs in memory."""

    def encoded(run: range) -> Any:
        return writer.encode(make(run))

    runs = (range(start, min(start + RUN, rows)) for start in range(0, rows, RUN))
    with closing(writer), closing(in_order(encoded, runs, workers)) as made:
        for run in made:
            writer.write(run)
