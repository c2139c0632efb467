"""Plans of trips on a grid: saved and read back, and refused at their keys."""

from pathlib import Path
from typing import Any

import pytest

from starling.errors import PlanError
from starling.places.kinds import load
from starling.places.trips.plan import Plan
from tests.places.trips.worlds import PERSON, VALUES, plan


def test_a_plan_is_known_by_its_tables_saved_and_read_back(tmp_path: Path) -> None:
    of = plan(tmp_path, **PERSON)
    of.save(tmp_path / "saved.toml")
    again = load(tmp_path / "saved.toml")[1]
    assert isinstance(again, Plan)
    assert again.digest == of.digest
    assert again.cells == 144
    assert str(of.cost) == "epsilon 1"
    assert plan(tmp_path).digest != of.digest


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"flows": {"origin_x": "ax", "origin_y": "ay", "destination_x": "bx"}}, "flows.destination_y"),
        ({"flows": {**VALUES["flows"], "origin_x": "by"}}, "flows"),
        ({"flows": {**VALUES["flows"], "person": "who"}}, "privacy.unit"),
        ({"privacy": {"unit": "person", "epsilon": "1"}}, "privacy.trips_per_person"),
        ({"privacy": {"unit": "person", "trips_per_person": 2, "epsilon": "1"}}, "flows.person"),
        ({"privacy": {"unit": "trip", "epsilon": "1", "rho": "1"}}, "privacy.rho"),
        ({"privacy": {"unit": "trip", "epsilon": "0"}}, "privacy.epsilon"),
        ({"privacy": {"unit": "trip", "epsilon": "0.00000001"}}, "privacy.epsilon"),
        ({"grid": {**VALUES["grid"], "rows": 1 << 18}}, None),
        ({"grid": {**VALUES["grid"], "rows": 1 << 19}}, "grid.rows"),
        ({"areas": {"file": "areas.geojson", "id": "code"}}, "areas"),
    ],
)
def test_a_plan_that_cannot_be_is_refused_at_its_key(changes: dict[str, Any], field: str | None) -> None:
    if field is None:
        assert Plan.of(VALUES | changes).grid.cells == 1 << 20
        return
    with pytest.raises(PlanError) as refused:
        Plan.of(VALUES | changes)
    assert field in {each.field for each in refused.value.problems}
