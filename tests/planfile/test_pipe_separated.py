"""Pipe-delimited text is split on bars and nothing else; Parquet says the same."""

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import PlanError, Problem
from starling.planfile.pipe_separated import LONGEST_LINE, parquet_columns, read_table, text_records

COLUMNS = ("CODE", "NAME")


def records(raw: bytes) -> tuple[list[tuple[int, tuple[str, ...]]], list[Problem]]:
    problems: list[Problem] = []
    return list(text_records(io.BytesIO(raw), "t.txt", COLUMNS, problems)), problems


def test_lines_end_in_either_way_and_blank_ones_are_skipped() -> None:
    found, problems = records(b"CODE|NAME\r\n1|a\r\n\r\n\n2|b")
    assert (found, problems) == ([(2, ("1", "a")), (5, ("2", "b"))], [])


def test_a_byte_order_mark_is_no_part_of_the_first_column() -> None:
    assert records("\ufeffCODE|NAME\n1|a\n".encode()) == ([(2, ("1", "a"))], [])


def test_quotes_and_backslashes_are_text() -> None:
    found, problems = records(b'CODE|NAME\n"1|a\\\n2"|\'b\n')
    assert (found, problems) == ([(2, ('"1', "a\\")), (3, ('2"', "'b"))], [])


@pytest.mark.parametrize(
    ("raw", "line", "message"),
    [
        (b"CODE|NAME\n1\n", 2, "has 1 fields, must have 2"),
        (b"CODE|NAME\n1|a|\n", 2, "has 3 fields"),
        (b"CODE|NAME\n1|\xff\n", 2, "is not UTF-8"),
        (b"NAME|CODE\n", 1, "columns in another order"),
        (b"CODE\n", 1, "NAME is a missing column"),
        (b"CODE|NAME|AGE\n", 1, "AGE is an unknown column"),
        (b"CODE|NAME|NAME\n", 1, "NAME is there twice"),
        (b"CODE|NAME\n1|" + b"a" * LONGEST_LINE, 2, "is longer than"),
    ],
)
def test_what_is_not_the_table_is_refused_with_its_line(raw: bytes, line: int, message: str) -> None:
    _, problems = records(raw)
    assert message in " ".join(str(problem) for problem in problems)
    assert {(problem.file, problem.line) for problem in problems} == {("t.txt", line)}


@given(st.lists(st.tuples(*[st.text(st.characters(exclude_characters="|\n\r", codec="utf-8"), min_size=1)] * 2)))
def test_what_is_written_is_read(rows: list[tuple[str, str]]) -> None:
    found, problems = records("".join(["CODE|NAME\n", *("|".join(row) + "\n" for row in rows)]).encode())
    assert not problems
    assert [fields for _, fields in found] == rows


def test_parquet_is_the_same_table(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("CODE|NAME\n0001|x\n0002|Null\n")
    pq.write_table(pa.table({"NAME": ["x", None], "CODE": ["0001", "0002"]}), tmp_path / "b.parquet")
    problems: list[Problem] = []
    _, text = read_table(tmp_path, "a", COLUMNS, problems)
    _, parquet = read_table(tmp_path, "b", COLUMNS, problems)
    assert [fields for _, fields in text] == [fields for _, fields in parquet]
    assert not problems


def test_parquet_of_numbers_is_refused_since_leading_zeros_are_lost(tmp_path: Path) -> None:
    pq.write_table(pa.table({"CODE": [1], "NAME": ["x"]}), tmp_path / "b.parquet")
    with pytest.raises(PlanError, match=r"b.parquet: CODE is of type int64; store it as text"):
        parquet_columns(tmp_path / "b.parquet", COLUMNS)


def test_dictionaries_and_folders_of_parts_are_read(tmp_path: Path) -> None:
    (tmp_path / "b.parquet").mkdir()
    for part in ("1", "2"):
        table = pa.table({"CODE": pa.array([part]).dictionary_encode(), "NAME": pa.array(["x"], pa.large_string())})
        pq.write_table(table, tmp_path / "b.parquet" / f"part-{part}.parquet")
    assert parquet_columns(tmp_path / "b.parquet", COLUMNS).to_pydict() == {"CODE": ["1", "2"], "NAME": ["x", "x"]}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "is missing"),
        (("a.txt", "a.parquet"), "is there as text and as Parquet"),
        (("a.parquet",), "not readable as Parquet"),
    ],
)
def test_files_that_are_not_there_or_twice(tmp_path: Path, names: tuple[str, ...], message: str) -> None:
    for name in names:
        (tmp_path / name).write_text("CODE|NAME\n")
    problems: list[Problem] = []
    assert read_table(tmp_path, "a", COLUMNS, problems)[1] == []
    assert message in str(problems[0])


def test_an_empty_file_is_not_a_table(tmp_path: Path) -> None:
    (tmp_path / "a.txt").touch()
    problems: list[Problem] = []
    read_table(tmp_path, "a", COLUMNS, problems)
    assert "is empty" in str(problems[0])
