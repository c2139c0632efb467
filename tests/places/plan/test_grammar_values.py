"""A plan of places as a plan file: saved, and read back as the same plan."""

from pathlib import Path
from typing import Any

import pytest

from starling.errors import OutputError
from starling.places.plan import Plan
from tests.places.plans import PERSON, SLICED, plan

PLANS: list[tuple[dict[str, Any], ...]] = [
    (),
    (PERSON, SLICED),
    ({"method": {"name": "quadtree", "height": 1}},),
    ({"grid": {"crs": "plain", "crs_name": "EPSG:2263", "box": ["1/3", "0", "3", "2"]}},),
    ({"expected": 12, "format": {"separator": ";", "decimal": ",", "thousands": "."}},),
    ({"input": {"time": "when"}, "slices": {"bounds": ["2014-04-01", "2014-05-01T06:00:00.000001", "2015-01-01"]}},),
]


@pytest.mark.parametrize("changes", PLANS)
def test_a_saved_plan_is_read_back_as_the_same(tmp_path: Path, changes: tuple[dict[str, Any], ...]) -> None:
    chosen = plan(*changes)
    chosen.save(tmp_path / "plan.toml")
    again = Plan.load(tmp_path / "plan.toml")
    assert again.digest == chosen.digest == Plan.of(chosen.values()).digest
    assert again.values() == chosen.values()
    assert (again.title, again.point, again.expected) == (chosen.title, chosen.point, chosen.expected)
    with pytest.raises(OutputError, match="exists"):
        chosen.save(tmp_path / "plan.toml")
