"""Areas and points in a projection that plan and files name: counted, released, verified and exported; another reference is refused."""

import json
from pathlib import Path
from typing import Any

import geopandas
import pandas as pd
import pytest

from starling import places
from starling.errors import PlanError, SourceError
from starling.places.areas.artifact.exports import write_all
from starling.verification import Outcome
from tests.places.areas.worlds import document, values

FEET = 1000.0
"""Units of a side of a square."""
NAMED = {"file": "areas.geojson", "id": "id", "levels": ["side"], "crs_name": "EPSG:2263"}


def projected(folder: Path, name: str | None = "urn:ogc:def:crs:EPSG::2263", **changes: Any) -> places.AreasPlan:
    """A plan of the squares in feet, whose file names a reference system."""
    squares = document()
    for feature in squares["features"]:
        rings = feature["geometry"]["coordinates"]
        feature["geometry"]["coordinates"] = [[[x * FEET + 9e5, y * FEET + 2e5] for x, y in ring] for ring in rings]
    if name is not None:
        squares["crs"] = {"type": "name", "properties": {"name": name}}
    (folder / "areas.geojson").write_text(json.dumps(squares))
    privacy = {"unit": "point", "epsilon": "100000"}
    return places.AreasPlan.of(values(**({"areas": NAMED, "privacy": privacy} | changes)), folder=folder)


@pytest.mark.slow
def test_points_in_feet_are_counted_by_areas_in_feet(tmp_path: Path) -> None:
    chosen = projected(tmp_path)
    assert "EPSG:2263" in repr(chosen)
    points = pd.DataFrame({"x": [900_500.0, 900_600, 902_500, 0.5], "y": [201_500.0, 201_600, 200_500, 1.5]})
    release = chosen.release(points)
    assert [round(each) for each in release.points()] == [2, 0, 0, 0, 1]
    assert release.verify().outcome is Outcome.CONSISTENT
    again = places.AreasPlan.of(release.plan.values(), folder=release.folder / "plan")
    assert again.digest == chosen.digest
    assert "points (visit)" in next(iter(release.plot().texts().values()))
    files = write_all(tmp_path / "out", chosen.areas, release.area_rows())
    assert [each.name for each in files] == ["areas.parquet", "areas.csv"]
    assert geopandas.read_parquet(files[0]).crs.to_epsg() == 2263
    assert chosen.validate(points).problems.total == 1
    chosen.save(tmp_path / "saved.toml")
    assert places.AreasPlan.load(tmp_path / "saved.toml").digest == chosen.digest


def test_files_of_points_name_the_same_reference_system(tmp_path: Path) -> None:
    chosen = projected(tmp_path, input={"geometry": "geometry"})
    frame = geopandas.GeoDataFrame(geometry=geopandas.points_from_xy([900_500], [201_500]), crs="EPSG:2263")
    frame.to_parquet(tmp_path / "feet.parquet")
    assert chosen.validate(tmp_path / "feet.parquet").problems.total == 0
    frame.set_crs("EPSG:4326", allow_override=True).to_parquet(tmp_path / "degrees.parquet")
    with pytest.raises(SourceError, match="another coordinate reference system"):
        chosen.validate(tmp_path / "degrees.parquet")


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        (None, {}, "is in OGC:CRS84, and not in EPSG:2263"),
        ("EPSG:32118", {}, "is in EPSG:32118"),
        ("local", {}, "no reference system that is known"),
        ("EPSG:2263", {"areas": {**NAMED, "crs_name": None}}, "areas.crs_name"),
        ("EPSG:2263", {"input": {"h3": "cell"}}, "lie in degrees"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    tmp_path: Path, name: str | None, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(PlanError, match=words):
        projected(tmp_path, name, **changes)
