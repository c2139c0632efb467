"""Invented persons and geography in the Census's formats.

Memory holds the geography and a few runs of persons, however many there are.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

from starling.tables.generate.files import PERSON_COLUMNS, WRITERS, Columns, Records, Writer
from starling.tables.generate.land import Land, region_names
from starling.tables.generate.people import Mix
from starling.tables.generate.runs import RUN, stream, write_runs
from starling.tables.plan import Plan
from starling.tables.plan.census_records import census_records
from starling.tables.plan.geography import COLUMNS, NAMES_COLUMNS, NO_AIANNH, NO_PLACE

Format: TypeAlias = Literal["text", "parquet"]

GEOGRAPHY: Final = "GRF-C"
PERSONS: Final = "person-records"
"""Names of the files, without their endings."""
NAMES: Final = "region-names.txt"
ENDINGS: Final[dict[Format, str]] = {"text": "txt", "parquet": "parquet"}
LAND, _MIX, _PEOPLE, _NAMES = range(4)
"""Which random stream of the seed."""


class PopulationGenerator:
    """Invented persons of a plan on a land.

    Args:
        plan: Gives the code book, and the most race codes of a person.
        land: Where they live.
        seed: Public.
    """

    def __init__(self, plan: Plan, land: Land, seed: int) -> None:
        self._land, self._seed = land, seed
        self._mix = Mix(stream(seed, _MIX), plan.definitions, land, census_records(plan).max_race_codes)
        self._ends = np.cumsum(land.persons)
        self._records = Records(land, self._mix)

    def write(self, folder: Path, form: Format, workers: int) -> Path:
        """Write their records as a file of the folder."""
        path = folder / f"{PERSONS}.{ENDINGS[form]}"
        _write(WRITERS[form](path, PERSON_COLUMNS), self._persons, int(self._land.persons.sum()), workers)
        return path

    def _persons(self, rows: range) -> Columns:
        # Persons stand in the order of the blocks.
        home = np.searchsorted(self._ends, np.arange(rows.start, rows.stop), side="right")
        return self._records.persons(self._mix.people(stream(self._seed, _PEOPLE, rows.start // RUN), home))

    def write_land(self, folder: Path, form: Format, workers: int) -> Path:
        """Write the blocks as a file of the folder, and names of their regions beside it."""
        path = folder / f"{GEOGRAPHY}.{ENDINGS[form]}"
        _write(WRITERS[form](path, COLUMNS), self._records.blocks, len(self._land.state), workers)
        named = [NAMES_COLUMNS, *region_names(stream(self._seed, _NAMES), self._land)]
        (folder / NAMES).write_text("".join("|".join(line) + "\n" for line in named), encoding="utf-8")
        return path


def sizes(land: Land) -> dict[str, int]:
    """How many there are of everything."""
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


def _write(writer: Writer, make: Callable[[range], Columns], rows: int, workers: int) -> None:
    write_runs(writer, lambda run: writer.encode(make(run)), rows, workers)
