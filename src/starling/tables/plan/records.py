"""What a plan says of its records, whatever kind they are: all that counting, inference, previews and reports read of them.

Two kinds fill it, each with its own reader and writer: person records of the Census (census_records.py), and records of declared columns
(custom_records.py). Nothing else asks which kind a plan is about (docs/decisions/0023-tables-of-ones-own.md).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol

from starling.errors import Problem
from starling.tables.plan.attributes import Attribute
from starling.tables.plan.codebook import Definitions
from starling.tables.plan.columns import Column, Unit
from starling.tables.plan.custom_families import CustomFamily
from starling.tables.plan.detail import Detail
from starling.tables.plan.levels import Level
from starling.tables.plan.region_levels import RegionLevels
from starling.tables.plan.wording import Wording

if TYPE_CHECKING:
    from starling.release.statement import Json
    from starling.tables.plan.choices import Choices
    from starling.tables.plan.geography import Geography


class Records(Protocol):
    """The records of a plan: what one of them is, whose it is, which groups and regions it can be in, and the words for it."""

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes that groups look at."""
        ...

    @property
    def by_name(self) -> Mapping[str, Column]:
        """The columns that the plan declares, by their names."""
        ...

    @property
    def families(self) -> tuple[CustomFamily, ...]:
        """The families of groups over declared columns, numbered from 1."""
        ...

    @property
    def unit(self) -> Unit | None:
        """The column that says whose a record is, and how many of one are counted; None where each has one record."""
        ...

    @property
    def protects(self) -> Literal["person", "household"]:
        """Whose data the guarantee hides."""
        ...

    @property
    def states(self) -> frozenset[str]:
        """Codes of the states that regions across states are summed over."""
        ...

    @property
    def several_parts(self) -> bool:
        """Whether records lie in parts without a common region, such that the plan costs the larger of them."""
        ...

    def problems(self, families: tuple[str, ...], definitions: Definitions) -> list[Problem]:
        """Where the families and the groups of a plan are others than those of its records."""
        ...

    def idle_choices(self, plan: "Choices") -> list[Problem]:
        """Choices of a plan file that would change nothing, or promise what a release does not keep."""
        ...

    def stated_regions(self, levels: RegionLevels, tabulated: Collection[str]) -> "Geography | None":
        """The regions of the tabulated levels that the plan states; None where a file does."""
        ...

    def chains(self, levels: RegionLevels, tabulated: Collection[str]) -> list[list[str]]:
        """Tabulated levels, from above, of which each is nested in the one before."""
        ...

    def parents(
        self, levels: RegionLevels, above: str, below: str, regions: Mapping[str, Sequence[str]]
    ) -> Sequence[int] | None:
        """The position, among the regions of the level above, of the one that each region below lies in.

        Args:
            levels: The levels of the plan.
            above: A level of a chain.
            below: The level after it.
            regions: The ids of the regions of each level, ascending.

        Returns:
            The positions; None where a region lies in none.
        """
        ...

    def median(self, level: Level, levels: RegionLevels) -> float:
        """Persons in the median group of a level, assumed before anything is known."""
        ...

    def wording(self, levels: RegionLevels) -> Wording:
        """The words for the records and their regions."""
        ...

    def counting(self, detail: Detail) -> tuple[str, dict[str, str]]:
        """The text that counts the records, and the tables that it names, in words."""
        ...

    @property
    def parameters(self) -> "dict[str, Json]":
        """What privacy.json says is chosen of the records."""
        ...

    @property
    def bounds(self) -> "dict[str, Json]":
        """What bounds the part of one person in a record, by rules that hold for every record."""
        ...

    @property
    def area(self) -> str:
        """Where the people live whom the tables are about."""
        ...
