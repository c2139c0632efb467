"""Group sizes in a session."""

from pathlib import Path

import pytest

from starling import groups
from starling.verification import Outcome
from tests.groups.worlds import write_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("groups")
    write_world(folder, budget='epsilon = "200"')
    return folder


def test_a_plan_is_previewed_validated_and_described(world: Path) -> None:
    plan = groups.Plan.load(world / "plan.toml")
    assert plan.preview().plan is plan
    assert plan.validate(world / "records.csv").read.startswith("9")
    assert "3 of level county" in repr(plan)


def test_a_release_is_opened_verified_and_asked(world: Path) -> None:
    release = groups.Plan.load(world / "plan.toml").release(world / "records.csv")
    assert release.number("e1", 1).exact == 2
    assert release.verify().outcome is Outcome.CONSISTENT
