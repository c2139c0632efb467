"""A first plan by one command, and the commands that it names work on it, to a release that is verified."""

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Call

COLUMNS = ("--columns", "age:int:0..110", "--columns", "sex:F,M")


def test_from_declarations_to_a_verified_release(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "areas.csv").write_text("town,state\nN,A\nS,A\n")
    made = call("tables", "init", *COLUMNS, "--regions", "areas.csv:state,town", "--out", "plan.toml")
    assert made.exit_code == 0, made.output
    assert "epsilon 1" in made.output
    (line,) = (line for line in made.output.splitlines() if line.startswith("next"))
    previewed = call(*shlex.split(line)[2:])
    assert previewed.exit_code == 0, previewed.output
    assert "state everybody" in previewed.output
    assert "by its true size" not in previewed.output
    (tmp_path / "records.csv").write_text("town,age,sex\n" + "N,30,F\nS,70,M\n" * 500)
    released = call(
        "tables", "release", "plan.toml", "--persons", "records.csv", "--out", "out", "--yes", "--unvalidated"
    )
    assert released.exit_code == 0, released.output
    assert call("verify", "out").exit_code in (0, 7)


def test_json_names_the_file_and_the_exact_cost(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "plan.toml"
    said = json.loads(call("tables", "init", *COLUMNS, "--epsilon", "1/3", "--out", out, "--json").output)
    assert said["file"] == str(out)
    assert said["cost"]["add-remove"]["epsilon"] == "1/3"


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ((), "--columns is missing"),
        (("--columns", "sex"), "names no column and its values"),
        ((*COLUMNS, "--regions", "areas.csv"), "names no file and its levels"),
        ((*COLUMNS, "--person", "id"), "names no column and a number of records"),
        ((*COLUMNS, "--person", "id:0"), "keeps no public number of records"),
        ((*COLUMNS, "--epsilon", "much"), "--epsilon"),
        ((*COLUMNS, "--epsilon", "0"), "budget"),
    ],
)
def test_mistakes_are_told_and_make_no_file(words: tuple[str, ...], cause: str, call: Call, tmp_path: Path) -> None:
    result = call("tables", "init", *words, "--out", tmp_path / "plan.toml")
    assert result.exit_code != 0
    assert cause in result.output
    assert "fault of Starling" not in result.output
    assert not list(tmp_path.iterdir())
