"""Areas know their levels by the properties of the file, and their canonical text by nothing else."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from starling.errors import PlanError
from starling.places.areas.plan.polygons import areas_of
from tests.places.areas.worlds import areas_of_shapes, hard_shapes, plan

BOXES = np.array([shapely.box(at, 0, at + 1, 1) for at in range(4)], dtype=np.object_)
ROWS: list[dict[str, Any]] = [
    {"id": 7, "county": "Kent", "state": "A"},
    {"id": 8, "county": "Kent", "state": "B"},
    {"id": 9.0, "county": "Kent", "state": "A"},
    {"id": "x", "county": "Lee", "state": "B"},
]


def test_levels_nest_by_all_names_above() -> None:
    areas = areas_of(("id", "", ("state", "county")), ROWS, BOXES)
    assert areas.level_names == ("all", "state", "county", "area")
    assert areas.nodes == (("all",), ("A", "B"), ("Kent", "Kent", "Lee"), ("7", "8", "9", "x"))
    assert [each.tolist() for each in areas.parents] == [[0, 0], [0, 1, 1], [0, 1, 0, 2]]


@pytest.mark.parametrize(
    ("properties", "field"),
    [(("county", "", ()), "areas.id"), (("id", "none", ()), "areas.name"), (("id", "", ("id",)), "areas.levels")],
)
def test_properties_that_do_not_fit_are_refused(properties: tuple[str, str, tuple[str, ...]], field: str) -> None:
    with pytest.raises(PlanError) as refused:
        areas_of(properties, ROWS, BOXES)
    assert refused.value.problems[0].field == field


def test_a_plan_is_saved_with_its_areas_and_read_back(tmp_path: Path) -> None:
    chosen = plan(tmp_path)
    chosen.save(tmp_path / "saved.toml")
    again = type(chosen).load(tmp_path / "saved.toml")
    assert again.digest == chosen.digest
    assert again.areas == chosen.areas
    assert (tmp_path / "saved.areas.geojson").read_text() == chosen.areas.text()


def test_overlaps_are_named_and_slivers_are_not() -> None:
    sliver = [shapely.box(0, 0, 1, 1), shapely.box(0.9999, 0, 2, 1)]
    assert areas_of_shapes(sliver).overlaps == ()
    assert set(areas_of_shapes(hard_shapes()).overlaps) == {(0, 5), (2, 4), (2, 5), (4, 5)}
