"""Files that flow maps read: places of areas, whole trips without ghosts, lines."""

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import shapely

import starling
from starling.places.flows.analysis import FlowsRelease


def test_flows_that_surely_are_there_are_exported(released: Path, tmp_path: Path) -> None:
    with starling.open_release(released) as opened:
        assert isinstance(opened, FlowsRelease)
        opened.export(tmp_path / "exported")
    with (tmp_path / "exported" / "locations.csv").open() as file:
        places_of = {row["id"]: row for row in csv.DictReader(file)}
    assert list(next(iter(places_of.values()))) == ["id", "name", "lat", "lon"]
    with (tmp_path / "exported" / "flows.csv").open() as file:
        flows = [(row["origin"], row["dest"]) for row in csv.DictReader(file)]
    assert flows[:2] == [("1", "2"), ("3", "3")]
    table = pq.read_table(tmp_path / "exported" / "flows.parquet")
    types = json.loads(table.schema.metadata[b"geo"])["columns"]["geometry"]["geometry_types"]
    assert types == ["LineString", "Point"], "of area 3 to itself there is a point"
    geometries = shapely.from_wkb(table["geometry"].to_pylist())
    assert shapely.is_valid(geometries).all(), "no line has no length"
    assert geometries[1].geom_type == "Point"
    begin, end = shapely.get_coordinates(shapely.from_wkb(table["geometry"][0].as_py())).tolist()
    assert begin == [float(places_of["1"][axis]) for axis in ("lon", "lat")]
    assert end == [float(places_of["2"][axis]) for axis in ("lon", "lat")]
