"""The demo shows the charge, a row with its interval and the truth, one that missed, and three commands that work."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Call


def test_the_demo_tells_its_story_and_its_next_steps_work(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("demo", "--persons", "30000")
    assert result.exit_code == 0, result.output
    text = result.stdout
    assert "30,000 persons" in text
    assert "Nobody in it exists." in text
    assert re.search(r"charged +rho 0\.\d+", text)
    assert re.search(r"[\d,]+ +[\d,]+ to [\d,]+ +[\d,]+ +holds it", text)
    assert re.search(r"[\d,]+ +[\d,]+ to [\d,]+ +[\d,]+ +misses it", text)
    assert sorted(path.name for path in Path("starling-demo").iterdir()) == ["invented", "plan.toml", "release"]
    assert Path("starling-demo/release/report.html").is_file()
    last = text.rstrip().split("Try next:\n")[1].splitlines()
    assert len(last) == 3
    for line in last:
        words = shlex.split(line)
        assert words[0] == "starling"
        assert call(*words[1:]).exit_code == 0, line
    assert Path("starling-demo/second").is_dir()


def test_the_demo_for_machines_shows_rows_beside_the_truth(call: Call, tmp_path: Path) -> None:
    result = call("demo", "--persons", "20000", "--out", tmp_path / "d", "--json")
    found = json.loads(result.stdout)
    assert found["holds"]["lower"] <= found["holds"]["truth"] <= found["holds"]["upper"]
    missed = found["misses"]
    assert not missed["lower"] <= missed["truth"] <= missed["upper"]
    share = found["intervals"]["hold_the_truth"] / found["intervals"]["totals"]
    # Published totals of one draw: suppression chooses high noise, so somewhat below 95 % is right.
    assert 0.8 < share < 1
    assert len(found["next"]) == 3
    again = call("demo", "--out", tmp_path / "d", "--json")
    assert again.exit_code == 74
    assert "cannot be made (File exists); name a new folder with --out" in again.stderr
