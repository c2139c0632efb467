"""The plan file of areas: what it states is read, written and read again, and each fault is named at its key."""

from pathlib import Path
from typing import Any

import pytest

from starling.errors import PlanError
from starling.places.areas.plan.model import AreasPlan
from tests.places.areas.worlds import plan, values

PERSONS = {
    "input": {"area": "zone", "person": "who", "time": "when"},
    "privacy": {
        "unit": "person",
        "points_per_person": 3,
        "distinct_areas": True,
        "rho": "0.1",
        "shares": ["1", "1/3", "2"],
    },
    "slices": {"names": ["am", "pm"]},
    "expected": 9,
}
OTHER = "0" * 64


@pytest.mark.parametrize("changes", [{}, PERSONS])
def test_a_plan_states_itself(tmp_path: Path, changes: dict[str, Any]) -> None:
    chosen = plan(tmp_path, **changes)
    assert AreasPlan.of(chosen.values(), folder=tmp_path).digest == chosen.digest


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"areas": {"file": "none.geojson", "id": "id"}}, "areas.file"),
        ({"areas": {"file": "areas.geojson", "id": "none"}}, "areas.id"),
        ({"areas": {"file": "areas.geojson", "id": "id", "name": "none"}}, "areas.name"),
        ({"areas": {"file": "areas.geojson", "id": "id", "levels": ["none"]}}, "areas.levels"),
        ({"areas": {"file": "areas.geojson", "id": "id", "levels": ["side"] * 9}}, "areas.levels"),
        ({"areas": {"file": "areas.geojson", "id": "id", "sha256": OTHER}}, "areas.sha256"),
        ({"areas": {"file": "areas.geojson"}}, "areas.id"),
        ({"input": {"area": "zone", "x": "x", "y": "y"}}, "input.area"),
        ({"input": {}}, "input"),
        ({"privacy": {"unit": "point"}}, "privacy.epsilon"),
        ({"privacy": {"unit": "point", "epsilon": "1", "rho": "1"}}, "privacy.epsilon"),
        ({"privacy": {"unit": "point", "epsilon": "1", "shares": ["1"]}}, "privacy.shares"),
        ({"privacy": {"unit": "point", "epsilon": "1", "shares": ["1", "0", "1"]}}, "privacy.shares"),
        ({"privacy": {"unit": "person", "epsilon": "1"}}, "privacy.points_per_person"),
        ({"grid": {"rows": 3}}, "grid"),
    ],
)
def test_each_fault_is_named_at_its_key(tmp_path: Path, changes: dict[str, Any], field: str) -> None:
    plan(tmp_path)
    with pytest.raises(PlanError) as refused:
        AreasPlan.of(values(**changes), folder=tmp_path)
    assert field in [each.field for each in refused.value.problems]


def test_epsilon_and_rho_both_missing_do_not_break_the_reader(tmp_path: Path) -> None:
    plan(tmp_path)
    with pytest.raises(PlanError):
        AreasPlan.of(values(privacy={}), folder=tmp_path)
