"""A Census configuration becomes a plan file by one command, and the next command reads it."""

import json
from pathlib import Path

from starling.tables.plan import Plan
from tests.cli.conftest import Call
from tests.tables.plan.invented import census_folder


def test_a_folder_becomes_a_plan_file_that_the_next_command_reads(call: Call, tmp_path: Path) -> None:
    folder, out = census_folder(tmp_path / "census"), tmp_path / "plan.toml"
    made = call("tables", "convert", folder, "--out", out)
    assert made.exit_code == 0, made.output
    assert "rho 3" in made.output
    assert Plan.load(out) == Plan.load(folder)
    assert call("tables", "plan", out).output == call("tables", "plan", folder).output


def test_json_names_the_file_and_the_exact_cost(call: Call, tmp_path: Path) -> None:
    folder, out = census_folder(tmp_path / "census"), tmp_path / "plan.toml"
    said = json.loads(call("tables", "convert", folder, "--out", out, "--json").output)
    assert said["file"] == str(out)
    assert said["cost"]["add-remove"]["rho"] == "3"


def test_mistakes_are_told_in_one_sentence(call: Call, tmp_path: Path) -> None:
    folder = census_folder(tmp_path / "census")
    (tmp_path / "plan.toml").write_text("mine")
    there = call("tables", "convert", folder, "--out", tmp_path / "plan.toml")
    assert (there.exit_code, there.output.count("\n")) == (74, 1)
    none = call("tables", "convert", tmp_path / "nothing", "--out", tmp_path / "new.toml")
    assert none.exit_code == 65
    assert "is no Census configuration folder" in none.output
