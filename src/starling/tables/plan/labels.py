"""Codes as text, wherever people read: levels, ages, sexes, population groups. The Census formats keep their codes."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from starling.tables.plan import GeographyLevel, Level, cells

KINDS: Final = {
    GeographyLevel.USA: "Nation",
    GeographyLevel.STATE: "State",
    GeographyLevel.COUNTY: "County",
    GeographyLevel.TRACT: "Tract",
    GeographyLevel.PLACE: "Place",
    GeographyLevel.AIANNH: "AIANNH area",
    GeographyLevel.PR_STATE: "Puerto Rico",
    GeographyLevel.PR_COUNTY: "Puerto Rico, county",
    GeographyLevel.PR_TRACT: "Puerto Rico, tract",
    GeographyLevel.PR_PLACE: "Puerto Rico, place",
}
"""What a region of each type is."""

ITERATIONS: Final = {1: "regional", 2: "detailed"}

SEXES: Final = {"1": "male", "2": "female"}

DETAILS: Final = {-1: "total only by plan", 0: "total", 1: "sex by 4 ages", 2: "sex by 9 ages", 3: "sex by 23 ages"}
"""What a group of each branch gets."""

ALL: Final = "*"
"""Ages of a sex marginal."""

LONGEST: Final = 58
"""Letters of a label beside a picture."""


def level_title(level: Level) -> str:
    """The title of a level: "County, detailed"."""
    return f"{KINDS[level.geography]}, {ITERATIONS[level.iteration_level]}"


def level_text(level: Level) -> str:
    """A level as a plan file names it: "COUNTY detailed"."""
    return f"{level.geography} {ITERATIONS[level.iteration_level]}"


def short_percent(part: float) -> str:
    """A part of a whole, with two or one digits.

    >>> short_percent(0.123), short_percent(0.00123)
    ('12 %', '0.1 %')
    """
    return f"{100 * part:.0f} %" if part >= 0.01 else f"{100 * part:.1g} %"


def ages(start: str, end: str) -> str:
    """A band of ages as text.

    >>> [ages(*band) for band in (("*", "*"), ("0", "4"), ("20", "20"), ("85", "115"))]
    ['all ages', 'under 5', '20', '85 and over']
    """
    if start == ALL:
        return "all ages"
    if start == end:
        return start
    if start == "0":
        return f"under {int(end) + 1}"
    return f"{start} and over" if end == str(cells.TOP_AGE) else f"{start} to {end}"


def columns(names: Iterable[str]) -> tuple[str, ...]:
    """The columns of text that stand beside columns of these names."""
    there = set(names)
    return tuple(column for column, (beside, _) in _TEXTS.items() if there.issuperset(beside))


def with_text(table: pa.Table, chosen: tuple[str, ...]) -> pa.Table:
    """A table with columns of text for its codes; missing where a code is not known.

    >>> with_text(pa.table({"sex": ["2", "1"]}), ("sex_name",))["sex_name"].to_pylist()
    ['female', 'male']
    """
    for column in chosen:
        beside, known = _TEXTS[column]
        codes = pc.binary_join_element_wise(*(table[name].cast(pa.string()) for name in beside), _BETWEEN)
        positions = pc.index_in(codes, pa.array(list(known)))
        table = table.append_column(
            column, pa.chunked_array([pa.array(list(known.values())).take(positions.combine_chunks())])
        )
    return table


_BETWEEN: Final = "-"
_BANDS: Final = [band for bands in cells.BRANCH_BANDS[1:] for band in cells.age_ranges(bands)]
_TEXTS: Final[dict[str, tuple[tuple[str, ...], dict[str, str]]]] = {
    "region_kind": (("region_type",), {str(level): kind for level, kind in KINDS.items()}),
    "sex_name": (("sex",), SEXES),
    "ages": (
        ("age_start", "age_end"),
        {_BETWEEN.join(band): ages(*band) for band in [(ALL, ALL), *((str(low), str(high)) for low, high in _BANDS)]},
    ),
}
"""Each column of text: the columns of its codes, and the text for them."""


def group(row: Mapping[str, Any]) -> str:
    """The population group, and the sex and ages where there are any, of a row of T1 or T2."""
    name = f"{row['iteration_name']}, {row['region_name']}"
    return f"{name}: {SEXES[row['sex']]}, {ages(row['age_start'], row['age_end'])}" if "sex" in row else name


def shortened(label: str) -> str:
    """A label that fits beside a picture."""
    return label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
