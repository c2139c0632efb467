"""A plan beside an earlier release: what is measured again, what differs by little, what all cost, in text and JSON."""

import json
from pathlib import Path

from starling.tables.plan import shipped
from tests.cli.conftest import Call, Inputs


def near(folder: Path) -> Path:
    """The demo with one code less in one people, and one state less."""
    text = shipped()["demo"].read_text().replace('codes = ["1010", "1011", "1012"]\n', 'codes = ["1010", "1011"]\n', 1)
    (folder / "near.toml").write_text(text.replace('["10", "44", "50"]', '["10", "44"]'))
    return folder / "near.toml"


def test_a_code_and_a_state_less_are_told_with_the_cost_of_both(
    call: Call, released: Path, inputs: Inputs, tmp_path: Path
) -> None:
    said = call("tables", "plan", near(tmp_path), "--earlier", released, "--geography", inputs.geography)
    assert said.exit_code == 0, said.output
    lines = [line.split() for line in said.output.splitlines()]
    assert ["Nation", "over", "2", "states", "over", "3", "states", "Vermont"] in [line[:8] for line in lines]
    assert any("1012" in line and "Harbour" in line for line in lines)
    assert "together  rho 1.302739" in said.output
    assert "do not say whose they are" in said.output


def test_json_has_every_difference(call: Call, released: Path, tmp_path: Path) -> None:
    words = ("tables", "plan", near(tmp_path), "--earlier", released, "--earlier", released, "--json")
    found = json.loads(call(*words).stdout)["earlier"]
    assert len(found["releases"]) == 2
    first = found["releases"][0]
    assert first["differences"][0]["by"] == "states"
    assert {one["by"] for one in first["differences"]} == {"states", "codes"}
    assert first["measured_again"]["STATE"] > 40
    assert float(found["joint"]["epsilon"]) > 10


def test_the_same_plan_is_measured_again_and_differs_by_nothing(call: Call, released: Path) -> None:
    said = call("tables", "plan", "demo", "--earlier", released).output
    assert "0 pairs of groups" in said
    assert "County: 54 iterations" in said


def test_a_folder_that_is_no_release_is_refused(call: Call, tmp_path: Path) -> None:
    assert call("tables", "plan", "demo", "--earlier", tmp_path).exit_code == 5
