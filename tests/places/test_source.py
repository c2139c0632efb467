"""The public shape of records of points: what is refused before a charge, and that every form gives the same rows."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.engine import delimited, record_parts
from starling.errors import SourceError
from starling.places.counts import tally
from starling.places.plan import Plan
from starling.places.source import open_records, read_part
from starling.places.source.geojson import POINT
from starling.places.source.validation import validate
from tests.places.plan.test_reference_systems import WGS84
from tests.places.plans import PERSON, SLICED, plan
from tests.places.source.test_values import wkb

X, Y = [-0.5, 0.5, 0.5, 9.0], [0.5, 1.5, 1.5, 0.5]
WANTED = [[1, 0, 0, 0], [0, 2, 0, 0]]
GEOMETRY: dict[str, Any] = {"input": {"x": None, "y": None, "geometry": "place"}}


def counts(chosen: Plan, path: Path) -> Any:
    return tally(chosen, open_records(path, chosen), b"")[0].tolist()


def write_csv(path: Path) -> Path:
    path.write_text("id,lon,lat\n" + "".join(f"{at},{x},{y}\n" for at, (x, y) in enumerate(zip(X, Y, strict=True))))
    return path


def write_geo(path: Path, encoding: str = "WKB", **metadata: Any) -> Path:
    pairs = list(zip(X, Y, strict=True))
    native = pa.array([{"x": x, "y": y} for x, y in pairs], POINT)
    column = native if encoding == "point" else pa.array([wkb(1, x, y) for x, y in pairs])
    stated = {"version": "1.1.0", "primary_column": "place", "columns": {"place": {"encoding": encoding, **metadata}}}
    pq.write_table(pa.table({"place": column}).replace_schema_metadata({"geo": json.dumps(stated)}), path)
    return path


def test_every_form_counts_the_same_points(tmp_path: Path) -> None:
    assert counts(plan(), write_csv(tmp_path / "a.csv")) == WANTED
    pq.write_table(pa.table({"lat": Y, "lon": X}), tmp_path / "a.parquet", row_group_size=1)
    assert counts(plan(), tmp_path / "a.parquet") == WANTED
    (tmp_path / "folder").mkdir()
    for at in range(4):
        pq.write_table(pa.table({"lat": Y[at : at + 1], "lon": X[at : at + 1]}), tmp_path / "folder" / f"{at}.parquet")
    assert counts(plan(), tmp_path / "folder") == WANTED
    for encoding in ("WKB", "point"):
        assert counts(plan(GEOMETRY), write_geo(tmp_path / "geo.parquet", encoding)) == WANTED
    texts = [f"POINT ({x} {y})" for x, y in zip(X, Y, strict=True)]
    (tmp_path / "wkt.csv").write_text(
        "\n".join(["id,place", *(f'1,"{text}"' for text in texts), '2,"LINESTRING (0 1, 1 1)"'])
    )
    assert counts(plan(GEOMETRY), tmp_path / "wkt.csv") == WANTED
    pq.write_table(pa.table({"place": texts}), tmp_path / "wkt.parquet")
    assert counts(plan(GEOMETRY), tmp_path / "wkt.parquet") == WANTED
    features = [{"geometry": {"type": "Point", "coordinates": [x, y]}} for x, y in zip(X, Y, strict=True)]
    (tmp_path / "a.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    assert counts(plan(GEOMETRY), tmp_path / "a.geojson") == WANTED


def test_row_groups_are_put_together_to_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_parts, "PART_ROWS", 2)
    pq.write_table(pa.table({"lat": Y, "lon": X}), tmp_path / "a.parquet", row_group_size=1)
    opened = open_records(tmp_path / "a.parquet", plan())
    assert [(part.begin, part.stop) for part in opened.parts] == [(0, 2), (2, 4)]
    pq.write_table(pa.table({"lat": Y, "lon": X}), tmp_path / "a.parquet", row_group_size=3)
    opened = open_records(tmp_path / "a.parquet", plan())
    assert [(part.begin, part.stop) for part in opened.parts] == [(0, 1), (1, 2)]


def test_a_large_grid_is_counted_without_a_count_of_each_part(tmp_path: Path) -> None:
    large = plan({"grid": {"rows": 2048, "columns": 2048}})
    result = tally(large, open_records(write_csv(tmp_path / "a.csv"), large), b"")[0]
    assert result.reshape(2, 1024, 4, 512).sum(axis=(1, 3)).tolist() == WANTED


@pytest.mark.parametrize(
    ("text", "changed", "cause"),
    [
        ("id,lat\n", {}, "lon is a missing column"),
        ("lon,lat,lon\n", {}, "lon is there more than once"),
        ("lon;lat\n1;2\n", {}, "is separated by semicolons"),
        ("lon\tlat\n1\t2\n", {}, "is separated by tabs"),
        ("lon,lat\n", PERSON, "who is a missing column"),
        ("lon,lat\n", GEOMETRY, "place is a missing column"),
        ('{"type": "FeatureCollection"}', {}, "is GeoJSON, and the plan names no geometry"),
        ("PAR1 and more", {}, "is not readable as Parquet"),
    ],
)
def test_a_file_of_another_shape_is_refused(text: str, changed: dict[str, Any], cause: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(SourceError, match=cause):
        open_records(tmp_path / "a.csv", plan(changed))


def test_columns_of_another_type_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"lon": ["1"], "lat": [2.0], "who": [0.5]}), tmp_path / "a.parquet")
    with pytest.raises(SourceError) as refused:
        open_records(tmp_path / "a.parquet", plan(PERSON))
    assert [each.field for each in refused.value.problems] == ["lon", "who"]


@pytest.mark.parametrize(
    ("metadata", "cause"),
    [
        ({"crs": {"id": {"authority": "EPSG", "code": 2263}}}, "another coordinate reference system"),
        ({"crs": None}, "another coordinate reference system"),
        ({"crs": {"id": 1}}, "metadata that cannot be read"),
        ({"crs": "x"}, "without an id, which is not longitude and latitude"),
        ({"crs": {"type": "GeographicCRS", "datum": {"name": "Pulkovo 1942"}}}, "without an id"),
        ({"encoding": "multipoint"}, "neither WKB nor native points"),
    ],
)
def test_geoparquet_of_another_reference_system_is_refused(metadata: Any, cause: str, tmp_path: Path) -> None:
    path = write_geo(tmp_path / "a.parquet", **{"encoding": "WKB", **metadata})
    with pytest.raises(SourceError, match=cause):
        open_records(path, plan(GEOMETRY))


def test_a_reference_system_without_an_id_is_known_by_its_definition(tmp_path: Path) -> None:
    assert counts(plan(GEOMETRY), write_geo(tmp_path / "a.parquet", crs=WGS84)) == WANTED
    column = pa.array([wkb(1, x, y) for x, y in zip(X, Y, strict=True)])
    other = {"ARROW:extension:name": "geoarrow.wkb", "ARROW:extension:metadata": json.dumps({"crs": "EPSG:2263"})}
    schema = pa.schema([pa.field("place", pa.binary(), metadata=other)])
    pq.write_table(pa.table([column], schema=schema), tmp_path / "b.parquet")
    with pytest.raises(SourceError, match="EPSG:2263: another coordinate reference system"):
        open_records(tmp_path / "b.parquet", plan(GEOMETRY))


def feature(x: float, y: float, **more: Any) -> str:
    return json.dumps(
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [x, y]}} | more
    )


@pytest.mark.parametrize("mark", ["", "\ufeff", "\x1e"])
@pytest.mark.parametrize("between", ["\n", "\r\n", "\n\n", "\n\x1e"])
def test_geojson_with_a_feature_in_each_line_is_read(mark: str, between: str, tmp_path: Path) -> None:
    lines = [feature(x, y) for x, y in zip(X, Y, strict=True)]
    (tmp_path / "a.geojsonl").write_text(mark + between.join(lines), newline="")
    assert counts(plan(GEOMETRY), tmp_path / "a.geojsonl") == WANTED


def test_lines_of_geojson_are_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "CHUNK", 50)
    path = tmp_path / "a.geojsonl"
    path.write_text("\n".join(feature(x, y) for x, y in zip(X, Y, strict=True)))
    opened = open_records(path, plan(GEOMETRY))
    assert len(opened.parts) > 4
    assert tally(plan(GEOMETRY), opened, b"")[0].tolist() == WANTED


def test_a_document_of_geojson_may_begin_with_a_mark_and_name_its_reference_system(tmp_path: Path) -> None:
    path, features = tmp_path / "a.geojson", ",".join(feature(x, y) for x, y in zip(X, Y, strict=True))
    named = '{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:%s"}}, "features": [%s]}'
    path.write_text("\ufeff" + named % ("OGC:1.3:CRS84", features))
    assert counts(plan(GEOMETRY), path) == WANTED
    path.write_text(named % ("EPSG::2263", features))
    with pytest.raises(SourceError, match="EPSG:2263: another coordinate reference system"):
        open_records(path, plan(GEOMETRY))
    assert counts(plan(GEOMETRY, {"grid": {"crs": "plain", "crs_name": "EPSG:2263"}}), path) == WANTED


def test_a_reference_system_that_the_plan_names_is_taken(tmp_path: Path) -> None:
    path = write_geo(tmp_path / "a.parquet", crs={"id": {"authority": "EPSG", "code": 2263}})
    assert counts(plan(GEOMETRY, {"grid": {"crs": "plain", "crs_name": "EPSG:2263"}}), path) == WANTED
    path = write_geo(tmp_path / "b.parquet", crs={"id": {"authority": "EPSG", "code": 4326}})
    assert counts(plan(GEOMETRY), path) == WANTED


def test_a_file_that_is_gone_or_changed_is_no_fault_of_a_record(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv")
    opened = open_records(path, plan())
    path.unlink()
    with pytest.raises(SourceError, match="are not what was checked"):
        list(read_part(opened, opened.parts[0]))
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(SourceError):
            open_records(path, plan())


def test_no_record_can_stop_a_count(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(
        b"lon,lat,who\n0.5,1.5,a\n0.5,1.5\n,,\nx,y,z\n0.5,1.5,\n\x00\xff,\x00,\xff\n"
        + b"9" * 5000
        + b",1,a\n1e999,nan,a\n"
    )
    assert counts(plan(), tmp_path / "a.csv") == [[0, 0, 0, 0], [0, 2, 0, 0]]
    assert counts(plan(PERSON), tmp_path / "a.csv") == [[0, 0, 0, 0], [0, 1, 0, 0]]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_text_says_records_as_the_plan_states(encoding: str, tmp_path: Path) -> None:
    written = {"separator": ";", "decimal": ",", "dates": "%d.%m.%Y", "encoding": encoding}
    chosen = plan({"format": written, "input": {"x": "L\u00e4nge"}}, SLICED)
    rows = [f"{x};{y};05.01.2020".replace(".", ",", 2) for x, y in ((-0.5, 0.5), (0.5, 1.5), (0.5, 1.5))]
    path = tmp_path / "a.csv"
    path.write_text("L\u00e4nge;lat;time\n" + "\n".join(rows) + "\n", encoding=encoding)
    assert counts(chosen, path) == WANTED
    assert not validate(chosen, open_records(path, chosen)).value.problems.listed
    assert plan().digest == plan({"format": {"separator": ","}}).digest != plan({"format": written}).digest
