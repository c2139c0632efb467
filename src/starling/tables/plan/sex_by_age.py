"""The Census's chain of detail: a total, then sex by 4, 9 and 23 ages (SafeTab 2022, Section 1, and the product's specification)."""

from typing import Final

from starling.tables.plan.detail import Detail, DetailAttribute

TOP_AGE: Final = 115
"""The oldest age of a record; the last band ends here."""

BANDS4: Final = (0, 18, 45, 65)
BANDS9: Final = (0, 5, 18, 25, 35, 45, 55, 65, 75)
BANDS23: Final = (0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85)
"""Lowest age of each band, in years, ascending; every cut of the coarser ones is a cut of the finest."""

SEXES: Final = (1, 2)
"""QSEX of a record: male, female."""

SEX_BY_AGE: Final = Detail(
    (
        DetailAttribute("sex", "sexes", SEXES[0], SEXES[-1], (("1", "male"), ("2", "female"))),
        DetailAttribute("age", "ages", 0, TOP_AGE, unit="year"),
    ),
    (((), ()), (SEXES, BANDS4), (SEXES, BANDS9), (SEXES, BANDS23)),
)
"""1, 8, 18 and 46 cells."""
