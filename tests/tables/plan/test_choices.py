"""From code book and budgets to levels."""

from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.tables.plan import Plan
from starling.tables.plan.choices import all_levels
from tests.tables.plan.invented import census_folder, config, key


def test_levels_of_each_area() -> None:
    assert len(list(all_levels(us=True, pr=True))) == 20
    assert {geography.puerto_rico for geography, _ in all_levels(us=True, pr=False)} == {False}
    assert [level for _, level in all_levels(us=False, pr=True)] == [1, 2] * 4


def test_problems_of_a_plan_as_a_whole_name_its_file(tmp_path: Path) -> None:
    """Budgets that only the whole plan can refuse: too small to draw, once shared out."""
    folder = census_folder(tmp_path, config(**{key("STATE", 2): 1e-15}))
    file = folder / "config.json"
    file.write_text(file.read_text().replace("1e-15", "0.000000000000001"))
    with pytest.raises(PlanError, match=r"^config.json: \(STATE, 2\) has a budget too small to draw its noise"):
        Plan.load(folder)
