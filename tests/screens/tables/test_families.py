"""The band of each group of a family over ages."""

from pathlib import Path

from starling.screens.tables.families import families_of_ages
from starling.tables import Plan
from tests.four_domains import TABLES

BOTH = """[[groups]]
name = "both"
columns = ["age", "sex"]
cuts = { age = [0, 18, 65] }
[[levels]]
groups = "both"
budget = "1"
"""


def test_a_family_by_sex_comes_first_and_one_without_ages_never(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(TABLES + BOTH)
    both, ages = families_of_ages(Plan.load(str(path)))
    assert ages["age: 18 to 64"] == (18, 64, "18 to 64", "")
    assert both["both: 0 to 17, M"] == (0, 17, "0 to 17", "M")
    assert (len(both), len(ages)) == (6, 3)


def test_bands_that_a_list_states_are_ages_too(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    stated = 'values = ["0-17", "18 to 64", "65 or more"]\n'
    plan = TABLES.replace("from = 0\nto = 110\n", stated).replace("cuts = { age = [0, 18, 65] }\n", "")
    path.write_text(plan)
    (ages,) = families_of_ages(Plan.load(str(path)))
    assert [*ages.values()] == [(0, 17, "0-17", ""), (18, 64, "18 to 64", ""), (65, 65, "65 or more", "")]
    path.write_text(plan.replace('"65 or more"', '"old"'))
    assert [*families_of_ages(Plan.load(str(path)))] == []


def test_groups_of_single_years_are_bands_of_one_year(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(TABLES.replace("cuts = { age = [0, 18, 65] }\n", "").replace("to = 110", "to = 3"))
    (ages,) = families_of_ages(Plan.load(str(path)))
    assert list(ages.values())[1] == (1, 1, "1", "")
