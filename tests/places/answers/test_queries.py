"""Files of queries: what is read, and what is refused with its line."""

import json
from pathlib import Path

import pytest

from starling.errors import ParameterError
from starling.places.answers.queries import read_hexagons, read_polygons, read_rectangles

RING = [[0, 0], [1, 0], [1, 1], [0, 0]]
POLYGON = {"type": "Polygon", "coordinates": [RING]}


def written(folder: Path, text: str) -> Path:
    path = folder / "queries"
    path.write_text(text, encoding="utf-8")
    return path


def test_rectangles_by_the_names_of_columns(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeffname,y0, x0,x1,y1\na,1,0.5,2,3e0\n\nb,-1,-2,-2,-1\n")
    assert read_rectangles(path).tolist() == [[0.5, 1, 2, 3], [-2, -1, -2, -1]]
    assert read_rectangles(written(tmp_path, "x0,y0,x1,y1\n")).shape == (0, 4)


@pytest.mark.parametrize("header", ["", "x0,y0,x1\n", "x0,y0,x1,y1,x0\n", "0,0,1,1\n"])
def test_a_file_without_its_columns_is_refused(tmp_path: Path, header: str) -> None:
    with pytest.raises(ParameterError, match="has no header with x0, y0, x1 and y1"):
        read_rectangles(written(tmp_path, header))


def test_all_bad_lines_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, "x0,y0,x1,y1\n0,0,1,1\n2,0,1,1\n0,0,1\n0,0,1,x\n0,0,nan,1\n0,0,1,inf\n")
    with pytest.raises(ParameterError) as caught:
        read_rectangles(path)
    assert [problem.line for problem in caught.value.problems] == [3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    "document",
    [
        POLYGON,
        {"type": "Feature", "geometry": POLYGON, "properties": {}},
        {"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": POLYGON, "properties": None}]},
    ],
)
def test_polygons_of_any_geojson(tmp_path: Path, document: object) -> None:
    assert read_polygons(written(tmp_path, json.dumps(document))) == [POLYGON]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "1",
        '{"type": "Point", "coordinates": [0, 0]}',
        '{"type": "FeatureCollection"}',
        "{]",
        "[" * 100_000,
    ],
)
def test_what_is_no_geojson_of_polygons_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ParameterError, match="is no GeoJSON of polygons"):
        read_polygons(written(tmp_path, text))


def test_hexagons_one_a_line(tmp_path: Path) -> None:
    assert read_hexagons(written(tmp_path, "872a1072bffffff\n\n 872a10728ffffff \n")) == [
        "872a1072bffffff",
        "872a10728ffffff",
    ]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot be read"):
        read_hexagons(tmp_path / "none")
    path = tmp_path / "latin"
    path.write_bytes(b"\xe9")
    with pytest.raises(ParameterError, match="is not UTF-8"):
        read_rectangles(path)


def test_each_feature_that_is_no_polygon_is_named(tmp_path: Path) -> None:
    features = [{"type": "Feature", "geometry": each} for each in (POLYGON, {"type": "Point"}, POLYGON, None)]
    with pytest.raises(ParameterError) as refused:
        read_polygons(written(tmp_path, json.dumps({"type": "FeatureCollection", "features": features})))
    assert [each.field for each in refused.value.problems] == ["feature 2", "feature 4"]
