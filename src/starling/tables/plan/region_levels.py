"""The levels of regions of a plan: partitions of the smallest areas, in plan order. Those of the Census are one constant."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from starling.errors import PlanError, Problem
from starling.planfile.spelling import name_problem
from starling.tables.plan.census_levels import GeographyLevel

MOST_LEVELS: Final = 32
WHOLE: Final = "all"
"""The one area of records without areas, and its level."""
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,39}")
"""The measurements of a level stand in a file of its name."""


@dataclass(frozen=True, slots=True)
class RegionLevel:
    """A level: each smallest area lies in at most one of its regions.

    Attributes:
        name: What the tables call it in region_type.
        kind: What a region of the level is, for people: "County".
        part: Levels of different parts have no smallest area in common, so that no record counts in both; "" where there is one part.
        small: Whether bare totals of the level that noise alone may exceed are left out, where the plan suppresses any.
    """

    name: str
    kind: str
    part: str = ""
    small: bool = False


@dataclass(frozen=True, slots=True)
class RegionLevels:
    """All levels of regions that a plan may tabulate, in plan order; raises PlanError where two have one name, or a name is none."""

    levels: tuple[RegionLevel, ...]

    def __post_init__(self) -> None:
        names = [level.name for level in self.levels]
        problems = []
        if not 1 <= len(names) <= MOST_LEVELS or len({name.lower() for name in names}) < len(names):
            fix = f"give 1 to {MOST_LEVELS} levels, each with a name of its own"
            problems.append(Problem("regions", "has no levels, too many, or two of one name", fix))
        if not all(_NAME.fullmatch(name) for name in names):
            fix = "write letters, digits, blanks, _ and -, beginning with a letter"
            problems.append(Problem("regions", "has a level with a name that no file can have", fix))
        wrong = (name_problem(level.kind) for level in self.levels)
        problems += [Problem("regions", f"has a level whose words {each}", "write a name") for each in wrong if each]
        PlanError.check(problems)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the levels, in plan order."""
        return tuple(level.name for level in self.levels)

    def of(self, name: str) -> RegionLevel:
        """The level of a name; PlanError where there is none."""
        for level in self.levels:
            if level.name == name:
                return level
        raise PlanError("levels", f"are of {name[:40]!r}, which is no level of the regions", "name one of the levels")

    def order(self, name: str) -> int:
        """The place of a level in plan order; PlanError where there is none of that name."""
        return self.levels.index(self.of(name))

    def parts(self, names: Iterator[str]) -> dict[str, tuple[int, ...]]:
        """Which of some levels, by their places among `names`, are of each part; parts in plan order."""
        parts: dict[str, tuple[int, ...]] = {}
        for place, name in enumerate(names):
            part = self.of(name).part
            parts[part] = (*parts.get(part, ()), place)
        return {part: parts[part] for part in dict.fromkeys(level.part for level in self.levels) if part in parts}


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
"""What a region of each level of the Census is."""

CENSUS_REGIONS: Final = RegionLevels(
    tuple(
        RegionLevel(level.value, kind, "Puerto Rico" if level.puerto_rico else "United States", level.below_state)
        for level, kind in KINDS.items()
    )
)
"""The levels of the Census: a block lies in the United States or in Puerto Rico, never in both."""
