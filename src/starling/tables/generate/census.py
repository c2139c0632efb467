"""Invented persons and geography in the Census's formats.

Memory holds the geography and a few runs of persons, however many there are.
"""

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from starling.tables.generate.files import WRITERS, Format, Writer
from starling.tables.generate.land import Int32, Land, region_names
from starling.tables.generate.people import Mix, People
from starling.tables.generate.runs import RUN, stream, write_runs
from starling.tables.plan import Plan
from starling.tables.plan.blocks import BLOCK_COLUMNS, COLUMNS, WIDTHS
from starling.tables.plan.census_records import census_records
from starling.tables.plan.geography import NAMES_COLUMNS, NO_AIANNH, NO_PLACE
from starling.tables.plan.iterations import MOST_RACE_CODES
from starling.tables.plan.sex_by_age import TOP_AGE
from starling.text_format import TextFormat

GEOGRAPHY: Final = "GRF-C"
PERSONS: Final = "person-records"
"""Names of the files, without their endings."""
NAMES: Final = "region-names.txt"
ENDINGS: Final[dict[Format, str]] = {"text": "txt", "parquet": "parquet"}
LAND, _MIX, _PEOPLE, _NAMES = range(4)
"""Which random stream of the seed."""


CODED: Final = pa.dictionary(pa.int32(), pa.string())
AS_TEXT: Final = TextFormat("|")
PERSON_COLUMNS: Final = (
    *("QAGE", "QSEX", "HOUSEHOLDER", *BLOCK_COLUMNS, "CENRACE"),
    *(f"QRACE{number}" for number in range(1, MOST_RACE_CODES + 1)),
    "QSPAN",
)


def coded(texts: pa.Array, row: npt.NDArray[np.integer]) -> pa.DictionaryArray:
    """Which of some texts each row has."""
    return pa.DictionaryArray.from_arrays(pa.array(row.astype(np.int32, copy=False)), texts)


class Records:
    """Texts of every field that can occur, made once; people say by positions in the land where they live, and in the mix which codes
    they have.
    """

    def __init__(self, land: Land, mix: Mix) -> None:
        numbers = (land.state, land.county, land.tract, land.block, land.place, land.area)
        self._blocks = {name: _texts_of(column, WIDTHS[name]) for name, column in zip(COLUMNS, numbers, strict=True)}
        self._age, self._cenrace = digits(np.arange(TOP_AGE + 1), 3), digits(np.arange(64), 2)
        self._race = pa.array([*mix.races.codes, "Null"], pa.string())
        self._ethnicity = pa.array(mix.ethnicities.codes, pa.string())

    def blocks(self, rows: range) -> pa.Table:
        """GRF-C of the blocks at these positions."""
        here = slice(rows.start, rows.stop)
        return pa.table({name: coded(texts, row[here]) for name, (texts, row) in self._blocks.items()})

    def persons(self, people: People) -> pa.Table:
        """Person records of a run of people."""
        races = np.where(people.races < 0, len(self._race) - 1, people.races)
        columns = {
            "QAGE": coded(self._age, people.age),
            "QSEX": coded(pa.array(["1", "2"]), people.sex),
            "HOUSEHOLDER": coded(pa.array(["False", "True"]), people.householder.astype(np.int32)),
            **{name: coded(texts, row[people.block]) for name in BLOCK_COLUMNS for texts, row in [self._blocks[name]]},
            "CENRACE": coded(self._cenrace, people.cenrace),
            **{f"QRACE{column + 1}": coded(self._race, races[:, column]) for column in range(MOST_RACE_CODES)},
            "QSPAN": coded(self._ethnicity, people.ethnicity),
        }
        return pa.table({name: columns[name] for name in PERSON_COLUMNS})


def digits(numbers: npt.NDArray[np.integer], width: int) -> pa.Array:
    """Numbers as texts of so many digits.

    >>> digits(np.array([7, 42]), 3).to_pylist()
    ['007', '042']
    """
    return pc.utf8_lpad(pa.array(numbers).cast(pa.string()), width, "0")


def _texts_of(numbers: Int32, width: int) -> tuple[pa.Array, Int32]:
    """The different fields of a column of blocks, and which of them each block has."""
    different, row = np.unique(numbers, return_inverse=True)
    return digits(different, width), row.astype(np.int32)


class PopulationGenerator:
    """Invented persons on a land, from a public seed; the plan gives the code book, and the most race codes of a person."""

    def __init__(self, plan: Plan, land: Land, seed: int) -> None:
        self._land, self._seed = land, seed
        self._mix = Mix(stream(seed, _MIX), plan.definitions, land, census_records(plan).max_race_codes)
        self._ends = np.cumsum(land.persons)
        self._records = Records(land, self._mix)

    def write(self, folder: Path, form: Format, workers: int) -> Path:
        """Write their records as a file of the folder."""
        path = folder / f"{PERSONS}.{ENDINGS[form]}"
        write_runs(_opened(path, PERSON_COLUMNS, form), self._persons, int(self._land.persons.sum()), workers)
        return path

    def _persons(self, rows: range) -> pa.Table:
        # Persons stand in the order of the blocks.
        home = np.searchsorted(self._ends, np.arange(rows.start, rows.stop), side="right")
        return self._records.persons(self._mix.people(stream(self._seed, _PEOPLE, rows.start // RUN), home))

    def write_land(self, folder: Path, form: Format, workers: int) -> Path:
        """Write the blocks as a file of the folder, and names of their regions beside it."""
        path = folder / f"{GEOGRAPHY}.{ENDINGS[form]}"
        write_runs(_opened(path, COLUMNS, form), self._records.blocks, len(self._land.state), workers)
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


def _opened(path: Path, names: tuple[str, ...], form: Format) -> Writer:
    return WRITERS[form](path, pa.schema([(name, CODED) for name in names]), (), AS_TEXT)
