"""The two Census files, column by column: which field each invented block and person has."""

from typing import Final

import numpy as np

from starling.tables.cells import TOP_AGE
from starling.tables.generate.files import Bytes, Columns, digits, fields
from starling.tables.generate.land import Int32, Land
from starling.tables.generate.people import Mix, People
from starling.tables.plan.blocks import BLOCK_COLUMNS, COLUMNS, WIDTHS
from starling.tables.plan.codebook import MOST_RACE_CODES

PERSON_COLUMNS: Final = (
    *("QAGE", "QSEX", "HOUSEHOLDER", *BLOCK_COLUMNS, "CENRACE"),
    *(f"QRACE{number}" for number in range(1, MOST_RACE_CODES + 1)),
    "QSPAN",
)


class Records:
    """Tables of every field that can occur, made once.

    Args:
        land: Blocks, by whose position people say where they live.
        mix: Codes, by whose position people say which they have.
    """

    def __init__(self, land: Land, mix: Mix) -> None:
        numbers = (land.state, land.county, land.tract, land.block, land.place, land.area)
        self._blocks = {name: _coded(column, WIDTHS[name]) for name, column in zip(COLUMNS, numbers, strict=True)}
        self._age = digits(np.arange(TOP_AGE + 1), 3)
        self._cenrace = digits(np.arange(64), 2)
        # Null comes last, so that the position -1 finds it.
        self._race = fields((*mix.races.codes, "Null"))
        self._ethnicity = fields(mix.ethnicities.codes)

    def blocks(self, rows: range) -> Columns:
        """GRF-C of the blocks at these positions."""
        return {name: (table, row[rows.start : rows.stop]) for name, (table, row) in self._blocks.items()}

    def persons(self, people: People) -> Columns:
        """Person records of a run of people."""
        return {
            "QAGE": (self._age, people.age),
            "QSEX": (_SEX, people.sex),
            "HOUSEHOLDER": (_HOUSEHOLDER, people.householder.astype(np.int64)),
            **{name: (table, row[people.block]) for name in BLOCK_COLUMNS for table, row in [self._blocks[name]]},
            "CENRACE": (self._cenrace, people.cenrace),
            **{f"QRACE{column + 1}": (self._race, people.races[:, column]) for column in range(MOST_RACE_CODES)},
            "QSPAN": (self._ethnicity, people.ethnicity),
        }


def _coded(numbers: Int32, width: int) -> tuple[Bytes, Int32]:
    """The different fields of a column of blocks, and which of them each block has."""
    different, row = np.unique(numbers, return_inverse=True)
    return digits(different, width), row.astype(np.int32)


_SEX: Final = fields(("1", "2"))
_HOUSEHOLDER: Final = fields(("False", "True"))
