"""Codes as words, wherever people read: levels, ages, sexes, population groups. The Census formats keep their codes."""

from collections.abc import Mapping
from typing import Any, Final

from starling.tables import cells
from starling.tables.plan import GeographyLevel, Level

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

ALL: Final = "*"
"""Ages of a sex marginal."""

LONGEST: Final = 58
"""Letters of a label beside a picture."""


def level_title(level: Level) -> str:
    """A level in words: "County, detailed"."""
    return f"{KINDS[level.geography]}, {ITERATIONS[level.iteration_level]}"


def level_words(level: Level) -> str:
    """A level in two words, as a plan file writes them: "COUNTY detailed"."""
    return f"{level.geography} {ITERATIONS[level.iteration_level]}"


def ages(start: str, end: str) -> str:
    """A band of ages in words.

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


def group(row: Mapping[str, Any]) -> str:
    """The population group, and the sex and ages where there are any, of a row of T1 or T2."""
    words = f"{row['iteration_name']}, {row['region_name']}"
    return f"{words}: {SEXES[row['sex']]}, {ages(row['age_start'], row['age_end'])}" if "sex" in row else words


def shortened(label: str) -> str:
    """A label that fits beside a picture."""
    return label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
