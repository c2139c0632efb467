"""Lists as spreadsheets save them: read, or named by their true cause."""

from pathlib import Path

import pytest

from starling.errors import Problem
from starling.genome.plan.sites import read_sites

BIM = "1\trs1\t0\t100\tA\tG\n1\trs2\t0\t200\tC\tT\n"
PVAR = "#CHROM\tPOS\tID\tREF\tALT\n1\t100\trs1\tG\tA\n1\t200\trs2\tT\tC\n"


@pytest.mark.parametrize(("name", "text"), [("x.bim", BIM), ("x.pvar", PVAR)])
@pytest.mark.parametrize("habit", ["plain", "mark", "windows", "spaces", "last"])
def test_every_habit_is_read(tmp_path: Path, name: str, text: str, habit: str) -> None:
    content = {
        "plain": text,
        "mark": "\ufeff" + text,
        "windows": text.replace("\n", "\r\n"),
        "spaces": text.replace("\t", "  "),
        "last": text.removesuffix("\n"),
    }[habit]
    (tmp_path / name).write_bytes(content.encode())
    problems: list[Problem] = []
    assert [site.id for site in read_sites(tmp_path / name, problems).sites] == ["rs1", "rs2"]
    assert problems == []


@pytest.mark.parametrize(("name", "text"), [("x.bim", BIM), ("x.pvar", PVAR)])
@pytest.mark.parametrize(
    ("content", "problem"), [("utf-16", "is UTF-16"), ("\r", "ends its lines by a carriage return alone")]
)
def test_the_true_cause_is_named(tmp_path: Path, name: str, text: str, content: str, problem: str) -> None:
    (tmp_path / name).write_bytes(text.encode("utf-16") if content == "utf-16" else text.replace("\n", "\r").encode())
    problems: list[Problem] = []
    read_sites(tmp_path / name, problems)
    assert problem in str(problems[0])
