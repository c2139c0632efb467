"""`starling groups generate`, `evaluate` and `plot`: invented groups that a plan reads, a release beside the truth, and its pictures."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from starling.cli import main
from tests.groups.worlds import write_world

COUNTIES = "fips,households_2010,persons_per_household_2010\n01001,300000,2.7\n02001,5000,3.1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_world(tmp_path)
    return tmp_path


def call(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["groups", *map(str, words)])
    assert result.exit_code == code, result.output
    return result


def test_the_examples_work_when_pasted(folder: Path) -> None:
    call("release", "plan.toml", "--records", "records.csv", "--out", "release", "--unvalidated", "--yes")
    for verb in ("generate", "evaluate", "plot"):
        group = main.get_command(click.Context(main), "groups")
        assert isinstance(group, click.Group)
        command = group.get_command(click.Context(group), verb)
        call(*command.example.split()[2:])  # type: ignore[union-attr]


def test_invented_records_of_a_plan_are_released(folder: Path) -> None:
    (folder / "shares.csv").write_text("size,share\n1,0.75\n4,0.25\n")
    made = json.loads(call("generate", "plan.toml", "--shares", "shares.csv", "--out", "made", "--json").stdout)
    assert made["sizes"] == {"groups": 9, "members": made["sizes"]["members"], "leaves": 3}
    call("release", made["plan"], "--records", made["records"], "--out", "release", "--unvalidated", "--yes")


@pytest.mark.parametrize(("source", "groups"), [(("--taxis",), 13_282), (("--counties", "counties.csv"), 117_630_445)])
def test_the_papers_worlds_come_with_a_plan(folder: Path, source: tuple[str, ...], groups: int) -> None:
    (folder / "counties.csv").write_text(COUNTIES)
    text = call("generate", *source, "--kind", "counts", "--format", "csv", "--out", "made").stdout
    assert f"{groups:,}" in text
    plan = json.loads(call("plan", "made/plan.toml", "--json").stdout)
    assert plan["cost"]["add-remove"] == {"epsilon": "1", "decimal": "1"}


@pytest.mark.parametrize(
    "words",
    [(), ("plan.toml", "--taxis"), ("plan.toml", "--kind", "counts"), ("--taxis", "--shares", "shares.csv")],
)
def test_options_that_do_not_go_together_are_refused(folder: Path, words: tuple[str, ...]) -> None:
    assert "give" in call("generate", *words, "--out", "made", code=2).stderr
    assert not (folder / "made").exists()


def test_an_evaluation_says_that_it_is_not_private(folder: Path) -> None:
    call("release", "plan.toml", "--records", "records.csv", "--out", "release", "--unvalidated", "--yes")
    words = ("evaluate", "plan.toml", "--release", "release", "--records", "records.csv")
    text = call(*words).stdout
    assert text.startswith("NOT PRIVATE")
    assert "consistency 0, validity 0, faithfulness 0" in text
    found = json.loads(call(*words, "--json").stdout)
    assert found["not_private"] is True
    assert list(found["levels"]) == ["land", "state", "county"]
    assert found["levels"]["county"]["l1"] <= 18


def test_pictures_of_a_release_are_named(folder: Path) -> None:
    call("release", "plan.toml", "--records", "records.csv", "--out", "release", "--unvalidated", "--yes")
    made = json.loads(call("plot", "release", "--region", "east", "--out", "pictures", "--json").stdout)
    assert list(made["pictures"]) == ["sizes-1", "error"]
    assert "nowhere" not in call("plot", "release", "--region", "nowhere", "--out", "other", code=2).stderr
