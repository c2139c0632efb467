"""The commands of places on plans and releases of flows, which are asked by one of their own."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from starling.cli.places import places
from tests.places.flows.worlds import plan


@pytest.mark.slow
def test_the_commands_plan_preview_generate_release_and_ask(tmp_path: Path) -> None:
    plan(tmp_path)

    def said(*arguments: object) -> str:
        result = CliRunner().invoke(places, [str(each) for each in arguments], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    file = tmp_path / "plan.toml"
    assert "16 pairs of areas" in said("plan", file)
    assert "to one of side" in said("preview", file)
    said("generate", file, "--out", tmp_path / "made")
    records = tmp_path / "made" / "records.parquet"
    assert "nothing breaks the rules" in said("validate", file, "--records", records)
    said("release", file, "--records", records, "--out", tmp_path / "out", "--unvalidated", "--yes")
    assert "interval" in said("flows", tmp_path / "out", "--from", "west", "--to", "2")
    back = "--minus-from", "2", "--minus-to", "west"
    assert "less those from" in said("flows", tmp_path / "out", "--from", "west", "--to", "2", *back)
    assert "-" not in said("flows", tmp_path / "out", "--level", "0.5").splitlines()[-2]
    assert "surely among them" in said("flows", tmp_path / "out", "--k", 3)
    said("export", tmp_path / "out", "--out", tmp_path / "exported")
    said("plot", tmp_path / "out", "--out", tmp_path / "drawn")
    refused = CliRunner().invoke(places, ["count", str(tmp_path / "out"), "--hexagons", str(file)])
    assert refused.exit_code != 0
