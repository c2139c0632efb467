"""The page of five libraries shows our script as it is run, and it runs here."""

import csv
from itertools import product
from pathlib import Path

import pytest

from bench.five_libraries import OURS, PEERS, lines, script
from bench.five_libraries.__main__ import DOMAINS, write_visits
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "explanation" / "five-libraries.md"


def test_the_page_shows_our_script_and_names_the_others() -> None:
    text = PAGE.read_text()
    assert f"```python\n{script(OURS).read_text()}```" in text
    assert all(f"`bench/five_libraries/{script(library).name}`" in text for library in PEERS)


def test_ours_is_the_shortest() -> None:
    assert lines(OURS) < min(map(lines, PEERS))


def test_ours_answers_every_group_with_an_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_visits(tmp_path / "visits.csv", 200)
    monkeypatch.chdir(tmp_path)
    exec(script(OURS).read_text(), {})
    with Path("counts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["sex"], row["age"]) for row in rows] == list(product(*DOMAINS.values()))
    assert all(int(row["lower"]) <= int(row["count"]) <= int(row["upper"]) for row in rows)
