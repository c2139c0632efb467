"""The public register of a plan: what it fixes, and what is refused."""

from pathlib import Path

import pytest

from starling.errors import PlanError
from starling.groups.plan import Plan
from starling.groups.plan.register import register_totals
from tests.groups.worlds import GROUPS, world, write_world


def test_a_register_fixes_groups_and_regions(tmp_path: Path) -> None:
    plan = world(tmp_path, "events", groups="")
    assert plan.groups == GROUPS
    assert plan.register is not None
    assert len(plan.register.sha256) == 64


@pytest.mark.parametrize(
    ("rows", "cause"),
    [
        ("e1-0,e2\n", "lies in two regions, 1 times"),
        ("e1-0,e1\n", "is listed twice, 1 times"),
        ("new,nowhere\n", "is no leaf of the plan, in 1 rows, as in nowhere"),
        ("new,east\n", "is no leaf of the plan"),
        (",e1\n", "has no name"),
    ],
)
def test_a_wrong_register_is_refused_with_its_cause(rows: str, cause: str, tmp_path: Path) -> None:
    write_world(tmp_path, "events", groups="")
    with (tmp_path / "register.csv").open("a") as file:
        file.write(rows)
    with pytest.raises(PlanError, match=cause):
        Plan.load(tmp_path / "plan.toml")


def test_a_register_that_is_not_there_is_refused(tmp_path: Path) -> None:
    write_world(tmp_path, "events", groups="")
    (tmp_path / "register.csv").unlink()
    with pytest.raises(PlanError, match="register cannot be read"):
        Plan.load(tmp_path / "plan.toml")


def test_the_groups_of_each_leaf_are_those_that_the_register_lists(tmp_path: Path) -> None:
    plan = world(tmp_path, "events", groups="")
    assert sum(register_totals(plan) or ()) == GROUPS
    assert register_totals(world(tmp_path)) is None
