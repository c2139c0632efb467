"""The data files: Census text byte by byte, Parquet with every column, measurements from which the tables follow again."""

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.tables.artifact import data
from starling.tables.artifact.data import file_name, write_measurements, write_table
from starling.tables.measurements import LevelMeasurements
from starling.tables.plan import GeographyLevel
from starling.tables.postprocess import T1_SCHEMA, T2_SCHEMA
from tests.tables.small import small_geography, small_plan


def table(schema: pa.Schema, rows: int) -> pa.Table:
    """Rows of small text and numbers, in two chunks with an empty one before, between and after."""
    made = pa.table(
        [pa.array([f"{at:02d}" if pa.types.is_string(field.type) else at for at in range(rows)]).cast(field.type)
         for field in schema],
        schema=schema,
    )  # fmt: skip
    empty = schema.empty_table()
    return pa.concat_tables([empty, made.slice(0, 2), empty, made.slice(2), empty])


def test_text_is_what_safetab_writes(tmp_path: Path) -> None:
    write_table(tmp_path, "t1", table(T1_SCHEMA, 3))
    assert (tmp_path / "t1.txt").read_bytes() == b"REGION_ID|REGION_TYPE|ITERATION_CODE|COUNT\n" + b"".join(
        b"%02d|%02d|%02d|%d\n" % (at, at, at, at) for at in range(3)
    )
    write_table(tmp_path, "t2", table(T2_SCHEMA, 2))
    assert (tmp_path / "t2.txt").read_bytes() == (
        b"REGION_ID|REGION_TYPE|ITERATION_CODE|AGESTART|AGEEND|SEX|COUNT\n00|00|00|00|00|00|0\n01|01|01|01|01|01|1\n"
    )


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_no_chunk_writes_more_than_its_rows(tmp_path: Path, rows: int) -> None:
    # pyarrow writes stale memory for an empty chunk without a header.
    write_table(tmp_path, "t1", table(T1_SCHEMA, rows))
    assert (tmp_path / "t1.txt").read_bytes().count(b"\n") == rows + 1
    assert b"\0" not in (tmp_path / "t1.txt").read_bytes()


def test_negative_counts_and_dictionaries_are_written(tmp_path: Path) -> None:
    made = table(T1_SCHEMA, 1).combine_chunks()
    made = made.set_column(3, "count", pa.array([-7], pa.int64()))
    made = made.set_column(0, "region_id", made["region_id"].dictionary_encode())
    write_table(tmp_path, "t1", made)
    assert (tmp_path / "t1.txt").read_text().splitlines()[1] == "00|00|00|-7"


def test_parquet_holds_every_column(tmp_path: Path) -> None:
    made = table(T2_SCHEMA, 4)
    write_table(tmp_path, "t2", made)
    assert pq.read_table(tmp_path / "t2.parquet").equals(made)


def test_names_of_measurements_tell_the_level() -> None:
    level = small_plan().levels[1]
    assert file_name(level) == "county-2.parquet"
    assert GeographyLevel.PR_TRACT.lower() == "pr-tract"


@pytest.mark.parametrize("groups", [1, 2, 100])
def test_measurements_come_back_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: int) -> None:
    monkeypatch.setattr(data, "GROUPS", groups)
    plan = small_plan()
    level, regions = plan.levels[0], small_geography(plan).regions[GeographyLevel.STATE]
    branch = np.array([0, 3, -1], dtype=np.int8)
    measured = LevelMeasurements(np.array([-2, 50, 0]), branch, np.arange(1 + 46 + 1) - 5)
    write_measurements(tmp_path, level, regions, measured)
    read = pq.read_table(tmp_path / "state-2.parquet").to_pydict()
    assert read["region_id"] == ["01"] * 3
    assert read["iteration_code"] == ["0001", "0002", "0003"]
    assert read["stage_1"] == [-2, 50, None]
    assert read["branch"] == branch.tolist()
    assert [len(values) for values in read["stage_2"]] == [1, 46, 1]
    assert np.concatenate(read["stage_2"]).tolist() == measured.values.tolist()


def test_a_level_without_regions_has_an_empty_file(tmp_path: Path) -> None:
    level = small_plan().levels[0]
    nothing = np.zeros(0, dtype=np.int64)
    write_measurements(tmp_path, level, (), LevelMeasurements(nothing, nothing.astype(np.int8), nothing))
    assert pq.read_table(tmp_path / "state-2.parquet").num_rows == 0


def test_csv_holds_every_column_and_is_quoted_where_it_must(tmp_path: Path) -> None:
    made = table(T1_SCHEMA, 2).combine_chunks()
    made = made.set_column(8, T1_SCHEMA.field(8), pa.array(['a, "b"', "c\nd"]))
    assert made.column_names[8] == "region_name"
    assert write_table(tmp_path, "t1", made)
    with (tmp_path / "t1.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == T1_SCHEMA.names
    assert [row["region_name"] for row in rows] == ['a, "b"', "c\nd"]
    assert [row["count"] for row in rows] == ["0", "1"]


def test_standard_deviations_come_back_from_csv_to_the_last_bit(tmp_path: Path) -> None:
    made = table(T1_SCHEMA, 3).combine_chunks()
    numbers = [0.1 + 0.2, 1e-300, 20.926708192884018]
    made = made.set_column(4, T1_SCHEMA.field(4), pa.array(numbers))
    write_table(tmp_path, "t1", made)
    with (tmp_path / "t1.csv").open(newline="") as file:
        assert [float(row["standard_deviation"]) for row in csv.DictReader(file)] == numbers


def test_a_long_table_has_no_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "MOST_CSV_ROWS", 3)
    assert not write_table(tmp_path, "t1", table(T1_SCHEMA, 3))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t1.parquet", "t1.txt"]


@pytest.mark.parametrize(
    ("value", "number"), [(2**31 - 1, "int32"), (-(2**31), "int32"), (2**31, "int64"), (-(2**31) - 1, "int64")]
)
def test_measurements_are_as_narrow_as_their_values_allow(tmp_path: Path, value: int, number: str) -> None:
    plan = small_plan()
    level, regions = plan.levels[0], small_geography(plan).regions[GeographyLevel.STATE]
    branch = np.array([0, 0, -1], dtype=np.int8)
    for first, second in ((value, 0), (0, value)):
        values = np.array([second, 0, 0], dtype=np.int64)
        write_measurements(tmp_path, level, regions, LevelMeasurements(np.array([first, 0, 0]), branch, values))
        read = pq.read_table(tmp_path / "state-2.parquet")
        assert str(read.schema.field("stage_1").type) == number
        assert (read["stage_1"][0].as_py(), read["stage_2"][0].as_py()) == (first, [second])
