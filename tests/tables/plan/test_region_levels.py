"""Levels of regions are names in plan order; those of the Census are one constant, and parts without a common area stand apart."""

from dataclasses import replace
from fractions import Fraction

import pytest

from starling.errors import PlanError
from starling.privacy.budget import Epsilon
from starling.tables.plan import CENSUS_REGIONS, GeographyLevel, RegionLevels
from starling.tables.plan.region_levels import MOST_LEVELS, RegionLevel
from tests.tables.small import small_plan

CUSTOM = RegionLevels((RegionLevel("country", "Country"), RegionLevel("PR-district", "District", small=True)))


def test_the_census_levels_say_what_their_names_said() -> None:
    for level in GeographyLevel:
        known = CENSUS_REGIONS.of(level)
        assert known.small is level.below_state
        assert (known.part == "Puerto Rico") is level.puerto_rico
        assert CENSUS_REGIONS.names[CENSUS_REGIONS.order(level)] == level


def test_parts_stand_in_plan_order() -> None:
    assert [*CENSUS_REGIONS.parts(iter(["PR-STATE", "USA", "PR-TRACT"]))] == ["United States", "Puerto Rico"]
    assert CENSUS_REGIONS.parts(iter(["PR-STATE", "USA", "PR-TRACT"]))["Puerto Rico"] == (0, 2)
    assert CUSTOM.parts(iter(["country", "PR-district"])) == {"": (0, 1)}


def test_levels_of_one_part_add_up_whatever_they_are_called() -> None:
    plan = small_plan()
    levels = tuple(replace(level, geography=name) for level, name in zip(plan.levels, CUSTOM.names, strict=True))
    own = replace(plan, levels=levels, regions=CUSTOM)
    assert own.cost == Epsilon(sum((level.budget for level in levels), Fraction(0)))
    with pytest.raises(PlanError, match="no level of the regions"):
        replace(plan, regions=CUSTOM)


@pytest.mark.parametrize(
    "levels",
    [
        (),
        (RegionLevel("a", "A"), RegionLevel("a", "B")),
        (RegionLevel("", "A"),),
        (RegionLevel("a\n", "A"),),
        (RegionLevel("../a", "A"),),
        (RegionLevel("a", "A"), RegionLevel("A", "B")),
        (RegionLevel("a", ""),),
        tuple(RegionLevel(f"{number}", "A") for number in range(MOST_LEVELS + 1)),
    ],
)
def test_levels_that_cannot_be_are_refused(levels: tuple[RegionLevel, ...]) -> None:
    with pytest.raises(PlanError, match="regions"):
        RegionLevels(levels)
