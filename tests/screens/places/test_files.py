"""Files of a slice for other programs are those that the command line writes."""

import io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from starling import places
from starling.places.analysis import PlacesRelease
from starling.screens.places.files import KINDS, files_of
from tests.places.plans import values, write_world
from tests.screens.conftest import Reader


@pytest.mark.parametrize("slice", ["January", "February"])
def test_each_file_has_the_numbers_of_its_slice(release: PlacesRelease, slice: str) -> None:
    reader = Reader(release)

    def body(name: str, more: str = "") -> bytes:
        reply = reader.get(f"/map/download/{name}", f"slice={slice}{more}")
        assert reply.status == 200
        assert reply.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        return reply.opened().read()

    boxes, counts = release.boxes(slice)
    assert pq.read_table(io.BytesIO(body("boxes.parquet")))["count"].to_pylist() == counts.tolist()
    features = json.loads(body("boxes.geojson"))["features"]
    assert [each["properties"]["count"] for each in features] == counts.tolist()
    assert [each["properties"]["first_row"] for each in features] == boxes[:, 0].tolist()
    assert np.array_equal(np.load(io.BytesIO(body("grid.npz")))["counts"], release.grid(slice))
    pytest.importorskip("h3", reason="the extra `test` installs it")
    table = pq.read_table(io.BytesIO(body("h3.parquet", "&resolution=3")))
    expected = release.released(slice).count_hexagons(table["h3"].to_pylist()).counts
    assert table["count"].to_pylist() == pytest.approx(expected.tolist())


def test_files_in_whole_numbers_keep_the_sum(release: PlacesRelease) -> None:
    reader = Reader(release)
    page = reader.read("/map").decode()
    for name in ("boxes.parquet", "boxes.geojson", "grid.npz"):
        assert f"/map/download/{name}?slice=January&amp;rounded=yes" in page

    def body(name: str, more: str = "") -> io.BytesIO:
        return io.BytesIO(reader.get(f"/map/download/{name}", f"slice=January&rounded=yes{more}").opened().read())

    whole = np.load(body("grid.npz"))["counts"]
    assert whole.tolist() == release.rounded("January").tolist()
    assert sum(pq.read_table(body("boxes.parquet"))["count"].to_pylist()) == whole.sum()
    pytest.importorskip("h3", reason="the extra `test` installs it")
    counts = pq.read_table(body("h3.parquet", "&resolution=1"))["count"].to_pylist()
    assert all(isinstance(each, int) for each in counts)


@pytest.mark.parametrize(
    ("name", "query"),
    [("none", ""), ("h3.parquet", "resolution=16"), ("grid.npz", "slice=x"), ("h3.parquet", "resolution=x")],
)
def test_what_is_not_there_is_refused(release: PlacesRelease, name: str, query: str) -> None:
    assert Reader(release).get(f"/map/download/{name}", query).status == 422


def test_without_the_extra_h3_it_is_named(release: PlacesRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "h3", None)
    reply = Reader(release).get("/map/download/h3.parquet", "resolution=3")
    assert reply.status == 422
    assert "extra h3" in reply.opened().read().decode()


def test_a_grid_of_plain_units_has_no_degrees(tmp_path: Path) -> None:
    plain = {"grid": {"crs": "plain", "crs_name": "EPSG:2263"}}
    with places.Plan.of(values(plain)).release(write_world(tmp_path), out=tmp_path / "out") as opened:
        assert isinstance(opened, PlacesRelease)
        assert files_of(opened) == ["boxes.parquet", "grid.npz"]
        page = Reader(opened).read("/map").decode()
        assert "GeoJSON" not in page
        assert "H3" not in page
        assert {name for name in KINDS if Reader(opened).get(f"/map/download/{name}").status == 422} == {
            "boxes.geojson",
            "h3.parquet",
        }
