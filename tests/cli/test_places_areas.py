"""`starling places` for areas: every verb takes their plan, and analysts ask unions; what is of a grid alone is refused."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from starling.cli import main
from starling.planfile.values import toml_of
from tests.places.areas.worlds import plan, values


def call(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["places", *map(str, words)])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    plan(folder)
    (folder / "plan.toml").write_text(toml_of(values()))
    (folder / "records.csv").write_text("x,y\n" + "0.5,1.5\n" * 40 + "2.5,0.5\n" * 7)
    words = ("--records", folder / "records.csv", "--unvalidated", "--yes")
    call("release", folder / "plan.toml", *words, "--out", folder / "release")
    return folder


def test_every_verb_takes_a_plan_of_areas(world: Path, tmp_path: Path) -> None:
    assert "2 counted" in call("plan", world / "plan.toml").output
    assert "Standard deviation" in call("preview", world / "plan.toml").output
    assert "is of points on a grid" in call("preview", world / "plan.toml", "--size", "5", code=2).output
    for option in ("--trials", "--seed"):
        assert f"{option} is of points on a grid" in call("preview", world / "plan.toml", option, "2", code=2).output
    call("validate", world / "plan.toml", "--records", world / "records.csv")
    call("generate", world / "plan.toml", "--out", tmp_path / "invented", "--points", "20")
    call("plot", world / "release", "--out", tmp_path / "pictures")
    assert (tmp_path / "pictures" / "areas.svg").is_file()
    words = ("--release", world / "release", "--records", world / "records.csv")
    assert "NOT PRIVATE" in call("evaluate", world / "plan.toml", *words).output
    assert "--seed is of rectangles" in call("evaluate", world / "plan.toml", *words, "--seed", "2", code=2).output
    call("export", world / "release", "--out", tmp_path / "exported")
    assert len(list((tmp_path / "exported").iterdir())) == 3
    call("export", world / "release", "--out", tmp_path / "whole", "--rounded")
    whole = [row["points"] for row in csv.DictReader((tmp_path / "whole" / "areas.csv").open())]
    assert all(str(int(each)) == each for each in whole)
    assert "--h3" in call("export", world / "release", "--out", tmp_path / "x", "--h3", "7", code=2).output


def test_unions_are_asked(world: Path) -> None:
    told = json.loads(call("areas", world / "release", "north", "e", "--json").stdout)
    assert told["lower"] <= told["points"] <= told["upper"]
    assert "95 % interval" in call("areas", world / "release").output
    assert "did you mean" in call("areas", world / "release", "nort", code=2).output


def test_a_release_is_compared_with_another(world: Path, tmp_path: Path) -> None:
    words = ("--records", world / "records.csv", "--unvalidated", "--yes")
    call("release", world / "plan.toml", *words, "--out", tmp_path / "other")
    told = json.loads(call("areas", world / "release", "north", "--minus-release", tmp_path / "other", "--json").stdout)
    assert told["lower"] <= told["points"] <= told["upper"]
    same = call("areas", world / "release", "--minus-release", world / "release", code=2).output
    assert "is the release itself" in same
    (tmp_path / "rho.toml").write_text(toml_of(values(privacy={"unit": "point", "rho": "1"})))
    (tmp_path / "areas.geojson").write_text((world / "areas.geojson").read_text())
    call("release", tmp_path / "rho.toml", *words, "--out", tmp_path / "gaussian")
    assert "for rho" in call("areas", world / "release", "--minus-release", tmp_path / "gaussian", code=2).output


def test_what_asks_a_grid_is_refused(world: Path, tmp_path: Path) -> None:
    (tmp_path / "rectangles.csv").write_text("x0,y0,x1,y1\n0,0,1,1\n")
    words = ("--rectangles", tmp_path / "rectangles.csv")
    assert "starling places areas" in call("count", world / "release", *words, code=2).output
    assert "starling places areas" in call("hotspots", world / "release", code=2).output
