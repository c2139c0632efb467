"""What a release says in words that depend on whose records its plan is about: the Census's, or those of custom tables."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class Wording:
    """Words of a release.

    Attributes:
        sizes: Which sizes of groups are assumed before anything is known of them, beside the plan's own numbers.
        sums: What is made to add up where the plan says so, and what is not.
        columns: What the columns of the tables say that depend on it.
        census_format: Whether the tables are written in the format of the Census Bureau too.
    """

    level: str
    iterations: str
    small: str
    public: str
    no_sums: str
    sizes: str
    sums: str
    columns: Mapping[str, str]
    description: str
    use: str
    records: str
    bounds: str
    census_format: bool


CENSUS: Final = Wording(
    level="A level is a kind of region with a depth of detail in race and ethnicity.",
    iterations="iterations",
    small="Below the state",
    public="the plan, the definitions of race and ethnicity groups, and the geography",
    no_sums="the counties of a state do not sum to the state",
    sizes="""m is 20,000 for detailed groups of the nation, 400 of a state, 8 of a county, 2 of a place or AIANNH area, 1 of a tract, and
        20 times as many for regional groups. These are round numbers, no result of a census.""",
    sums="""Totals are made to add up, by weighted least squares: tracts to counties, counties to states, states to the nation, and
        iterations to those that the definitions make their sums. Groups that are left out of the tables take part, so that a table
        from which some were left out does not add up. Places and AIANNH areas, which are part of no sum, and the ages and sexes of
        different regions are not made to add up.""",
    columns=MappingProxyType(
        {
            "region_id": "Code of the region: 1 for the nation; state, county and tract codes joined; state and place; AIANNH area",
            "region_type": "USA, STATE, COUNTY, TRACT, PLACE or AIANNH; PR-STATE, PR-COUNTY, PR-TRACT or PR-PLACE",
            "iteration_code": "Code of the characteristic iteration: a group of races or ethnicities, alone or in combination",
            "region_name": "Name of the region: the one that was given, or what it is and where it lies",
            "iteration_name": "Name of the iteration",
        }
    ),
    description="Numbers of persons in detailed groups of race and ethnicity, by region; for larger groups by sex and age.",
    use="Statistics of population groups that are too small for other tables.",
    records="Records of persons, with age, sex, block of residence, race codes and ethnicity code.",
    bounds="A person is one record, in one block, and so in one region of a level; how many groups of a level a person can be in"
    " follows from the public definitions and divides the level's budget.",
    census_format=True,
)
CUSTOM: Final = Wording(
    level="A level is a kind of region with a family of groups.",
    iterations="groups of a region",
    small="At the levels of small regions",
    public="the plan with its columns, groups and values, and the table of areas",
    no_sums="the regions within a larger one do not sum to it",
    sizes="""m is an equal part of as many records as the plan expects (expected, below [records]), and at least 1.""",
    sums="""Totals are made to add up, by weighted least squares, over levels of which each is nested in the one before: all its areas lie
        in regions of that level, and those of one region in one. Groups that are left out of the tables take part, so that a table from
        which some were left out does not add up. The detail of different regions is not made to add up.""",
    columns=MappingProxyType(
        {
            "region_id": "The region, as the plan's table of areas names it",
            "region_type": "The level of the region",
            "iteration_code": "The group: its family and, after a colon, its values or its name",
            "region_name": "The region, as the plan's table of areas names it",
            "iteration_name": "The group in words: its values or its name",
        }
    ),
    description="Numbers of persons in groups of a public plan, by region; in more detail for larger groups where the plan says so.",
    use="Statistics of the groups of the plan, small ones included.",
    records="Records of persons, with the columns that the plan declares.",
    bounds="A person is one record, in one area at most, and so in one region of a level; how many groups of a level a person can be in"
    " follows from the plan and divides the level's budget.",
    census_format=False,
)
WITHOUT_REGIONS: Final = replace(
    CUSTOM,
    level="A level is a family of groups.",
    public="the plan with its columns, groups and values",
    no_sums="groups do not sum to one that holds them all",
    description="Numbers of persons in groups of a public plan; in more detail for larger groups where the plan says so.",
    bounds="A person is one record; how many groups of a level a person can be in follows from the plan and divides the level's budget.",
)
