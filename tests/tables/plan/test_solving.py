"""From what is stated of levels to the levels of a plan."""

from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.tables.plan import Definitions, GeographyLevel, Level, Plan
from starling.tables.plan.choices import all_levels
from starling.tables.plan.definitions import read_definitions
from starling.tables.plan.solving import Stated, population_levels
from tests.tables.plan.invented import census_folder, config, key
from tests.tables.small import census_attributes


def levels_of(definitions: Definitions, budgets: dict[tuple[GeographyLevel, int], Fraction]) -> tuple[Level, ...]:
    """The levels with these budgets."""
    stated = ((each, Stated(budget, (1, 2, 3)), definitions.tabulated(*each)) for each, budget in budgets.items())
    return population_levels(stated, census_attributes(2))


def test_each_level_has_its_stability(tmp_path: Path) -> None:
    usa, place = ((GeographyLevel(name), 2) for name in ("USA", "PLACE"))
    levels = levels_of(read_definitions(census_folder(tmp_path)), {usa: Fraction(2), place: Fraction(1)})
    assert [level.name for level in levels] == ["(USA, 2)", "(PLACE, 2)"]
    # Two race codes in two groups, or one alone in its group and that group's combination; and the ethnicity.
    assert [level.stability for level in levels] == [3, 3]


def test_only_levels_with_a_budget_exist_and_in_plan_order(tmp_path: Path) -> None:
    budgets = {key(place.value, family): 0 for place, family in all_levels(us=True, pr=True)}
    folder = census_folder(tmp_path, config(**budgets | {key("PLACE", 2): 1, key("USA", 2): 2}))
    assert [level.name for level in Plan.load(folder).levels] == ["(USA, 2)", "(PLACE, 2)"]


def test_levels_without_a_member_are_listed_all_at_once(tmp_path: Path) -> None:
    mapping = "ITERATION_CODE|RACE_ETH_CODE\n2003|1000\n"
    definitions = read_definitions(census_folder(tmp_path, race_and_ethnicity_code_to_iteration=mapping))
    with pytest.raises(PlanError) as refused:
        levels_of(definitions, dict.fromkeys(all_levels(us=True, pr=False), Fraction(1)))
    # All but level 2 of nation and state.
    assert len(refused.value.problems) == 10
