"""`starling tables diff` in text, JSON and CSV; a file is there only when the comparison is."""

import csv
import html
import json
from pathlib import Path

import pytest

from starling.privacy.distributions.discrete import DiscreteGaussian
from starling.release.session import shortened
from starling.tables.earlier.comparison import compare
from starling.tables.earlier.pairs import Sum, noise
from starling.tables.plan import Level, Plan
from tests.cli.conftest import Call, Inputs


@pytest.fixture(scope="module")
def second(inputs: Inputs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the same people once more."""
    from click.testing import CliRunner

    from starling.cli import main

    out = tmp_path_factory.mktemp("second") / "release"
    made = CliRunner().invoke(
        main, ["tables", "release", "demo", *inputs.options, "--out", str(out), "--yes", "--unvalidated"]
    )
    assert made.exit_code == 0, made.output
    return out


@pytest.mark.slow
def test_text_states_rule_people_and_groups_in_one_alone(call: Call, released: Path, second: Path) -> None:
    said = call("tables", "diff", released, second)
    assert said.exit_code == 0, said.output
    assert "Benjamini and Hochberg at 5 %, totals and cells apart" in said.output
    assert "people  not known" in said.output
    assert "Groups in one release alone" in said.output
    assert "County, detailed" in said.output


def test_noise_taken_for_smaller_than_it_is_would_be_told(
    call: Call, released: Path, second: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power of the comparison: the same people at a third of the noise's deviation differ in hundreds of numbers."""

    def third(plan: Plan, level: Level, branch: int, terms: int | None = None) -> Sum:
        right = noise(plan, level, branch, terms)
        assert isinstance(right.distribution, DiscreteGaussian)
        return Sum(DiscreteGaussian(right.distribution.sigma_squared / 9), right.terms)

    monkeypatch.setattr("starling.tables.earlier.comparison.noise", third)
    found = compare(released, second)
    assert sum(family.significant for family in found.families) > 300


def test_json_and_csv_agree(call: Call, released: Path, second: Path, tmp_path: Path) -> None:
    words = ("tables", "diff", released, second, "--csv", tmp_path / "d.csv", "--json")
    found = json.loads(call(*words).stdout)
    with (tmp_path / "d.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert sum(row["status"] == "differs" for row in rows) == sum(family["differ"] for family in found["families"])
    suppressed = sum(level["first_suppressed_in_second"] for level in found["in_one_alone"])
    assert sum(row["status"].startswith("published in the first alone") for row in rows) == suppressed > 0


def test_a_file_is_never_written_over_nor_left_behind(call: Call, released: Path, second: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("mine")
    there = call("tables", "diff", released, second, "--csv", tmp_path / "mine.csv")
    assert (there.exit_code, (tmp_path / "mine.csv").read_text()) == (74, "mine")
    wrong = call("tables", "diff", released, released, "--csv", tmp_path / "new.csv")
    assert wrong.exit_code == 2
    assert not (tmp_path / "new.csv").exists()


@pytest.mark.slow
def test_command_session_and_notebook_show_one_value(call: Call, released: Path, second: Path) -> None:
    comparison = compare(released, second)
    assert call("tables", "diff", released, second).stdout.rstrip("\n") == str(comparison)
    assert json.loads(call("tables", "diff", released, second, "--json").stdout) == json.loads(
        json.dumps(comparison.as_json())
    )
    notebook = html.unescape(comparison._repr_html_())
    assert all(value in notebook for _, value in comparison._facts()[1:])
    assert all(each.level in notebook for each in comparison.only)
    assert repr(comparison) == shortened(str(comparison))
