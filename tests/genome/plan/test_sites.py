"""Sites of .bim and .pvar files, and names of chromosomes."""

from pathlib import Path

import pytest

from starling.errors import Problem
from starling.genome.plan.sites import Site, chromosome, chromosome_order, read_sites


def test_a_bim_and_a_pvar_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "x.bim").write_text("1 rs1 0 100 A G\nchr23\trs2\t0.5\t200\tT\t0\n")
    (tmp_path / "x.pvar").write_text("##meta\n#CHROM POS ID REF ALT INFO\n1 100 rs1 G A .\nX 200 rs2 0 T x y z\n")
    expected = [Site("1", 100, "rs1", "A", "G"), Site("X", 200, "rs2", "T", "0")]
    problems: list[Problem] = []
    assert read_sites(tmp_path / "x.bim", problems).sites == expected
    found = read_sites(tmp_path / "x.pvar", problems)
    assert (found.sites, found.lines, problems) == (expected, [3, 4], [])


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("x.bim", "1 rs1 0 100 A\n", "x.bim:1: line does not have 6 fields"),
        ("x.bim", "1 rs1 0 100 A G T\n", "x.bim:1: line does not have 6 fields"),
        ("x.bim", "1 rs1 0 1e3 A G\n", "x.bim:1: position is not a whole number up to 2147483647"),
        ("x.bim", "1 rs1 0 99999999999 A G\n", "x.bim:1: position is not a whole number up to 2147483647"),
        ("x.bim", "", "x.bim: file holds no SNP"),
        ("x.pvar", "1 100 rs1 G A\n", "x.pvar:1: header does not begin with #CHROM POS ID REF ALT"),
        ("x.pvar", "#CHROM POS ID REF ALT\n1 100 rs1 G\n", "x.pvar:2: line does not have 5 fields"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / name).write_text(text)
    problems: list[Problem] = []
    read_sites(tmp_path / name, problems)
    assert str(problems[0]).startswith(problem)


def test_chromosomes_have_one_name_and_an_order() -> None:
    names = ["chr2", "10", "1", "chrX", "24", "MT", "chrM", "GL000192", "XY", "9", "7" * 5000]
    assert sorted({chromosome(name) for name in names}, key=chromosome_order) == [
        "1", "2", "9", "10", "X", "Y", "XY", "MT", "7" * 5000, "GL000192",
    ]  # fmt: skip
