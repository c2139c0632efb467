"""Public text files are read line by line, and refused with the line."""

import os
from pathlib import Path

import pytest

from starling.errors import Problem
from starling.genome.plan.sites import LONGEST_FILE, LONGEST_LINE, MOST_PROBLEMS, Listing
from starling.planfile.spelling import LONGEST_NAME


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
    problems: list[Problem] = []
    assert [fields for _, fields in Listing(tmp_path / "x", problems).records(2)] == [["1", "rs1"]]
    assert [problem.line for problem in problems] == [2]


@pytest.mark.parametrize(
    "name", ["rs\x1b[2J1", "rs\u202e1", "rs\u200b1", "rs\x7f", "rs\x9b1", "r" * (LONGEST_NAME + 1)]
)
def test_a_name_that_a_terminal_would_obey_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "x").write_text(f"1 rs1\n1 {name} 5\n1 rs2 {name}\n", encoding="utf-8")
    problems: list[Problem] = []
    assert [fields[1] for _, fields in Listing(tmp_path / "x", problems).records(2)] == ["rs1", "rs2"]
    (problem,) = problems
    assert problem.line == 2
    assert str(problem).isprintable()
    assert [fields for _, fields in Listing(tmp_path / "x", []).records(-1)] == [["1", "rs1"]], "every field is a name"


def test_what_is_no_regular_file_or_no_text_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(200 << 30)
    with (tmp_path / "hollow").open("wb") as file:
        file.truncate(LONGEST_FILE)
    expected = {
        "pipe": "Not a regular file",
        "sparse": "Longer than",
        "hollow": "is not text",
        "/dev/zero": "Not a regular file",
    }
    for name, words in expected.items():
        problems: list[Problem] = []
        assert list(Listing(tmp_path / name, problems).records(2)) == []
        (problem,) = problems
        assert words in str(problem)


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
