"""Scans are combined on the command line as in Python, each compared with its signature."""

from pathlib import Path

from starling import genome
from tests.cli.conftest import Call, document
from tests.genome.test_combining import opened, released


def test_two_scans_are_combined_as_in_python(call: Call, tmp_path: Path) -> None:
    scans = released(tmp_path, 1), released(tmp_path, 2)
    with opened(scans[0]) as first, opened(scans[1]) as second:
        written = genome.combine([first, second]).write(tmp_path / "python.tsv").read_text()
    result = call("genome", "combine", *scans, "--out", tmp_path / "shell.tsv")
    assert result.exit_code == 0, result.stderr
    assert "which several studies tell of 5" in result.stdout
    assert (tmp_path / "shell.tsv").read_text() == written
    listed = document(call("genome", "combine", *scans, "--out", tmp_path / "again.tsv", "--json"))
    assert listed["studies"] == ["hospital-1scan", "hospital-2scan"]
    other = tmp_path / "other.tsv"
    refused = call("genome", "combine", *scans, "--out", other, "--key", "0" * 64)
    assert (refused.exit_code, other.exists()) == (5, False)
