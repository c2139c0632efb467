"""BED files count from 0 without the end, gene lists from 1 with it; both give the same stretches."""

from pathlib import Path

import pytest

from starling.errors import Problem
from starling.genome.plan.sites import Region, read_bed_regions, read_gene_list


def test_a_bed_file_and_a_gene_list(tmp_path: Path) -> None:
    problems: list[Problem] = []
    (tmp_path / "x.bed").write_text("track name=x\n# note\nchr1\t0\t100\tIL23R\t0\t+\n2 5 6\n")
    (tmp_path / "genes").write_text("1 1 100 IL23R\n2 6 6 ONE\n")
    assert read_bed_regions(tmp_path / "x.bed", problems) == [Region("IL23R", "1", 1, 100), Region("2:6-6", "2", 6, 6)]
    assert read_gene_list(tmp_path / "genes", problems) == [Region("IL23R", "1", 1, 100), Region("ONE", "2", 6, 6)]
    assert not problems


@pytest.mark.parametrize("text", ["1 5 5\n", "1 -1 5\n", "1 6 5\n", "1 x 5\n", "1 5\n", "", "1 5 99999999999\n"])
def test_what_is_no_region_is_refused(tmp_path: Path, text: str) -> None:
    problems: list[Problem] = []
    (tmp_path / "x.bed").write_text(text)
    assert read_bed_regions(tmp_path / "x.bed", problems) == []
    assert problems


def test_a_gene_without_a_name_is_refused(tmp_path: Path) -> None:
    problems: list[Problem] = []
    (tmp_path / "genes").write_text("1 1 100\n1 0 100 G\n")
    assert read_gene_list(tmp_path / "genes", problems) == []
    assert [problem.line for problem in problems[:2]] == [1, 2]
