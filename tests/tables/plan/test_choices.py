"""From code book and budgets to levels."""

from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.tables.plan import GeographyLevel, Plan
from starling.tables.plan.choices import all_levels, population_levels
from starling.tables.plan.definitions import read_definitions
from tests.tables.plan.invented import census_folder, config, key
from tests.tables.small import census_attributes


def test_levels_of_each_area() -> None:
    assert len(list(all_levels(us=True, pr=True))) == 20
    assert {geography.puerto_rico for geography, _ in all_levels(us=True, pr=False)} == {False}
    assert [level for _, level in all_levels(us=False, pr=True)] == [1, 2] * 4


def test_only_levels_with_a_budget_exist_and_in_plan_order(tmp_path: Path) -> None:
    definitions = read_definitions(census_folder(tmp_path))
    place, usa, tract = ((GeographyLevel(name), 2) for name in ("PLACE", "USA", "TRACT"))
    budgets = {place: Fraction(1), usa: Fraction(2), tract: Fraction(0)}
    levels = population_levels(definitions, budgets, dict.fromkeys(budgets, (1, 2, 3)), census_attributes(2))
    assert [level.name for level in levels] == ["(USA, 2)", "(PLACE, 2)"]
    # Two race codes in two groups, or one alone in its group and that group's combination; and the ethnicity.
    assert [level.stability for level in levels] == [3, 3]


def test_levels_without_a_member_are_told_all_at_once(tmp_path: Path) -> None:
    mapping = "ITERATION_CODE|RACE_ETH_CODE\n2003|1000\n"
    definitions = read_definitions(census_folder(tmp_path, race_and_ethnicity_code_to_iteration=mapping))
    budgets = dict.fromkeys(all_levels(us=True, pr=False), Fraction(1))
    with pytest.raises(PlanError) as refused:
        population_levels(definitions, budgets, dict.fromkeys(budgets, (1, 2, 3)), census_attributes(2))
    # All but level 2 of nation and state.
    assert len(refused.value.problems) == 10


def test_problems_of_a_plan_as_a_whole_name_its_file(tmp_path: Path) -> None:
    """Budgets that only the whole plan can refuse: too small to draw, once shared out."""
    folder = census_folder(tmp_path, config(**{key("STATE", 2): 1e-15}))
    file = folder / "config.json"
    file.write_text(file.read_text().replace("1e-15", "0.000000000000001"))
    with pytest.raises(PlanError, match=r"^config.json: \(STATE, 2\) has a budget too small to draw its noise"):
        Plan.load(folder)
