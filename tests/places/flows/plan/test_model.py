"""Plans of flows: saved with their areas and read back, and refused at their keys."""

from pathlib import Path
from typing import Any

import pytest

from starling.errors import PlanError
from starling.places.flows.plan import Plan
from tests.places.flows.worlds import PERSON, VALUES, plan, write_areas


def test_a_plan_is_saved_with_its_areas_and_read_back(tmp_path: Path) -> None:
    of = plan(tmp_path, **PERSON)
    of.save(tmp_path / "saved.toml")
    assert Plan.load(tmp_path / "saved.toml").digest == of.digest
    assert str(of.cost) == "rho 1"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"flows": {"origin": "a"}}, "flows.destination"),
        ({"flows": {"origin": "a", "origin_x": "x", "destination": "b"}}, "flows.origin"),
        ({"flows": {"origin": "a", "destination": "a"}}, "flows"),
        ({"privacy": {"unit": "trip", "epsilon": "1", "rho": "1"}}, "privacy.epsilon"),
        ({"privacy": {"unit": "person", "epsilon": "1"}}, "privacy.trips_per_person"),
        ({"privacy": {"unit": "trip", "epsilon": "1", "shares": ["1", "1"]}}, "privacy.shares"),
        ({"privacy": {"unit": "trip", "epsilon": "1", "shares": ["1", "1", "0"]}}, "privacy.shares"),
        ({"privacy": {"unit": "trip", "epsilon": "0.0000000001"}}, "privacy.epsilon"),
        ({"flows": {"origin": "a", "destination": "b", "time": "when"}}, "flows.time"),
        (
            {
                "slices": {"names": ["x"], "categories": ["y"]},
                "flows": {"origin": "a", "destination": "b", "time": "c"},
            },
            "flows.category",
        ),
        ({"slices": {"names": ["x"]}, "flows": {"origin": "a", "destination": "b", "time": "a"}}, "flows"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_at_its_key(tmp_path: Path, changes: dict[str, Any], field: str) -> None:
    write_areas(tmp_path)
    with pytest.raises(PlanError) as refused:
        Plan.of(VALUES | changes, folder=tmp_path)
    assert field in {each.field for each in refused.value.problems}
