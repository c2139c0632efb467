"""The layout of sex by age: 46 cells, and the coarser tabulations that are unions of them.

Everything here is public and fixed (SafeTab 2022, Section 1, and the product's specification). A cell of the finest tabulation
is `sex * 23 + band`, sex 0 for QSEX 1 and 1 for QSEX 2, band the position in `BANDS23`. A tabulation of `branch` 0, 1, 2, 3 has
1, 8, 18, 46 cells in the same sex-major order (branch 0: one total, no sex). COUNTING_SQL counts by it, whichever engine runs it.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

SEXES: Final = 2
TOP_AGE: Final = 115
"""The oldest age of a record; the last band ends here."""

BANDS4: Final = (0, 18, 45, 65)
BANDS9: Final = (0, 5, 18, 25, 35, 45, 55, 65, 75)
BANDS23: Final = (0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85)
"""Lowest age of each band, in years, ascending; every cut of the coarser ones is a cut of the finest."""

CELLS: Final = SEXES * len(BANDS23)
"""46: cells of the finest tabulation."""

BRANCH_BANDS: Final[tuple[tuple[int, ...], ...]] = ((), BANDS4, BANDS9, BANDS23)
"""Age bands of each branch; none for branch 0, which is a bare total."""

BRANCH_CELLS: Final = (1, SEXES * len(BANDS4), SEXES * len(BANDS9), CELLS)
"""Stage-2 values of a group of each branch: 1, 8, 18, 46."""


def band_of_age(bands: tuple[int, ...]) -> npt.NDArray[np.int8]:
    """Position of the band of every age 0..115: int8, shape (116,)."""
    return (np.searchsorted(np.asarray(bands), np.arange(TOP_AGE + 1), side="right") - 1).astype(np.int8)


def age_ranges(bands: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """First and last age of every band, both inclusive.

    >>> age_ranges(BANDS4)
    ((0, 17), (18, 44), (45, 64), (65, 115))
    """
    return tuple((low, high - 1) for low, high in zip(bands, (*bands[1:], TOP_AGE + 1), strict=True))


def coarse_cell(branch: int) -> npt.NDArray[np.int64]:
    """The cell of `branch` that each of the 46 finest cells is a part of: int64, shape (46,).

    >>> coarse_cell(1)[[0, 3, 4, 22, 23, 45]].tolist()
    [0, 0, 1, 3, 4, 7]
    """
    bands = BRANCH_BANDS[branch]
    if not bands:
        return np.zeros(CELLS, dtype=np.int64)
    band = np.searchsorted(np.asarray(bands), np.asarray(BANDS23), side="right") - 1
    return np.concatenate([band, band + len(bands)]).astype(np.int64)


COUNTING_SQL: Final = """\
SELECT persons.unit, persons.races, persons.qspan, cells.cell, CAST(count(*) AS bigint) AS persons
FROM persons
JOIN cells ON cells.sex = persons.sex AND cells.age = persons.age
GROUP BY persons.unit, persons.races, persons.qspan, cells.cell"""
"""Every count of every group of every level is a sum of these counts."""

COUNTED: Final[Mapping[str, str]] = {
    "persons": "a row for each record that is not dropped, of all of them, or of a share at a time, whose counts are added: unit, the"
    " number of the finest region of its block; races, of its set of race codes; qspan, of its ethnicity code; sex; age",
    "cells": "public: for each sex (1, 2) and age (0 to 115) the number of its cell, sex by 23 bands of age",
}
"""The tables that it names."""
