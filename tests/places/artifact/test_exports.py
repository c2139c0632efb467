"""Exports come back from GeoPandas, DuckDB, Shapely and NumPy as they went out."""

import json
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pyarrow.parquet as pq
import pytest
import shapely

from starling.errors import OutputError, ParameterError
from starling.places.answers.coordinates import ends_in_box, reference_system
from starling.places.answers.rectangles import CumulativeGrid
from starling.places.artifact.exports import hexagon_table, write_all, write_geojson, write_geoparquet, write_npz
from starling.places.plan.grid import Crs, Grid
from starling.places.postprocess.leaves import counted

BOXES = np.array([[0, 2, 0, 3], [2, 4, 0, 3], [0, 4, 3, 6]], dtype=np.int32)
COUNTS = np.array([1.5, 20.25, 300.0])
CITY = Grid((Fraction("-74.3"), Fraction("40.5"), Fraction("-73.7"), Fraction(41)), 4, 6, "degrees")
GEOMETRIES = [
    (-74.3, 40.5, -74.0, 40.75),
    (-74.3, 40.75, -74.0, 41.0),
    (-74.0, 40.5, -73.7, 41.0),
]


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    path = tmp_path / "leaves.parquet"
    write_geoparquet(path, CITY, BOXES, {"count": COUNTS, "cells": np.array([6, 6, 12])})
    return path


def test_geopandas_reads_the_boxes_back(parquet: Path) -> None:
    geopandas = pytest.importorskip("geopandas", reason="the extra `test` installs it")
    read = geopandas.read_parquet(parquet)
    assert read.crs.to_authority() == ("OGC", "CRS84")
    assert read["count"].tolist() == COUNTS.tolist()
    assert read["cells"].tolist() == [6, 6, 12]
    assert read.geometry.is_valid.all()
    assert np.array(read.geometry.bounds) == pytest.approx(np.array(GEOMETRIES))
    assert read.geometry.set_crs(None, allow_override=True).area.to_numpy() == pytest.approx(
        np.array([6, 6, 12]) * 0.0125
    )
    assert all(each.exterior.is_ccw for each in read.geometry)
    again = parquet.with_name("again.parquet")
    read.to_parquet(again)
    assert geopandas.read_parquet(again).equals(read)


def test_duckdb_reads_them_as_geometries(parquet: Path) -> None:
    """Its core knows GeoParquet; functions on areas are in the extension `spatial`, which is fetched where it is used, so not here."""
    table = (
        duckdb.connect()
        .sql(f"select count, st_astext(geometry) as words, typeof(geometry) from '{parquet}'")
        .fetchall()
    )
    assert [row[0] for row in table] == COUNTS.tolist()
    assert {row[2] for row in table} == {"GEOMETRY('OGC:CRS84')"}
    shapely = pytest.importorskip("shapely", reason="the extra `test` installs it")
    bounds = shapely.bounds(shapely.from_wkt([row[1] for row in table]))
    assert bounds == pytest.approx(np.array(GEOMETRIES))


def test_other_coordinates_are_stated(tmp_path: Path) -> None:
    metres = (Fraction(0), Fraction(0), Fraction(6000), Fraction(4000))
    plain = Grid(metres, 4, 6, "plain", "EPSG:2263")
    for grid in (Grid(metres, 4, 6, "equal-area"), plain):
        path = tmp_path / f"{grid.crs}.parquet"
        write_geoparquet(path, grid, BOXES, {"count": COUNTS})
        about = json.loads(pq.read_schema(path).metadata[b"geo"])["columns"]["geometry"]
        assert about["crs"] == reference_system(grid)
        assert about["bbox"] == [0, 0, 6000, 4000]
    geopandas = pytest.importorskip("geopandas", reason="the extra `test` installs it")
    read = geopandas.read_parquet(tmp_path / "equal-area.parquet")
    assert read.crs.is_projected
    assert geopandas.read_parquet(tmp_path / "plain.parquet").crs.to_epsg() == 2263
    with pytest.raises(ParameterError, match="plain units"):
        write_geojson(tmp_path / "x.geojson", plain, BOXES, {"count": COUNTS})


def test_geojson_is_read_by_geopandas_and_shapely(tmp_path: Path) -> None:
    path = tmp_path / "leaves.geojson"
    write_geojson(path, CITY, BOXES, {"count": COUNTS})
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["features"][1]["properties"] == {
        "first_row": 2,
        "end_row": 4,
        "first_column": 0,
        "end_column": 3,
        "count": 20.25,
    }
    shapely = pytest.importorskip("shapely", reason="the extra `test` installs it")
    read = shapely.from_geojson(path.read_text(encoding="utf-8"))
    assert shapely.bounds(np.array(read.geoms)) == pytest.approx(np.array(GEOMETRIES))
    geopandas = pytest.importorskip("geopandas", reason="the extra `test` installs it")
    frame = geopandas.GeoDataFrame.from_features(document)
    assert frame["count"].tolist() == COUNTS.tolist()


def test_the_grid_comes_back_with_its_edges(tmp_path: Path) -> None:
    path = tmp_path / "grid.npz"
    grid = np.arange(24.0).reshape(4, 6) / 7
    write_npz(path, CITY, grid)
    with np.load(path) as file:
        assert (file["counts"] == grid).all()
        assert file["x"] == pytest.approx(np.linspace(-74.3, -73.7, 7))
        assert file["y"] == pytest.approx(np.linspace(40.5, 41.0, 5))


@pytest.mark.slow
def test_a_table_of_h3_cells_has_all_points(tmp_path: Path) -> None:
    h3 = pytest.importorskip("h3", reason="the extra `test` installs it")
    grid = CumulativeGrid(np.random.default_rng(3).poisson(9.0, (4, 6)))
    table = hexagon_table(CITY, grid, 6)
    path = tmp_path / "h3.parquet"
    pq.write_table(table, path)
    read = duckdb.connect().sql(f"select * from '{path}'").to_arrow_table()
    assert read.equals(table)
    cells, counts, share = (table[name].to_numpy(zero_copy_only=False) for name in ("h3", "count", "share"))
    assert counts.sum() == pytest.approx(grid.grid.sum())
    assert all(h3.is_valid_cell(cell) and h3.get_resolution(cell) == 6 for cell in cells)
    assert (share > 0).all()
    assert share.max() == 1
    # A cell well inside lies in the box as a whole; one over its edge does not.
    within = [all(-74.3 < x < -73.7 and 40.5 < y < 41 for y, x in h3.cell_to_boundary(cell)) for cell in cells]
    assert share[within] == pytest.approx(1.0)
    assert (share[~np.array(within)] < 1).all()


@pytest.mark.slow
def test_on_the_antimeridian_the_share_is_of_the_whole_cell() -> None:
    pytest.importorskip("h3", reason="the extra `test` installs it")
    grid = CumulativeGrid(np.ones((18, 36)))
    world = Grid((Fraction(-180), Fraction(-90), Fraction(180), Fraction(90)), 18, 36, "degrees")
    table = hexagon_table(world, grid, 0)
    assert table.num_rows == 122
    assert table["share"].to_numpy() == pytest.approx(1.0)
    assert table["count"].to_numpy().sum() == pytest.approx(18 * 36)


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    for name in ("grid.npz", "leaves.geojson"):
        (tmp_path / name).write_text("mine")
    with pytest.raises(FileExistsError):
        write_npz(tmp_path / "grid.npz", CITY, np.ones((4, 6)))
    with pytest.raises(FileExistsError):
        write_geojson(tmp_path / "leaves.geojson", CITY, BOXES, {"count": COUNTS})
    assert {(tmp_path / name).read_text() for name in ("grid.npz", "leaves.geojson")} == {"mine"}


@pytest.mark.slow
def test_all_formats_of_a_release_in_one_folder(tmp_path: Path) -> None:
    pytest.importorskip("h3", reason="the extra `test` installs it")
    released = CumulativeGrid(np.random.default_rng(3).poisson(9.0, (4, 6)))
    created = write_all(tmp_path / "out", CITY, released, BOXES, COUNTS, resolution=5)
    assert [path.name for path in created] == ["boxes.parquet", "grid.npz", "boxes.geojson", "h3-5.parquet"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(path.name for path in created)
    with pytest.raises(OutputError, match="exists"):
        write_all(tmp_path / "out", CITY, released, BOXES, COUNTS)
    plain = Grid(CITY.box, 4, 6, "plain", "EPSG:2263")
    created = write_all(tmp_path / "plain", plain, released, BOXES, COUNTS)
    assert [path.name for path in created] == ["boxes.parquet", "grid.npz"]
    with pytest.raises(ParameterError, match="plain units"):
        write_all(tmp_path / "no", plain, released, BOXES, COUNTS, resolution=5)
    assert not (tmp_path / "no").exists()


def test_a_sparse_grid_goes_out_as_boxes_alone(tmp_path: Path) -> None:
    created = write_all(tmp_path / "out", CITY, None, BOXES, COUNTS)
    assert [path.name for path in created] == ["boxes.parquet", "boxes.geojson"]
    with pytest.raises(ParameterError, match="h3 needs a table of cells"):
        write_all(tmp_path / "no", CITY, None, BOXES, COUNTS, resolution=5)
    assert not (tmp_path / "no").exists()


def test_whole_numbers_are_written_where_they_are_wanted(tmp_path: Path) -> None:
    cells = np.random.default_rng(3).exponential(0.4, (4, 6))
    released, counts = CumulativeGrid(cells), counted(cells, BOXES)
    write_all(tmp_path / "out", CITY, released, BOXES, counts, rounded=True)
    boxes = pq.read_table(tmp_path / "out" / "boxes.parquet")["count"]
    features = json.loads((tmp_path / "out" / "boxes.geojson").read_text(encoding="utf-8"))["features"]
    with np.load(tmp_path / "out" / "grid.npz") as file:
        whole = file["counts"]
    assert boxes.type == "int64"
    assert whole.dtype == np.int64
    assert sum(boxes.to_pylist()) == whole.sum() == round(counts.sum())
    assert [each["properties"]["count"] for each in features] == boxes.to_pylist()
    assert boxes.to_pylist() == [int(whole[s:n, w:e].sum()) for s, n, w, e in BOXES.tolist()]
    write_all(tmp_path / "sparse", CITY, None, BOXES, counts, rounded=True)
    assert pq.read_table(tmp_path / "sparse" / "boxes.parquet")["count"].equals(boxes)


@pytest.mark.slow
def test_h3_cells_in_whole_numbers_keep_the_sum() -> None:
    pytest.importorskip("h3", reason="the extra `test` installs it")
    released = CumulativeGrid(np.random.default_rng(3).exponential(0.4, (4, 6)))
    table = hexagon_table(CITY, released, 6, rounded=True)
    assert table["count"].type == "int64"
    assert sum(table["count"].to_pylist()) == round(released.grid.sum())


@pytest.mark.parametrize("crs", ["degrees", "equal-area"])
def test_boxes_across_the_antimeridian_are_cut_there(tmp_path: Path, crs: Crs) -> None:
    scale = 1 if crs == "degrees" else 111_000
    across = Grid((Fraction(171 * scale), Fraction(-20 * scale), Fraction(-171 * scale), Fraction(0)), 2, 3, crs)
    boxes = np.array([[0, 2, 0, 1], [0, 1, 1, 3], [1, 2, 1, 2], [1, 2, 2, 3]], dtype=np.int32)
    numbers = {"count": np.arange(4.0)}
    write_geojson(tmp_path / "boxes.geojson", across, boxes, numbers)
    features = json.loads((tmp_path / "boxes.geojson").read_text())["features"]
    shapes = [shapely.geometry.shape(each["geometry"]) for each in features]
    assert [each.geom_type for each in shapes] == ["Polygon", "MultiPolygon", "MultiPolygon", "Polygon"]
    assert all(each.is_valid and -180 <= each.bounds[0] < each.bounds[2] <= 180 for each in shapes)
    assert shapely.union_all(shapes).area == pytest.approx(sum(each.area for each in shapes))
    write_geoparquet(tmp_path / "boxes.parquet", across, boxes, numbers)
    read = shapely.from_wkb(pq.read_table(tmp_path / "boxes.parquet")["geometry"].to_pylist())
    assert [each.geom_type for each in read] == [each.geom_type for each in shapes]
    if crs == "degrees":
        assert shapely.equals(read, shapes).all()
    ends = ends_in_box(across, boxes)
    assert [x0 > x1 for x0, _, x1, _ in ends.tolist()] == [False, True, True, False]
