"""A first plan by one command, and the commands that it names work on it, to a release that is verified."""

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from starling.cli import main
from starling.tables.plan import Plan
from starling.tables.preview.cross import preview_cross
from tests.cli.conftest import Call

COLUMNS = ("--columns", "age:int:0..110", "--columns", "sex:F,M")


def test_from_declarations_to_a_verified_release(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "areas.csv").write_text("town,state\nN,A\nS,A\n")
    made = call("tables", "init", *COLUMNS, "--regions", "areas.csv:state,town")
    assert made.exit_code == 0, made.output
    assert "epsilon 1" in made.output
    assert "state everybody" in made.output
    assert "by its true size" not in made.output
    previewed = call("tables", "preview", "plan.toml")
    assert previewed.stdout in made.stdout
    *_, line = made.stdout.splitlines()
    (tmp_path / "RECORDS.csv").write_text("town,age,sex\n" + "N,30,F\nS,70,M\n" * 500)
    validated = call(*shlex.split(line.removeprefix("next"))[1:])
    assert validated.exit_code == 0, validated.output
    released = call(
        "tables", "release", "plan.toml", "--persons", "RECORDS.csv", "--out", "out", "--yes", "--unvalidated"
    )
    assert released.exit_code == 0, released.output
    assert call("verify", "out").exit_code in (0, 7)


def test_json_names_the_file_and_the_exact_cost(call: Call, tmp_path: Path) -> None:
    out = tmp_path / "plan.toml"
    said = json.loads(call("tables", "init", *COLUMNS, "--epsilon", "1/3", "--out", out, "--json").stdout)
    assert said["file"] == str(out)
    assert said["cost"]["add-remove"]["epsilon"] == "1/3"


def test_sums_detail_and_several_values_are_declared(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("--columns", "needs:2;:a,b,c", "--columns", "spent:num:0..50.00", "--detail", "sex,age", "--sum", "spent")
    made = call("tables", "init", *COLUMNS, *words, "--out", "plan.toml")
    assert made.exit_code == 0, made.output
    plan = Plan.load(tmp_path / "plan.toml")
    assert plan.families == ("everybody", "needs")
    assert [level.stability for level in plan.levels] == [1, 2]
    assert [level.thresholds for level in plan.levels] == [(100, 1000)] * 2
    assert plan.detail.sizes == (1, 2, 22)
    assert [(each.column, each.high) for each in plan.aggregates] == [("spent", 5000)] * 2
    assert plan.cost.amount == 1


def test_a_terminal_asks_for_the_same_and_again_where_it_is_no_answer(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starling.cli.tables_init._at_a_terminal", lambda: True)
    answers = ["", "age", "age:int:0..110", "sex:F,M", "", "y", "y", "id", "id:3"]
    words = ["tables", "init", "--out", str(tmp_path / "asked.toml")]
    asked = CliRunner().invoke(main, words, input="\n".join(answers) + "\n")
    assert asked.exit_code == 0, asked.output
    assert asked.output.count("names no column and its values") == 2
    assert asked.output.count("names no column and a number of records") == 1
    declared = (*COLUMNS, "--sum", "age", "--person", "id:3")
    assert call("tables", "init", *declared, "--out", tmp_path / "declared.toml").exit_code == 0
    assert (tmp_path / "asked.toml").read_text() == (tmp_path / "declared.toml").read_text()


@pytest.mark.series(1)
@pytest.mark.parametrize(
    ("price", "cost"),
    [(("--margin", "20"), ""), (("--rho", "1/3"), "1/3"), ((), "1/2"), (("--epsilon", "1/3"), "1/3")],
)
def test_cross_tables_in_place_of_groups(price: tuple[str, ...], cost: str, call: Call, tmp_path: Path) -> None:
    (tmp_path / "areas.csv").write_text("town,state\nN,A\nS,A\n")
    out, regions = tmp_path / "plan.toml", f"{tmp_path / 'areas.csv'}:state,town"
    words = (*COLUMNS, "--cross", "2", *price, "--regions", regions, "--person", "id:2", "--out", out)
    made = call("tables", "init", *words)
    assert made.exit_code == 0, made.output
    assert "sex by age" in made.output or "age by sex" in made.output
    assert call("tables", "preview", out).stdout in made.stdout
    plan = Plan.load(out)
    assert plan.cross is not None
    assert (plan.cross.named, plan.cross.levels) == (((), ("age",), ("sex",), ("age", "sex")), ("state", "town"))
    assert len(plan.cross.cuts[0]) == 11
    assert plan.measure == ("epsilon" if "--epsilon" in price else "rho")
    assert str(plan.cost.amount) == cost or max(each.margin for each in preview_cross(plan).tables) <= 20  # type: ignore[union-attr]
    costs = call("tables", "plan", out)
    assert costs.exit_code == 0, costs.output
    assert "under the replace-one adjacency" in costs.output


def test_an_interrupted_conversation_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.cli.tables_init._at_a_terminal", lambda: True)
    words = ["tables", "init", "--out", str(tmp_path / "asked.toml")]
    # The terminal is closed in the middle.
    asked = CliRunner().invoke(main, words, input="age:int:0..110\n")
    assert asked.exit_code == 130
    assert "Traceback" not in asked.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ((), "--columns is missing"),
        (("--columns", "sex"), "names no column and its values"),
        (("--columns", "spent:num:0..x"), "without two bounds"),
        ((*COLUMNS, "--detail", "age,town"), "--detail names 'town', which is no column"),
        ((*COLUMNS, "--sum", "sex"), "is not age"),
        ((*COLUMNS, "--regions", "areas.csv"), "names no file and its levels"),
        ((*COLUMNS, "--regions", "district:D1,D2"), "names 'district', which is no file"),
        ((*COLUMNS, "--person", "id"), "names no column and a number of records"),
        ((*COLUMNS, "--person", "id:0"), "keeps no public number of records"),
        ((*COLUMNS, "--epsilon", "much"), "--epsilon"),
        ((*COLUMNS, "--epsilon", "0"), "--epsilon is not above 0"),
        ((*COLUMNS, "--margin", "20"), "--margin needs --cross"),
        ((*COLUMNS, "--rho", "1"), "--rho needs --cross"),
        ((*COLUMNS, "--cross", "2", "--epsilon", "1", "--rho", "1"), "--epsilon stands beside --rho"),
        ((*COLUMNS, "--cross", "2", "--detail", "sex"), "--detail is of groups"),
        ((*COLUMNS, "--cross", "2", "--sum", "age"), "--sum is of groups"),
        ((*COLUMNS, "--cross", "2", "--rho", "1", "--margin", "2"), "--rho stands beside --margin"),
        ((*COLUMNS, "--cross", "2", "--rho", "0"), "--rho is not above 0"),
        ((*COLUMNS, "--cross", "3"), "is not an integer from 0 to 2"),
        ((*COLUMNS, "--columns", "spent:num:0..9.50", "--cross", "2"), "'spent', which is for sums and quantiles"),
        (("--regions", "areas.csv:town", "--cross", "2"), "which is no file"),
    ],
)
def test_mistakes_are_told_and_make_no_file(words: tuple[str, ...], cause: str, call: Call, tmp_path: Path) -> None:
    result = call("tables", "init", *words, "--out", tmp_path / "plan.toml")
    assert result.exit_code != 0
    assert cause in result.output
    assert "fault of Starling" not in result.output
    assert not list(tmp_path.iterdir())
