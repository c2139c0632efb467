"""Tables with geometries in the formats of others."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from starling.places.artifact.geo_files import write_features, write_geoparquet


def test_files_say_what_a_table_holds(tmp_path: Path) -> None:
    table = pa.table({"points": [1.5], "geometry": pa.array([b"wkb"])})
    write_geoparquet(tmp_path / "out.parquet", table, {"edges": "planar"})
    read = pq.read_table(tmp_path / "out.parquet")
    column = {"encoding": "WKB", "edges": "planar"}
    stated = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": column}}
    assert (json.loads(read.schema.metadata[b"geo"]), read.equals(table)) == (stated, True)


def test_each_feature_has_its_line(tmp_path: Path) -> None:
    point = {"type": "Point", "coordinates": [0, 1]}
    write_features(tmp_path / "out.geojson", [(point, {"name": "Zürich"}), (point, {"name": "b"})])
    lines = (tmp_path / "out.geojson").read_text(encoding="utf-8").splitlines()
    assert "Zürich" in lines[1]
    document = json.loads("\n".join(lines))
    assert [each["properties"]["name"] for each in document["features"]] == ["Zürich", "b"]
    write_features(tmp_path / "none.geojson", [])
    assert json.loads((tmp_path / "none.geojson").read_text())["features"] == []
