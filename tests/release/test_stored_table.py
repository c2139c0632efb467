"""Rows of a stored table are those that reading all of it gives, and few row groups are read for them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import ParameterError
from starling.release import stored_table
from starling.release.stored_table import StoredTable

GROUP = 10
ROWS = [
    {"region": f"{number // 7:03}", "code": "abc"[number % 3], "count": number, "note": None if number % 5 else "x"}
    for number in range(200)
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS), path, row_group_size=GROUP)
    return path


def matching(where: dict[str, list[str]]) -> list[dict[str, Any]]:
    return [row for row in ROWS if all(row[column] in values for column, values in where.items())]


WHERE = st.fixed_dictionaries(
    {},
    optional={
        "region": st.lists(st.sampled_from(["000", "003", "028", "999"]), min_size=1),
        "code": st.lists(st.sampled_from("abcz"), min_size=1),
        "note": st.just(["x"]),
    },
)


@pytest.mark.examples(20)
@given(where=WHERE, first=st.integers(0, 210), most=st.integers(1, 250))
def test_windows_are_slices_of_the_matching_rows(
    path: Path, where: dict[str, list[str]], first: int, most: int
) -> None:
    window = StoredTable(path).window(where, first, most)
    expected = matching(where)
    assert window.rows.to_pylist() == expected[first : first + most]
    assert window.more == (len(expected) > first + most)
    assert window.searched


@pytest.mark.examples(20)
@given(where=WHERE)
def test_pieces_are_all_matching_rows_and_their_number_is_counted(path: Path, where: dict[str, list[str]]) -> None:
    table = StoredTable(path)
    rows = [row for piece in table.pieces(where) for row in piece.to_pylist()]
    assert rows == matching(where)
    assert len(rows) == table.count(where) <= table.candidates(where) <= len(ROWS)


@pytest.mark.examples(20)
@given(where=WHERE, first=st.integers(0, 210), most=st.integers(1, 250))
def test_a_bounded_search_gives_the_same_rows_or_says_that_it_ended(
    path: Path, where: dict[str, list[str]], first: int, most: int
) -> None:
    window = StoredTable(path).window(where, first, most, bounded=True)
    rows, expected = window.rows.to_pylist(), matching(where)[first : first + most]
    assert rows == expected[: len(rows)]
    assert len(rows) == len(expected) or not window.searched


def test_a_table_without_rows_has_none_of_any_values(tmp_path: Path) -> None:
    pq.write_table(pa.Table.from_pylist(ROWS).slice(0, 0), tmp_path / "t.parquet")
    table = StoredTable(tmp_path / "t.parquet")
    for where in ({}, {"code": ["a"]}, {"code": ["a"], "region": ["000"]}):
        assert (table.count(where), [*table.pieces(where)], table.values("note", where, 5)) == (0, [], [])
        assert not len(table.window(where, 0, 5).rows)


@pytest.mark.examples(20)
@pytest.mark.parametrize("stated", [True, False])
@given(numbers=st.lists(st.none() | st.integers(-3, 3), max_size=30))
def test_the_first_of_the_largest_numbers_is_found(
    tmp_path_factory: pytest.TempPathFactory, stated: bool, numbers: list[int | None]
) -> None:
    path = tmp_path_factory.mktemp("numbers") / "t.parquet"
    rows = {"name": [f"row {at}" for at in range(len(numbers))], "count": pa.array(numbers, pa.int64())}
    pq.write_table(pa.table(rows), path, row_group_size=4, write_statistics=stated)
    known = [(number, -at) for at, number in enumerate(numbers) if number is not None]
    expected = [{"name": f"row {-max(known)[1]}", "count": max(known)[0]}] if known else []
    assert StoredTable(path).largest("count").to_pylist() == expected


def test_few_row_groups_are_read(path: Path) -> None:
    read: list[int] = []

    class Watched(StoredTable):
        def _read(self, group: int, columns: Sequence[str] | None, rows: int) -> pa.RecordBatch:
            read.append(group)
            return super()._read(group, columns, rows)

    table = Watched(path)
    assert len(table.window({"region": ["003"]}, 0, 100).rows) == 7
    assert read == [2, 2], "what chooses, then the rows"
    read.clear()
    assert table.window({}, 150, 5).rows["count"].to_pylist() == [150, 151, 152, 153, 154]
    assert read == [15]
    read.clear()
    assert not len(table.window({"code": ["z"]}, 0, 100).rows)
    assert read == [], "the file states that no row group holds it"


def test_a_search_that_would_read_too_much_ends_and_says_so(path: Path) -> None:
    table = StoredTable(path)
    window = table.window({"code": ["b"]}, 0, 100, bounded=True)
    assert len(window.rows) == sum(row["code"] == "b" for row in ROWS[: GROUP * stored_table.MOST_READ])
    assert (window.more, window.searched) == (False, False)
    late = table.window({"code": ["b"]}, 60, 100, bounded=True)
    assert (len(late.rows), late.searched) == (0, False)


def test_values_of_a_column_are_listed_beside_other_choices(path: Path) -> None:
    table = StoredTable(path)
    assert table.values("code", {"region": ["003"]}, 10) == ["a", "b", "c"]
    assert table.values("code", {"region": ["003"]}, 2) is None
    assert table.values("region", {}, 100) is None, "too many row groups"
    assert table.values("region", {"note": ["none"]}, 100) == []


def test_a_column_of_numbers_chooses_nothing(path: Path) -> None:
    with pytest.raises(ParameterError, match="count is no column to choose by"):
        StoredTable(path).window({"count": ["1"]}, 0, 10)
