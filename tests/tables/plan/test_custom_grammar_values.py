"""A plan of custom tables, written as values or as a file, is read back as the same plan."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from starling.tables.plan import Plan
from tests.tables.custom_worlds import World, worlds
from tests.tables.plan.test_custom_grammar import FILE


@pytest.mark.examples(15)
@settings(max_examples=40, deadline=None)
@given(worlds(most=0))
def test_values_give_the_plan_back(world: World) -> None:
    plan = world.plan
    assert Plan.of(plan.values()) == plan
    assert {name: each for name, each in plan.values().items() if name != "levels"}.keys() <= world.values.keys()


def test_a_saved_plan_needs_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(FILE)
    (tmp_path / "illnesses.csv").write_text("code\nA01\nB02\n")
    (tmp_path / "districts.csv").write_text("county,district\nwest,d2\nwest,d1\n")
    plan = Plan.load(tmp_path / "plan.toml")
    (tmp_path / "apart").mkdir()
    plan.save(tmp_path / "apart" / "again.toml")
    assert Plan.load(tmp_path / "apart" / "again.toml") == plan
