"""The commands of places on plans and releases of flows on a grid."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from starling.cli.places import places
from starling.errors import ParameterError
from tests.places.trips.worlds import plan


@pytest.mark.slow
def test_the_commands_plan_preview_generate_release_and_ask(tmp_path: Path) -> None:
    plan(tmp_path)

    def said(*arguments: object) -> str:
        result = CliRunner().invoke(places, [str(each) for each in arguments], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    def refused(*arguments: object) -> str:
        result = CliRunner().invoke(places, [str(each) for each in arguments])
        assert isinstance(result.exception, ParameterError)
        return str(result.exception)

    file, out = tmp_path / "plan.toml", tmp_path / "out"
    assert "144 pairs of them" in said("plan", file)
    assert "pairs of boxes" in said("preview", file)
    assert "--world is of points" in refused("preview", file, "--world", "city")
    said("generate", file, "--out", tmp_path / "made")
    records = tmp_path / "made" / "records.parquet"
    assert "nothing breaks the rules" in said("validate", file, "--records", records)
    said("release", file, "--records", records, "--out", out, "--unvalidated", "--yes")
    assert "interval" in said("flows", out, "--from", "0,0,2,3", "--to", "2,0,4,3")
    assert "reaches beyond the grid" in said(
        "flows", out, "--to", "-1,0,4,3", "--units", "degrees", "--from", "0,0,1,1"
    )
    for wrong in (["--from", "west"], ["--from", "0,0,1"], ["--to", "0,0,1,1", "--to", "0,0,1,1"], ["--k", "3"]):
        assert wrong[0] in refused("flows", out, *wrong)
    assert "--minus-to" in refused("flows", out, "--minus-to", "0,0,1,1")
    assert "locations.csv" in said("export", out, "--out", tmp_path / "exported")
    assert len([*(tmp_path / "exported").iterdir()]) == 3
    said("plot", out, "--out", tmp_path / "drawn")
    assert (tmp_path / "drawn" / "destinations.svg").is_file()
    assert "starling places flows" in refused("count", out, "--hexagons", file)
