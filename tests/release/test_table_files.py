"""The tables as files: Census text byte by byte, Parquet with every column, whatever the pieces."""

import csv
import tempfile
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.release import table_files
from starling.release.manifest import digests, files_of
from starling.release.table_comparison import TableComparison
from starling.release.table_files import Table, TableWriter, Text, write_tables
from starling.tables.artifact.columns import MOST_CSV_ROWS, tables
from starling.tables.domain import TABLES
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.postprocess import T1_SCHEMA, t2_schema
from tests.tables.small import small_plan


def table(schema: pa.Schema, rows: int) -> pa.Table:
    """Rows of small text and numbers, in two chunks with an empty one before, between and after."""
    made = pa.table(
        [pa.array([f"{at:02d}" if pa.types.is_string(field.type) else at for at in range(rows)]).cast(field.type)
         for field in schema],
        schema=schema,
    )  # fmt: skip
    empty = schema.empty_table()
    return pa.concat_tables([empty, made.slice(0, 2), empty, made.slice(2), empty])


def write_table(folder: Path, name: str, made: pa.Table, most_csv_rows: int = MOST_CSV_ROWS) -> Path:
    """All of a table as one piece; the folder that holds its files."""
    write_tables(
        folder,
        [each for each in tables(small_plan(), most_csv_rows) if each.name == name],
        [{name: made}],
    )
    return folder / "data"


def test_text_is_what_safetab_writes(tmp_path: Path) -> None:
    data = write_table(tmp_path, "t1", table(T1_SCHEMA, 3))
    assert (data / "t1.txt").read_bytes() == b"REGION_ID|REGION_TYPE|ITERATION_CODE|COUNT\n" + b"".join(
        b"%02d|%02d|%02d|%d\n" % (at, at, at, at) for at in range(3)
    )
    data = write_table(tmp_path, "t2", table(t2_schema(SEX_BY_AGE), 2))
    assert (data / "t2.txt").read_bytes() == (
        b"REGION_ID|REGION_TYPE|ITERATION_CODE|AGESTART|AGEEND|SEX|COUNT\n00|00|00|00|00|00|0\n01|01|01|01|01|01|1\n"
    )


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_no_chunk_writes_more_than_its_rows(tmp_path: Path, rows: int) -> None:
    # pyarrow writes stale memory for an empty chunk without a header.
    data = write_table(tmp_path, "t1", table(T1_SCHEMA, rows))
    assert (data / "t1.txt").read_bytes().count(b"\n") == rows + 1
    assert b"\0" not in (data / "t1.txt").read_bytes()


def test_negative_counts_and_dictionaries_are_written(tmp_path: Path) -> None:
    made = table(T1_SCHEMA, 1).combine_chunks()
    made = made.set_column(3, "count", pa.array([-7], pa.int64()))
    made = made.set_column(0, "region_id", made["region_id"].dictionary_encode())
    data = write_table(tmp_path, "t1", made)
    assert (data / "t1.txt").read_text().splitlines()[1] == "00|00|00|-7"


def test_parquet_holds_every_column(tmp_path: Path) -> None:
    made = table(t2_schema(SEX_BY_AGE), 4)
    data = write_table(tmp_path, "t2", made)
    assert pq.read_table(data / "t2.parquet").equals(made)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_pieces_are_joined_and_cut_into_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(table_files, "ROW_GROUP", 3)
    made = table(T1_SCHEMA, 7)
    tmp_path = tmp_path / "release"
    (tmp_path / "data").mkdir(parents=True)
    with TableWriter(tmp_path, tables(small_plan())[0]) as files:
        for first in range(0, 7, size):
            files.write(made.slice(first, size))
        files.finish()
    assert files.rows == 7
    tmp_path /= "data"
    assert pq.read_table(tmp_path / "t1.parquet").equals(made)
    stated = pq.read_metadata(tmp_path / "t1.parquet")
    assert [stated.row_group(group).num_rows for group in range(stated.num_row_groups)] == [3, 3, 1]
    assert (tmp_path / "t1.txt").read_text().count("\n") == 8


def test_csv_holds_every_column_and_is_quoted_where_it_must(tmp_path: Path) -> None:
    made = table(T1_SCHEMA, 2).combine_chunks()
    made = made.set_column(8, T1_SCHEMA.field(8), pa.array(['a, "b"', "c\nd"]))
    assert made.column_names[8] == "region_name"
    data = write_table(tmp_path, "t1", made)
    with (data / "t1.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [*T1_SCHEMA.names, "region_kind"]
    assert [row["region_name"] for row in rows] == ['a, "b"', "c\nd"]
    assert [row["count"] for row in rows] == ["0", "1"]


def test_standard_deviations_come_back_from_csv_to_the_last_bit(tmp_path: Path) -> None:
    made = table(T1_SCHEMA, 3).combine_chunks()
    numbers = [0.1 + 0.2, 1e-300, 20.926708192884018]
    made = made.set_column(4, T1_SCHEMA.field(4), pa.array(numbers))
    data = write_table(tmp_path, "t1", made)
    with (data / "t1.csv").open(newline="") as file:
        assert [float(row["standard_deviation"]) for row in csv.DictReader(file)] == numbers


def test_a_long_table_has_no_csv(tmp_path: Path) -> None:
    data = write_table(tmp_path, "t1", table(T1_SCHEMA, 3), 3)
    assert sorted(path.name for path in data.iterdir()) == ["t1.parquet", "t1.txt"]


@pytest.mark.slow
@given(st.lists(st.lists(st.sampled_from([-0.0, 0.0, -1.5, 2.0]), min_size=1, max_size=4), min_size=1, max_size=3))
def test_no_zero_of_any_table_has_a_sign_and_what_was_written_before_still_compares(pieces: list[list[float]]) -> None:
    schema = pa.schema([("region", pa.string()), ("value", pa.float64())])
    text = Text("csv", {"region": "region", "value": "value"})
    made = Table("t", "T", schema, {"region": "r", "value": "v"}, ("region",), (), (text,))
    rows = [pa.table({"region": ["r"] * len(piece), "value": piece}, schema=schema) for piece in pieces]
    with tempfile.TemporaryDirectory() as name:
        for before in (False, True):
            folder = Path(name) / str(before)
            folder.mkdir()
            with mock.patch.object(table_files, "unsigned_zeros", lambda each: each) if before else nullcontext():
                write_tables(folder, [made], [{"t": each} for each in rows])
            signs = np.signbit(pq.read_table(folder / made.path)["value"].to_numpy())
            lines = (folder / made.text_path(text)).read_text().splitlines()[1:]
            if not before:
                assert not any(line.endswith(("-0", "-0.0")) for line in lines)
                assert signs.sum() == sum(piece.count(-1.5) for piece in pieces)
            hashes = digests(files_of(folder))
            comparison = TableComparison(folder, made, hashes, TABLES.checks())
            for each in rows:
                comparison.compare(each)
            assert list(comparison.finish()) == []
            changed = TableComparison(folder, made, hashes, TABLES.checks())
            for each in rows:
                changed.compare(each.set_column(1, schema.field(1), pc.add(each["value"], 1.0)))
            assert list(changed.finish())
