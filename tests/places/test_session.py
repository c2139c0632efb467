"""Places in a session: a short way to a plan, and a release of what the session holds."""

from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from starling import places
from starling.errors import ParameterError, PlanError
from starling.privacy.budget import Epsilon
from starling.verification import Outcome
from tests.places.plans import write_world

POINTS = pd.DataFrame({"lon": [-0.5, 0.5, 0.5, 9.0], "lat": [0.5, 1.5, 1.5, 0.5]})


def test_a_frame_is_released_and_counted() -> None:
    plan = places.plan((-1, 0, 3, 2), (2, 4), epsilon="1000000", x="lon", y="lat", method="singular")
    assert plan.cost == Epsilon(Fraction(1_000_000))
    release = plan.release(POINTS)
    assert release.grid().sum() == 3, "one point lies outside the box"
    assert plan.validate(POINTS).problems.total == 1
    assert release.verify().outcome is Outcome.CONSISTENT


def test_a_plan_file_is_validated_and_described(tmp_path: Path) -> None:
    records = write_world(tmp_path)
    plan = places.Plan.load(tmp_path / "plan.toml")
    assert plan.validate(records).read.startswith("5")
    assert "2 rows of 4" in repr(plan)
    assert "2 rows of 4" in plan._repr_html_()


def test_what_is_no_plan_is_refused() -> None:
    with pytest.raises(PlanError, match="method"):
        places.plan((0, 0, 1, 1), (8, 8), epsilon=1, method="best")


def test_invented_records_of_a_plan_are_released(tmp_path: Path) -> None:
    write_world(tmp_path)
    plan = places.Plan.load(tmp_path / "plan.toml")
    invented = plan.generate(tmp_path / "invented", points=50)
    assert plan.validate(invented.records).read.startswith("50")
    release = plan.release(invented.records)
    assert "Released points" in release.plot()._repr_html_()
    assert release.plot().figure.axes[0].patches
    with pytest.raises(ParameterError, match="points"):
        plan.generate(tmp_path / "fewer", points=-1)


def test_a_short_plan_says_what_its_tree_is_for() -> None:
    of = {
        purpose: places.plan((0, 0, 1, 1), (8, 8), epsilon=1, purpose=purpose).purpose for purpose in (None, "streets")
    }
    assert of == {None: "all", "streets": "streets"}
    with pytest.raises(PlanError, match=r"method\.for is a choice of adaptive alone"):
        places.plan((0, 0, 1, 1), (8, 8), epsilon=1, method="singular", purpose="streets")
