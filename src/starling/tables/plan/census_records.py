"""Person records of the Census, as a plan describes them: race and ethnicity codes, blocks of states, and groups of public definitions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from starling.errors import PlanError, Problem
from starling.release.codec import Json
from starling.tables.plan.census_levels import STATES, GeographyLevel
from starling.tables.plan.columns import Column, Unit
from starling.tables.plan.counting_sql import counted, counting_sql
from starling.tables.plan.custom_families import CustomFamily
from starling.tables.plan.detail import Detail
from starling.tables.plan.idle_choices import idle_census
from starling.tables.plan.iterations import MOST_RACE_CODES, Attribute, Definitions
from starling.tables.plan.levels import Level
from starling.tables.plan.region_levels import CENSUS_REGIONS, RegionLevels
from starling.tables.plan.sex_by_age import SEX_BY_AGE, TOP_AGE
from starling.tables.plan.wording import CENSUS, Wording

if TYPE_CHECKING:
    from starling.tables.plan.blocks import Geography
    from starling.tables.plan.choices import Choices

CENSUS_FAMILIES: Final = ("regional", "detailed")
"""The iteration levels of the Census."""
CENSUS_PARTS: Final[Mapping[str, Any]] = {
    "detail": SEX_BY_AGE,
    "regions": CENSUS_REGIONS,
    "families": CENSUS_FAMILIES,
}
"""The detail, the levels of regions and the families of every plan of the Census."""
CHAINS: Final[tuple[tuple[str, ...], ...]] = (
    (GeographyLevel.USA, GeographyLevel.STATE, GeographyLevel.COUNTY, GeographyLevel.TRACT),
    (GeographyLevel.PR_STATE, GeographyLevel.PR_COUNTY, GeographyLevel.PR_TRACT),
)
"""Geography levels whose regions are unions of those of the next."""
DIGITS: Final = {"USA": 0, "STATE": 2, "COUNTY": 5, "TRACT": 11}
"""Digits of a region's id, and so of the beginning of the ids within it."""
MEDIANS: Final[Mapping[str, int]] = {
    GeographyLevel.USA: 20_000,
    GeographyLevel.STATE: 400,
    GeographyLevel.COUNTY: 8,
    GeographyLevel.TRACT: 1,
    GeographyLevel.PLACE: 2,
    GeographyLevel.AIANNH: 2,
    GeographyLevel.PR_STATE: 400,
    GeographyLevel.PR_COUNTY: 8,
    GeographyLevel.PR_TRACT: 1,
    GeographyLevel.PR_PLACE: 2,
}
"""Persons in the median detailed group of a level, assumed."""
REGIONAL: Final = 20
"""A regional group is assumed to be so many times as large."""


@dataclass(frozen=True, slots=True)
class CensusRecords:
    """The records of a plan of the Census, each of one person; raises PlanError where nothing bounds the groups of a person.

    Attributes:
        max_race_codes: Race columns read of a record, 1 to 8.
        states: Codes of the US states tabulated; empty if the United States are not.
    """

    max_race_codes: int
    states: frozenset[str]
    puerto_rico: bool
    by_name: ClassVar[Mapping[str, Column]] = MappingProxyType({})
    families: ClassVar[tuple[CustomFamily, ...]] = ()
    unit: ClassVar[Unit | None] = None
    protects: ClassVar[Literal["person", "household"]] = "person"

    def __post_init__(self) -> None:
        if not 1 <= self.max_race_codes <= MOST_RACE_CODES:
            problem = f"is not between 1 and {MOST_RACE_CODES}, so nothing bounds the groups of one person"
            raise PlanError("max_race_codes", problem, "state how many race columns of a record are read")

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """Race, of which a record has several codes, and ethnicity, of which it has one."""
        return Attribute("race", self.max_race_codes), Attribute("ethnicity", 1, separate=True)

    @property
    def several_parts(self) -> bool:
        """A block lies in the United States or in Puerto Rico, never in both."""
        return bool(self.states) and self.puerto_rico

    def problems(self, families: tuple[str, ...], definitions: Definitions) -> list[Problem]:
        """None: any public definitions are groups of the Census."""
        return []

    def idle_choices(self, plan: "Choices") -> list[Problem]:
        """Those of idle_choices.py."""
        return [*idle_census(plan)]

    def stated_regions(self, levels: RegionLevels, tabulated: Collection[str]) -> "Geography | None":
        """None: the block file says them."""
        return None

    def chains(self, levels: RegionLevels, tabulated: Collection[str]) -> list[list[str]]:
        """CHAINS, each as far as it is tabulated."""
        chains = [[level for level in chain if level in tabulated] for chain in CHAINS]
        return [chain for chain in chains if chain]

    def parents(
        self, levels: RegionLevels, above: str, below: str, regions: Mapping[str, Sequence[str]]
    ) -> Sequence[int] | None:
        """By the ids, which begin with the id of the region above."""
        width = DIGITS[above.removeprefix("PR-")]
        position = {region[:width]: at for at, region in enumerate(regions[above])}
        if not {region[:width] for region in regions[below]} <= position.keys():
            return None
        return [position[region[:width]] for region in regions[below]]

    def median(self, level: Level, levels: RegionLevels) -> float:
        """Round numbers, no result of a census."""
        return MEDIANS[level.geography] * (REGIONAL if level.iteration_level == 1 else 1)

    def wording(self, levels: RegionLevels) -> Wording:
        """The Census's words."""
        return CENSUS

    def counting(self, detail: Detail) -> tuple[str, dict[str, str]]:
        """By unit, race codes, ethnicity code and cell."""
        return counting_sql(detail), counted(detail)

    @property
    def parameters(self) -> dict[str, Json]:
        """The race codes and the states."""
        states: list[Json] = [*sorted(self.states)]
        return {"max_race_codes": self.max_race_codes, "states": states, "puerto_rico": self.puerto_rico}

    @property
    def bounds(self) -> dict[str, Json]:
        """Codes, regions and ages of a record."""
        return {
            "race_codes_of_a_person": self.max_race_codes,
            "ethnicity_codes_of_a_person": 1,
            "regions_of_a_person_in_a_level": 1,
            "oldest_age": TOP_AGE,
        }

    @property
    def area(self) -> str:
        """The states by name."""
        whole = len(self.states) == len(STATES)
        states = "United States" if whole else ", ".join(STATES[code] for code in sorted(self.states))
        return ", ".join(part for part in (states, "Puerto Rico" if self.puerto_rico else "") if part)


def census_records(plan: "Choices") -> CensusRecords:
    """The Census records that a plan is about, for their reader and writer; raises PlanError for custom tables."""
    if not isinstance(plan.records, CensusRecords):
        raise PlanError("plan", "is of custom tables, and a plan of the Census is needed", "give a plan of the Census")
    return plan.records
