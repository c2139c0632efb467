"""A plan of group sizes as a plan file: saved, and read back as the same plan."""

from pathlib import Path
from typing import Any

import pytest

from starling.errors import OutputError, PlanError, StarlingError
from starling.groups.artifact import read_plan, write_plan
from starling.groups.plan import Plan
from tests.groups.worlds import world

BANDS = '[[privacy.bands]]\nfrom = 0\nsplit = ["1/4", "1/4", "1/2"]\n[[privacy.bands]]\nfrom = 2\nsplit = ["1/2", "1/4", "1/4"]\n'
SHARES = 'shares = [{ size = 1, share = "0.7" }, { size = 4, share = "1/3" }]\nimportance = ["50", "5", "1"]'
PLANS: list[dict[str, Any]] = [
    {},
    {"budget": 'rho = "1/3"', "more": 'method = "h"'},
    {"bands": BANDS},
    {"more": SHARES.replace('"1/3"', '"0.3"')},
    {"kind": "persons", "groups": "", "quantity": 2},
    {"kind": "events", "groups": "", "public": "region"},
    {"more": 'split = ["0.2", "0.3", "0.5"]\n[format]\nseparator = ";"\nencoding = "cp1252"'},
]


@pytest.mark.parametrize("changed", PLANS)
def test_a_saved_plan_is_read_back_as_the_same(tmp_path: Path, changed: dict[str, Any]) -> None:
    plan = world(tmp_path, **changed)
    (tmp_path / "saved").mkdir()
    plan.save(tmp_path / "saved" / "plan.toml")
    again = Plan.load(tmp_path / "saved" / "plan.toml")
    assert again.digest == plan.digest
    assert (again.title, again.group, again.member, again.shares) == (plan.title, plan.group, plan.member, plan.shares)
    assert again.regions.digest == plan.regions.digest
    with pytest.raises(OutputError, match="exists"):
        plan.save(tmp_path / "saved" / "plan.toml")


def test_nothing_is_left_where_a_file_is_there(tmp_path: Path) -> None:
    plan = world(tmp_path)
    with pytest.raises(OutputError):
        plan.save(tmp_path / "plan.toml")
    assert not (tmp_path / "plan.regions.csv").exists()
    with pytest.raises(OutputError, match="toml"):
        plan.save(tmp_path / "plan")


def test_a_register_of_a_release_cannot_be_named(tmp_path: Path) -> None:
    plan = world(tmp_path, "persons", groups="")
    (tmp_path / "out").mkdir()
    write_plan(tmp_path / "out", plan)
    with pytest.raises(PlanError, match="register"):
        read_plan(tmp_path / "out").save(tmp_path / "saved.toml")


def test_regions_that_are_nested_are_those_of_a_file(tmp_path: Path) -> None:
    plan = world(tmp_path)
    values = {
        "title": plan.title,
        "group": plan.group,
        "member": plan.member,
        "regions": {"levels": ["land", "state", "county"]},
        "sizes": {"largest": 4},
        "totals": {"public": "root", "groups": 9},
        "input": {"kind": "groups"},
        "privacy": {"unit": "member", "neighbours": "add-remove", "epsilon": 1},
    }
    assert Plan.of(values, {"land": {"east": ["e1", "e2"], "west": ["w1"]}}).digest == plan.digest
    wrongs: list[Any] = [
        {"land": ["e1", "e1"]},
        {"land": "e1"},
        {"land": [1]},
        {1: ["e1"]},
        {"land": {"east": True}},
        {},
    ]
    for wrong in wrongs:
        with pytest.raises(StarlingError):
            Plan.of(values, wrong)
