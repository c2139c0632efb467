"""`starling places count`, `compare`, `hotspots`, `map` and `export`: what they answer, and what they refuse."""

import json
from pathlib import Path

import click
import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from starling import open_release
from starling.cli import main
from starling.places.analysis import PlacesRelease
from tests.places.plans import SLICED, VALUED, write_world

RECTANGLES = "x0,y0,x1,y1\n0,0,4,2\n0.5,0,2,1.5\n-1,0,2,2\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_world(folder)
        (folder / "rectangles.csv").write_text(RECTANGLES)
        for name in ("release", "other"):
            call("release", "plan.toml", "--records", "records.csv", "--out", name, "--unvalidated", "--yes")
        (folder / "plan.toml").unlink()
        write_world(folder, SLICED)
        call("release", "plan.toml", "--records", "records.csv", "--out", "sliced", "--unvalidated", "--yes")
        write_world(folder, VALUED)
        (folder / "fares.csv").write_text("lon,lat,fare\n" + "0.5,0.5,2\n" * 40)
        call("release", "plan.toml", "--records", "fares.csv", "--out", "valued", "--unvalidated", "--yes")
    return folder


@pytest.fixture
def folder(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in world.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["places", *map(str, words)])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.slow
def test_the_examples_work_when_pasted(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.cli.browser.mkdtemp", lambda **_: str(tmp_path))
    group = main.get_command(click.Context(main), "places")
    assert isinstance(group, click.Group)
    for verb in ("count", "compare", "hotspots", "map", "export"):
        command = group.get_command(click.Context(group), verb)
        words = command.example.split()[2:]  # type: ignore[union-attr]
        if verb == "hotspots":
            words = ["hotspots", "release", "--k", "2"]
        call(*words)


def test_rectangles_are_counted_as_the_release_says(folder: Path) -> None:
    found = json.loads(call("count", "release", "--rectangles", "rectangles.csv", "--json").stdout)
    with open_release(folder / "release") as opened:
        assert isinstance(opened, PlacesRelease)
        grid = opened.grid()
        sure = opened.released().count(np.array([[0.0, 0, 4, 2]]))
    assert found["counts"][0] == pytest.approx(grid.sum())
    assert found["counts"][2] == pytest.approx(grid[:, :2].sum())
    assert found["clipped"] == [False, False, True]
    assert (found["lower"][0], found["upper"][0]) == (sure.lower, sure.upper)
    wider = json.loads(call("count", "release", "--rectangles", "rectangles.csv", "--level", "0.999", "--json").stdout)
    assert wider["upper"][0] > found["upper"][0]
    together = json.loads(call("count", "release", "--rectangles", "rectangles.csv", "--together", "--json").stdout)
    assert all(one >= other for one, other in zip(together["upper"], found["upper"], strict=True))
    assert together["upper"] != found["upper"]
    text = call("count", "release", "--rectangles", "rectangles.csv").stdout
    assert "reaches beyond the grid" in text
    assert "interval from" in text


@pytest.mark.slow
def test_polygons_and_hexagons_are_counted(folder: Path) -> None:
    ring = [[-1, 0], [3, 0], [3, 2], [-1, 2], [-1, 0]]
    (folder / "polygons.json").write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}))
    whole = json.loads(call("count", "release", "--rectangles", "rectangles.csv", "--json").stdout)["counts"][0]
    asked = ("count", "release", "--polygons", "polygons.json", "--no-typical", "--json")
    found = json.loads(call(*asked).stdout)
    assert found["counts"] == [pytest.approx(whole)]
    in_box = json.loads(call(*asked, "--units", "box").stdout)
    assert in_box == found
    h3 = pytest.importorskip("h3", reason="the extra `test` installs it")
    (folder / "hexagons.txt").write_text(h3.latlng_to_cell(1.0, 1.0, 5) + "\n")
    assert len(json.loads(call("count", "release", "--hexagons", "hexagons.txt", "--json").stdout)["counts"]) == 1


def test_releases_and_slices_are_compared(folder: Path) -> None:
    one, two = (
        json.loads(call("count", name, "--rectangles", "rectangles.csv", "--json").stdout)["counts"]
        for name in ("release", "other")
    )
    less = json.loads(call("compare", "release", "other", "--rectangles", "rectangles.csv", "--json").stdout)
    both = json.loads(call("compare", "release", "other", "--sum", "--rectangles", "rectangles.csv", "--json").stdout)
    assert less["counts"] == pytest.approx([a - b for a, b in zip(one, two, strict=True)])
    assert both["counts"] == pytest.approx([a + b for a, b in zip(one, two, strict=True)])
    words = ("--slice", "January", "--other-slice", "February", "--rectangles", "rectangles.csv", "--json")
    assert len(json.loads(call("compare", "sliced", "sliced", *words).stdout)["lower"]) == 3


def test_a_release_is_not_compared_with_itself(folder: Path) -> None:
    told = call("compare", "release", "release", "--rectangles", "rectangles.csv", code=2).stderr
    assert "is compared with itself" in told


def test_hotspots_are_ranked(folder: Path) -> None:
    found = json.loads(call("hotspots", "release", "--k", "8", "--json").stdout)
    assert sorted(found["counts"], reverse=True) == found["counts"]
    assert found["sure"] == [True] * 8
    assert found["chance"] == [1.0] * 8
    assert json.loads(call("hotspots", "release", "--k", "8", "--no-chance", "--json").stdout)["chance"] is None
    assert call("hotspots", "release", "--k", "8").stdout.count("over 0.99") == 8
    text = call("hotspots", "sliced", "--slice", "January", "--k", "1").stdout
    assert "surely among them" in text
    assert "A chance is no promise" in text


def test_a_chance_that_is_not_stated_is_no_number(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.places.typical.ranking.LEAST", 1.1)
    assert json.loads(call("hotspots", "release", "--k", "2", "--json").stdout)["chance"] == [None, None]
    assert "below 0.6" in call("hotspots", "release", "--k", "2").stdout


@pytest.mark.slow
def test_a_map_and_exports_are_written(folder: Path) -> None:
    call("map", "release", "--out", "new.html")
    assert "<canvas" in (folder / "new.html").read_text()
    assert "typical error is experience" in (folder / "new.html").read_text()
    call("map", "release", "--no-typical", "--out", "plain.html")
    assert "typical error is experience" not in (folder / "plain.html").read_text()
    assert "exists" in call("map", "release", "--out", "new.html", code=74).stderr
    pytest.importorskip("h3", reason="the extra `test` installs it")
    made = json.loads(call("export", "release", "--h3", "3", "--out", "formats", "--json").stdout)["files"]
    assert set(made) == {"boxes.parquet", "boxes.geojson", "grid.npz", "h3-3.parquet"}
    with np.load(made["grid.npz"]) as file, open_release(folder / "release") as opened:
        assert isinstance(opened, PlacesRelease)
        assert (file["counts"] == opened.grid()).all()


def test_means_of_a_value_are_told(folder: Path) -> None:
    found = json.loads(call("means", "valued", "--rectangles", "rectangles.csv", "--level", "0.9", "--json").stdout)
    with open_release(folder / "valued") as opened:
        assert isinstance(opened, PlacesRelease)
        result = opened.means([[0, 0, 4, 2]], level="0.9")
    assert result.means_lower is not None
    assert (found["points"][0], found["means_lower"][0]) == (result.points[0], result.means_lower[0])
    assert "mean from" in call("means", "valued", "--slice", "all", "--rectangles", "rectangles.csv").stdout
    wrong = call("means", "valued", "--slice", "fare above -2", "--rectangles", "rectangles.csv", code=2)
    assert "without a layer; name one of all" in wrong.stderr
    assert "no value whose means" in call("means", "release", "--rectangles", "rectangles.csv", code=2).stderr


@pytest.mark.slow
def test_means_of_boxes_are_exported(folder: Path) -> None:
    made = json.loads(call("export", "valued", "--out", "means", "--json").stdout)["files"]
    assert set(made) == {"boxes.parquet", "boxes.geojson"}
    table = pq.read_table(made["boxes.parquet"])
    with open_release(folder / "valued") as opened:
        assert isinstance(opened, PlacesRelease)
        boxes, _ = opened.boxes("fare above -2")
        wanted = opened.means(boxes[:, [2, 0, 3, 1]])
    assert table["sum"].to_pylist() == wanted.sums.tolist()
    assert table["mean"].to_pylist() == wanted.as_json()["means"]
    features = json.loads((folder / "means" / "boxes.geojson").read_text())["features"]
    assert [each["properties"]["mean"] for each in features] == wanted.as_json()["means"]
    assert wanted.means_upper is not None
    assert table["mean_to"].to_pylist() == wanted.means_upper.tolist()
    assert "name one" in call("export", "valued", "--rounded", "--out", "none", code=2).stderr
    layer = json.loads(
        call("export", "valued", "--slice", "fare below 3", "--rounded", "--out", "layer", "--json").stdout
    )
    assert "grid.npz" in {Path(each).name for each in layer["files"]}


def test_exports_have_whole_numbers_where_they_are_wanted(folder: Path) -> None:
    made = json.loads(call("export", "release", "--rounded", "--out", "whole", "--json").stdout)["files"]
    with np.load(made["grid.npz"]) as file, open_release(folder / "release") as opened:
        assert isinstance(opened, PlacesRelease)
        assert file["counts"].dtype == np.int64
        assert (file["counts"] == opened.rounded()).all()


def test_a_map_of_all_slices_is_opened_in_the_browser(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("starling.cli.browser.show", opened.append)
    call("map", "sliced", "--no-typical", "--out", "opened.html", "--open")
    assert opened == [(folder / "opened.html").as_uri()]
    text = (folder / "opened.html").read_text()
    assert "January" in text
    assert "February" in text


@pytest.mark.slow
def test_a_sparse_release_is_counted_drawn_and_written_as_boxes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_world(tmp_path, {"grid": {"rows": 1 << 13, "columns": 1 << 14}, "method": {"name": "adaptive"}})
    made = call("release", "plan.toml", "--records", "records.csv", "--out", "release", "--unvalidated", "--yes").stdout
    assert "boxes.parquet" in made
    assert "cells.parquet" not in made
    (tmp_path / "asked.csv").write_text("x0,y0,x1,y1\n0,0,16384,8192\n0.5,0,100,8192\n")
    found = json.loads(call("count", "release", "--rectangles", "asked.csv", "--json").stdout)
    assert len(found["counts"]) == 2
    call("map", "release", "--out", "map.html")
    assert "A cell of the page is 32 by 32 cells" in (tmp_path / "map.html").read_text()
    files = json.loads(call("export", "release", "--out", "formats", "--json").stdout)["files"]
    assert set(files) == {"boxes.parquet", "boxes.geojson"}
    assert "sparse" in call("hotspots", "release", code=2).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("count", "release"), "Give --rectangles"),
        (("count", "release", "--rectangles", "a", "--hexagons", "b"), "Give --rectangles"),
        (("count", "release", "--hexagons", "b", "--units", "box"), "have no --units"),
        (("count", "release", "--rectangles", "none.csv"), "cannot be read"),
        (("count", "release", "--rectangles", "rectangles.csv", "--level", "1"), "is not between 0 and 1"),
        (("count", "sliced", "--rectangles", "rectangles.csv"), "name one of January, February"),
        (("map", "sliced", "--slice", "May", "--out", "may.html"), "is not in the plan"),
        (("map", "release"), "Give --out, --open, or both"),
    ],
)
def test_what_makes_no_sense_is_refused(folder: Path, words: tuple[str, ...], said: str) -> None:
    assert said in call(*words, code=2).stderr
