"""Public text files are read line by line, and refused with the line."""

from pathlib import Path

import pytest

from starling.errors import Problem
from starling.genome.plan.listing import LONGEST_LINE, MOST_PROBLEMS, Listing


def test_fields_and_lines(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a b\tc\r\n\n  \nd e  f g\n")
    problems: list[Problem] = []
    assert list(Listing(tmp_path / "x", problems).records(2)) == [(1, ["a", "b", "c"]), (4, ["d", "e", "f g"])]
    assert not problems


def test_what_is_after_the_columns_may_be_long(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("1 2 " + "y" * 10 * LONGEST_LINE + "\n3 4\n")
    assert [fields[:2] for _, fields in Listing(tmp_path / "x", []).records(2)] == [["1", "2"], ["3", "4"]]


def test_a_byte_order_mark_is_no_part_of_the_first_field(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("\ufeff1 rs1\n\ufeff2 rs2\n", encoding="utf-8")
    assert [fields for _, fields in Listing(tmp_path / "x", []).records(2)] == [["1", "rs1"], ["\ufeff2", "rs2"]]


@pytest.mark.parametrize("name", ["absent", "", "bad\0name"])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    problems: list[Problem] = []
    assert not list(Listing(tmp_path / name, problems).records(2))
    assert [problem.problem.startswith("cannot be read") for problem in problems] == [True]


def test_a_line_that_is_not_text_is_told_and_passed(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a\n\xff\nb\n")
    problems: list[Problem] = []
    assert [fields for _, fields in Listing(tmp_path / "x", problems).records(2)] == [["a"], ["b"]]
    assert [str(problem) for problem in problems] == ["x:2: line is not UTF-8; save the file as UTF-8"]


def test_a_file_full_of_faults_ends_early(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\n" * 10 * MOST_PROBLEMS)
    problems: list[Problem] = []
    assert not list(Listing(tmp_path / "x", problems).records(2))
    assert len(problems) == MOST_PROBLEMS
