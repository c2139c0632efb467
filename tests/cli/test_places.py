"""`starling places`: its verbs as a new user calls them, through the ledger to a verified release."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from starling.cli import main
from tests.places.plans import PERSON, SLICED, write_world


@pytest.fixture
def call(tmp_path: Path) -> Callable[..., Result]:
    write_world(tmp_path, PERSON, SLICED)

    def called(verb: str, *words: object, code: int = 0, group: str = "places") -> Result:
        result = CliRunner().invoke(main, [str(word) for word in (group, verb, *words)])
        assert result.exit_code == code, result.output
        return result

    return called


def test_plan_opens_no_records_and_states_cost_budget_and_cells(tmp_path: Path, call: Callable[..., Result]) -> None:
    (tmp_path / "records.csv").unlink()
    text = call("plan", tmp_path / "plan.toml").stdout
    assert "epsilon 1, under the replace-one adjacency epsilon 2" in text
    assert "one person, of whom at most 2 points count (add or remove one person)" in text
    assert "2 rows of 4, 8 in each of 2 slices" in text
    assert "cells           1" in text
    said = json.loads(call("plan", tmp_path / "plan.toml", "--json").stdout)
    assert said["cost"]["add-remove"] == {"epsilon": "1", "decimal": "1"}
    assert said["bounds"]["points_of_a_unit"] == 2
    assert said["budget"] == [{"name": "cells", "epsilon": "1"}]


def test_preview_opens_no_records_and_says_which_method_is_best(tmp_path: Path, call: Callable[..., Result]) -> None:
    (tmp_path / "records.csv").unlink()
    assert "expected is missing" in call("preview", tmp_path / "plan.toml", code=65).stderr
    asked = (tmp_path / "plan.toml", "--expected", 1000, "--size", 50)
    text = call("preview", *asked, "--out", tmp_path / "page").stdout
    assert "500 invented points in each slice" in text
    assert "how far counts of squares are off" in text
    assert "Expected error" in (tmp_path / "page" / "preview.html").read_text()
    said = json.loads(call("preview", *asked, "--json").stdout)
    assert said["best"] in said["methods"]
    worlds = {"points that gather", "points everywhere", "points in a city"}
    assert said["methods"]["singular"]["errors"].keys() == said["best_by_world"].keys() == worlds
    one = json.loads(call("preview", *asked, "--world", "city", "--trials", 2, "--json").stdout)
    assert (one["trials"], list(one["best_by_world"])) == (2, ["points in a city"])
    assert "sizes are not all above 0" in call("preview", *asked, "--size", -1, code=2).stderr


def test_a_wrong_plan_is_refused_with_its_line(tmp_path: Path, call: Callable[..., Result]) -> None:
    text = (tmp_path / "plan.toml").read_text()
    (tmp_path / "plan.toml").write_text(text.replace('"-1", "0", "3", "2"', '"0", "0", "0", "2"'))
    assert "plan.toml:6: grid.box is empty" in call("plan", tmp_path / "plan.toml", code=65).stderr
    (tmp_path / "plan.toml").write_text(text.replace('"singular"', '"singular"\ndepth = 3'))
    assert "method.depth is no parameter of the method" in call("plan", tmp_path / "plan.toml", code=65).stderr


def test_validate_accept_release_verify_and_evaluate(tmp_path: Path, call: Callable[..., Result]) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.sqlite'}"
    plan, records = tmp_path / "plan.toml", ("--records", tmp_path / "records.csv")
    paid = ("--ledger", url, "--dataset", "trips")
    people = ("--measure", "epsilon", "--neighbours", "add-remove-person", "--cap", "2")
    call("create", url, group="ledger")
    call("population", url, "riders", *people, group="ledger")
    call("dataset", url, "trips", "--population", "riders", group="ledger")
    call("grant", url, "riders", "custodian", "--cap", "2", group="ledger")
    call("release", plan, *records, *paid, "--out", tmp_path / "out", "--yes", code=4)
    assert "5 records: nothing breaks the rules" in call("validate", plan, *records, "--accept", *paid).stdout
    text = call("release", plan, *records, *paid, "--out", tmp_path / "out", "--yes").stdout
    assert "epsilon 1 for add or remove one person" in text
    assert "16 cells in" in text
    answered = json.loads(call("release", plan, *records, *paid, "--out", tmp_path / "out", "--yes", "--json").stdout)
    assert answered["charged_now"] is False
    result = CliRunner().invoke(main, ["verify", str(tmp_path / "out"), "--ledger", url, "--json"])
    assert json.loads(result.stdout)["outcome"] == "consistent"
    words = ("--release", tmp_path / "out", *records)
    text = call("evaluate", plan, *words).stdout
    assert text.startswith("NOT PRIVATE")
    assert "squares of 10 %" in text
    found = json.loads(call("evaluate", plan, *words, "--json").stdout)
    assert (found["not_private"], found["slices"]["January"]["points"]) == (True, 3)


def test_wrong_records_are_listed_with_their_lines(tmp_path: Path, call: Callable[..., Result]) -> None:
    (tmp_path / "records.csv").write_text("who,lon,lat,time\n" + "a,1.5,-0.5,2020-01-01\n" * 9)
    result = call("validate", tmp_path / "plan.toml", "--records", tmp_path / "records.csv", code=65)
    assert "records.csv: input has x and y swapped" in result.stderr
    assert "records.csv:10: lon, lat is outside the box" in result.stderr


def test_points_are_invented_for_a_plan(tmp_path: Path, call: Callable[..., Result]) -> None:
    plan = tmp_path / "plan.toml"
    files = json.loads(call("generate", plan, "--points", 40, "--out", tmp_path / "new", "--json").stdout)
    assert (files["plan"], files["sizes"]) == (str(plan), {"points": 40})
    assert "40 records: nothing breaks the rules" in call("validate", plan, "--records", files["records"]).stdout
    assert "without PLAN" in call("generate", plan, "--sigma", 20, "--out", tmp_path / "other", code=2).stderr


@pytest.mark.slow
def test_generated_points_are_released_by_their_own_plan(tmp_path: Path, call: Callable[..., Result]) -> None:
    made = json.loads(call("generate", "--sigma", 20, "--points", 1000, "--out", tmp_path / "new", "--json").stdout)
    words = (made["plan"], "--records", made["records"], "--out", tmp_path / "out", "--unvalidated", "--yes")
    assert "1,048,576 cells in" in call("release", *words).stdout
