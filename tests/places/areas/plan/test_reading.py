"""Every form of a file gives the same areas, and what is no file of areas is refused with the reason."""

import gzip
import json
from pathlib import Path
from typing import Any

import geopandas
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import PlanError
from starling.places.areas.pictures.choropleth import Shaded, choropleth
from starling.places.areas.plan.reading import read_areas
from starling.places.areas.source.locate import Locator
from tests.places.areas.worlds import document, feature, square

PROPERTIES = ("id", "", ("side",))


def test_all_forms_give_equal_areas(tmp_path: Path) -> None:
    text = json.dumps(document())
    (tmp_path / "a.geojson").write_text(text)
    (tmp_path / "a.geojson.gz").write_bytes(gzip.compress(text.encode()))
    geopandas.read_file(tmp_path / "a.geojson").to_parquet(tmp_path / "a.parquet")
    digests = {read_areas(each, PROPERTIES).digest for each in tmp_path.iterdir()}
    assert len(digests) == 1


@pytest.mark.slow
def test_the_canonical_text_gives_itself(tmp_path: Path, shared_data: Path) -> None:
    areas = read_areas(shared_data / "places" / "taxi_zones.geojson.gz", ("LocationID", "zone", ("borough",)))
    (tmp_path / "again.geojson").write_text(areas.text())
    assert read_areas(tmp_path / "again.geojson", areas.properties).text() == areas.text()
    assert (len(areas), len(areas.nodes[1]), areas.overlaps) == (263, 6, ())


def metres(path: Path) -> None:
    frame = geopandas.GeoDataFrame.from_features(document()["features"], crs="EPSG:4326")
    frame.to_crs("EPSG:3857").to_parquet(path)


def line(path: Path) -> None:
    named = feature({"id": 1}, square(0, 0))
    named["geometry"] = {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [named, named]}))


def collection(*rings: Any, **more: Any) -> Any:
    def write(path: Path) -> None:
        features = [feature({"id": at, "side": "n"}, *rings) for at in range(2)]
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features, **more}))

    return write


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (metres, "not in degrees"),
        (line, "no polygon in feature 1"),
        (collection([[0, 0], [1, 0], [1, 1]]), "without closed rings"),
        (collection(square(200, 0)), "no longitude and latitude"),
        (collection(), "without closed rings"),
        (collection([[0, 0], [0, 1], [0, 2], [0, 0]]), "without an area in feature 1"),
        (collection([[0, 0], [5, 0], [5, 5], [5, 0], [0, 0]]), "without an area in feature 1"),
        (collection(square(0, 0), crs={"properties": {"name": "EPSG:2263"}}), "not in degrees"),
        (lambda path: path.write_text("a,b\n1,2\n"), "neither GeoJSON nor GeoParquet"),
        (lambda path: path.write_text("[]"), "no feature collection"),
        (lambda path: path.write_bytes(b"\x1f\x8bno"), "cannot be read"),
        (lambda path: path.write_bytes(b"PAR1no"), "cannot be read as GeoParquet"),
        (lambda _: None, "cannot be read"),
    ],
)
def test_what_is_no_file_of_areas_is_refused(tmp_path: Path, write: Any, words: str) -> None:
    write(tmp_path / "file")
    with pytest.raises(PlanError, match=words):
        read_areas(tmp_path / "file", PROPERTIES)


RINGS = st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 90, -90, 1e-300, 1e-7])] * 2), min_size=3, max_size=8)


@pytest.mark.examples(20)
@given(st.lists(RINGS, min_size=2, max_size=4))
def test_polygons_that_are_taken_break_nothing_after_a_charge(
    tmp_path_factory: pytest.TempPathFactory, shapes: list[list[tuple[float, float]]]
) -> None:
    """Whether they cross or touch themselves, have spikes or no width: they are refused, or located and drawn."""
    path = tmp_path_factory.getbasetemp() / "shapes.geojson"
    features = [
        feature({"id": at, "side": "n"}, [list(corner) for corner in (*ring, ring[0])])
        for at, ring in enumerate(shapes)
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    try:
        areas = read_areas(path, PROPERTIES)
    except PlanError:
        return
    x, y = (np.tile([-90.0, 0, 0.5, 1, 2, 90], 6), np.repeat([-90.0, 0, 0.5, 1, 2, 90], 6))
    locator = Locator(areas, 16)
    assert locator.assign(x, y).tolist() == locator.ask(x, y).tolist()
    assert choropleth(areas.geometries, Shaded(np.zeros(len(areas)), [True] * len(areas), (), "trips")).svg(
        "map", "A map"
    )
    assert len(shapely.get_coordinates(shapely.point_on_surface(areas.geometries))) == len(areas)
