"""`starling groups`: its verbs as a new user calls them, through the ledger to a verified release."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from starling.cli import main
from starling.groups.preview.best_split import Search, best_split
from tests.groups.worlds import write_world


@pytest.fixture
def call(tmp_path: Path) -> Callable[..., Result]:
    write_world(tmp_path, more='method = "h"')

    def called(verb: str, *words: object, code: int = 0, group: str = "groups") -> Result:
        result = CliRunner().invoke(main, [str(word) for word in (group, verb, *words)])
        assert result.exit_code == code, result.output
        return result

    return called


def test_plan_opens_no_records_and_states_cost_and_noise(tmp_path: Path, call: Callable[..., Result]) -> None:
    (tmp_path / "records.csv").unlink()
    text = call("plan", tmp_path / "plan.toml").stdout
    assert "epsilon 1, under the replace-one adjacency epsilon 2" in text
    assert "one member (add or remove one member of an existing group)" in text
    assert "county        3           0  0.333334      6" in text
    said = json.loads(call("plan", tmp_path / "plan.toml", "--json").stdout)
    assert said["cost"]["add-remove"] == {"epsilon": "1", "decimal": "1"}
    assert said["bounds"]["largest_size"] == 4


def test_validate_accept_release_and_verify(tmp_path: Path, call: Callable[..., Result]) -> None:
    url = f"sqlite:///{tmp_path / 'ledger.sqlite'}"
    plan, records = tmp_path / "plan.toml", ("--records", tmp_path / "records.csv")
    paid = ("--ledger", url, "--dataset", "homes")
    call("create", url, group="ledger")
    call(
        "population",
        url,
        "people",
        "--measure",
        "epsilon",
        "--neighbours",
        "add-remove-member",
        "--cap",
        "2",
        group="ledger",
    )
    call("dataset", url, "homes", "--population", "people", group="ledger")
    call("grant", url, "people", "custodian", "--cap", "2", group="ledger")
    call("release", plan, *records, *paid, "--out", tmp_path / "out", "--yes", code=4)
    assert (
        "9 records of 9 groups: nothing breaks the rules" in call("validate", plan, *records, "--accept", *paid).stdout
    )
    text = call("release", plan, *records, *paid, "--out", tmp_path / "out", "--yes").stdout
    assert "epsilon 1 for add or remove one member of an existing group" in text
    assert "3 regions in" in text
    answered = json.loads(call("release", plan, *records, *paid, "--out", tmp_path / "out", "--yes", "--json").stdout)
    assert answered["charged_now"] is False
    result = CliRunner().invoke(main, ["verify", str(tmp_path / "out"), "--ledger", url, "--json"])
    assert json.loads(result.stdout)["outcome"] == "consistent"


def test_wrong_records_are_listed_with_their_lines(tmp_path: Path, call: Callable[..., Result]) -> None:
    (tmp_path / "records.csv").write_text("region,size\n" + "e1,1\n" * 8 + "north,2\n")
    result = call("validate", tmp_path / "plan.toml", "--records", tmp_path / "records.csv", code=65)
    assert "records.csv:10: region is no leaf of the plan" in result.stderr
    assert "have 8 groups in regions of the plan, and 9 are public" in result.stderr


@pytest.mark.parametrize("engine", ["spark", "duck"])
def test_an_engine_that_is_none_is_refused(engine: str, tmp_path: Path, call: Callable[..., Result]) -> None:
    words = (
        "--records",
        tmp_path / "records.csv",
        "--out",
        tmp_path / "out",
        "--yes",
        "--unvalidated",
        "--engine",
        engine,
    )
    assert "engine is neither duckdb" in call("release", tmp_path / "plan.toml", *words, code=2).stderr


@pytest.mark.slow
def test_preview_opens_no_records_and_writes_a_page(tmp_path: Path, call: Callable[..., Result]) -> None:
    (tmp_path / "records.csv").unlink()
    plan = tmp_path / "plan.toml"
    assert "has the least error at the last level, county" in call("preview", plan, "--out", tmp_path / "page").stdout
    assert "Expected error of numbers of groups by size; epsilon 1" in (tmp_path / "page" / "preview.html").read_text()
    said = json.loads(call("preview", plan, "--target", "county=5", "--json").stdout)
    assert said["errors"]["h"].keys() == {"land", "state", "county"}
    assert "search" not in json.loads(call("preview", plan, "--json").stdout)
    assert "is not LEVEL=ERROR" in call("preview", plan, "--target", "county", code=2).stderr


SHARES = 'shares = "shares.csv"\nimportance = ["50", "5", "1"]'


def test_a_budget_by_size_is_printed_released_and_verified(tmp_path: Path, call: Callable[..., Result]) -> None:
    write_world(tmp_path, more=SHARES)
    (tmp_path / "shares.csv").write_text("size,share\n1,0.7\n4,0.3\n")
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    assert "by size, from the public shares of the plan" in call("plan", plan).stdout
    said = json.loads(call("plan", plan, "--json").stdout)
    assert len({str(level["bands"]) for level in said["levels"]}) == 3
    call("release", plan, "--records", tmp_path / "records.csv", "--out", out, "--unvalidated", "--yes")
    kept = json.loads((out / "plan" / "plan.json").read_text())
    assert kept["shares"] == {"sizes": [1, 4], "shares": ["7/10", "3/10"], "importance": ["50", "5", "1"]}
    assert [each["from"] for each in said["levels"][0]["bands"]] == kept["budget"]["bands"]
    verified = json.loads(CliRunner().invoke(main, ["verify", str(out), "--json"]).stdout)
    assert verified["outcome"] == "consistent"


def test_many_bands_are_not_printed_one_by_one(tmp_path: Path, call: Callable[..., Result]) -> None:
    bands = "".join(f'[[privacy.bands]]\nfrom = {at}\nsplit = ["0.{at + 1}", "0.2", "0.{7 - at}"]\n' for at in range(5))
    write_world(tmp_path, groups=5000, bands=bands)
    assert (
        "5 bands of sizes, the first 0.1, 0.2, 0.7, the last 0.5, 0.2, 0.3\n"
        in call("preview", tmp_path / "plan.toml").stdout
    )


@pytest.mark.slow
def test_a_search_says_what_it_found_and_against_what(
    tmp_path: Path, call: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is written as text, page and JSON of one search, which takes seconds."""
    searches: list[Search] = []

    def once(*arguments: Any, **named: Any) -> Search:
        searches.extend([] if searches else [best_split(*arguments, **named)])
        return searches[0]

    monkeypatch.setattr(sys.modules["starling.groups.preview.best_split"], "best_split", once)
    write_world(tmp_path, groups=50_000, more=SHARES)
    (tmp_path / "shares.csv").write_text("size,share\n1,0.7\n4,0.3\n")
    words = ("preview", tmp_path / "plan.toml", "--target", "county=40", "--target", "land=20")
    text = call(*words, "--out", tmp_path / "page").stdout
    assert "times its target" in text
    assert "the plan's own, by size, importance 50, 5, 1" in text
    assert "The best split for the targets" in (tmp_path / "page" / "preview.html").read_text()
    search = json.loads(call(*words, "--json").stdout)["search"]
    assert search["targets"] == {"county": 40.0, "land": 20.0}
    assert search["tried"]["sizes"] > 10
    found, *others = search["splits"]
    assert found["behind"] == 0
    assert len(others) >= 2
    assert all(each["over_target"] >= found["over_target"] and each["standard_error"] > 0 for each in others)
    assert found["errors"]["county"]["l1_standard_error"] > 0
