"""Scans are combined on the command line as in Python, each compared with its signature."""

from pathlib import Path

from starling import genome
from tests.cli.conftest import Call, document
from tests.genome.test_combining import opened, released


def test_two_scans_are_combined_as_in_python(call: Call, tmp_path: Path) -> None:
    scans = released(tmp_path, 1), released(tmp_path, 2)
    with opened(scans[0]) as first, opened(scans[1]) as second:
        written = genome.combine([first, second]).write(tmp_path / "python")
    result = call("genome", "combine", *scans, "--out", tmp_path / "shell")
    assert result.exit_code == 0, result.stderr
    assert "several studies tell of 5" in result.stdout
    for each in written.iterdir():
        assert (tmp_path / "shell" / each.name).read_text() == each.read_text()
    listed = document(call("genome", "combine", *scans, "--out", tmp_path / "again", "--json"))
    assert listed["studies"] == ["hospital-1scan", "hospital-2scan"]
    other = tmp_path / "other"
    refused = call("genome", "combine", *scans, "--out", other, "--key", "0" * 64)
    assert (refused.exit_code, other.exists()) == (5, False)
