"""Invented points that stand in for those of a plan: in each form that a plan can read, all of them in its box."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from starling.places.domain import PLACES
from starling.places.generate import INVENTION, standing_in
from starling.places.plan import Plan
from starling.planfile.values import toml_of
from tests.places.plans import PERSON, SLICED, values

assert PLACES.delivering is not None
DELIVERING = PLACES.delivering
NAMED: dict[str, Any] = {"input": {"time": "month"}, "slices": {"names": ["January", "May"]}}
GEOMETRY: dict[str, Any] = {"input": {"x": None, "y": None, "geometry": "where"}}
CELLS: dict[str, Any] = {"input": {"x": None, "y": None, "h3": "cell"}, "grid": {"box": ["-90", "-40", "90", "40"]}}
METRES: dict[str, Any] = {"grid": {"crs": "equal-area", "box": ["-100000", "1000000", "5000000", "6300000"]}}
PLAIN: dict[str, Any] = {
    "grid": {"crs": "plain", "crs_name": "EPSG:2263", "box": ["900000", "1/3", "1000000", "200000"]}
}
VAST: dict[str, Any] = {"grid": {"rows": 1 << 17, "columns": 1 << 17}, "method": {"name": "adaptive"}}
KINDS = {
    "points": (),
    "persons": (PERSON,),
    "times": (SLICED,),
    "named slices": (NAMED,),
    "geometry": (GEOMETRY,),
    "h3": (CELLS,),
    "metres": (METRES,),
    "plain": (PLAIN,),
    "a sparse grid": (VAST,),
    "persons in slices": (PERSON, {"input": {"time": "time"}, "slices": SLICED["slices"]}),
}


def written(folder: Path, *changes: dict[str, Any]) -> Path:
    """A plan file with changes, in which a key that becomes None is left out."""
    stated = {
        name: {key: each for key, each in section.items() if each is not None} if isinstance(section, dict) else section
        for name, section in values(*changes).items()
    }
    (folder / "plan.toml").write_text(toml_of(stated))
    (folder / "invented").mkdir()
    return folder / "plan.toml"


@pytest.mark.parametrize("kind", KINDS)
def test_it_opens_as_real_records_and_no_point_is_dropped(kind: str, tmp_path: Path) -> None:
    file = written(tmp_path, {"expected": 3000}, *KINDS[kind])
    assert DELIVERING.invent is not None
    result = DELIVERING.invent(str(file), {}, tmp_path / "invented")
    plan = Plan.load(file)
    delivery = DELIVERING.open(result.plan, result.files)
    publication: Any = delivery.publication
    assert publication.title == f"Invented: {plan.title}"
    assert publication.plan.digest == plan.digest
    assert delivery.validate(10).problems.total == 0
    assert pq.read_metadata(result.files["records"]).num_rows == 3000


@pytest.mark.parametrize(("said", "rows"), [({}, 700), ({"expected": 10**9}, 900), ({"expected": 0}, 0)])
def test_there_are_as_many_as_the_plan_expects_within_bounds(
    said: dict[str, Any], rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing_in, "NUMBER", 700)
    monkeypatch.setattr(standing_in, "MOST", 900)
    file = written(tmp_path, said)
    plan, records = INVENTION.stand_in(file, Plan.load(file), tmp_path / "invented")
    assert pq.read_metadata(records).num_rows == rows
    assert DELIVERING.open(str(plan), {"records": records}).validate(1).problems.total == 0
