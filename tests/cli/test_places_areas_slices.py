"""Unions of areas in slices, by the command line."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from starling.cli import main
from starling.planfile.values import toml_of
from tests.places.areas.worlds import plan, values


def call(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["places", *(str(word) for word in words)])
    assert result.exit_code == code, result.output
    return result


def test_slices_are_taken_away_at_a_level_and_the_signer_is_compared(tmp_path: Path) -> None:
    plan(tmp_path)
    sliced = values(input={"area": "zone", "time": "when"}, slices={"names": ["am", "pm"]})
    (tmp_path / "plan.toml").write_text(toml_of(sliced))
    (tmp_path / "records.csv").write_text("zone,when\na,am\nb,pm\n")
    words = ("--records", tmp_path / "records.csv", "--unvalidated", "--yes")
    call("release", tmp_path / "plan.toml", *words, "--out", tmp_path / "out")
    at = {}
    for level in ("0.5", "0.99"):
        more = ("--slice", "am", "--minus", "pm", "--level", level, "--json")
        at[level] = json.loads(call("areas", tmp_path / "out", "a", *more).stdout)
    assert at["0.5"]["upper"] < at["0.99"]["upper"]
    assert "slice" in call("areas", tmp_path / "out", code=2).output
    assert "key" in call("areas", tmp_path / "out", "--slice", "am", "--key", "0" * 64, code=5).output
    call("map", tmp_path / "out", "--out", tmp_path / "map.html")
    assert 'id="view-slice"' in (tmp_path / "map.html").read_text()
    call("map", tmp_path / "out", "--slice", "pm", "--out", tmp_path / "pm.html")
    one = (tmp_path / "pm.html").read_text()
    assert 'id="view-slice"' not in one
    assert "all slices" not in one
    assert "all slices" in (tmp_path / "map.html").read_text()
    exported = ("export", tmp_path / "out", "--slice", "am", "--out", tmp_path / "other")
    assert "key" in call(*exported, "--key", "0" * 64, code=5).output
    refused = call("export", tmp_path / "out", "--slice", "am", "--h3", 5, "--out", tmp_path / "none", code=2)
    assert "--h3 is of points on a grid" in refused.output
    refused = call("map", tmp_path / "out", "--level", "0.9", "--out", tmp_path / "none.html", code=2)
    assert "--level is of points on a grid" in refused.output
    refused = call("map", tmp_path / "out", "--no-typical", "--out", tmp_path / "none.html", code=2)
    assert "--no-typical is of points on a grid" in refused.output
