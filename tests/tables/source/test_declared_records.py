"""The public shape of custom records: every refusal names the column and what to do."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.engine.record_files import Records
from starling.errors import SourceError
from starling.tables.plan.columns import Column, Integers, RecordColumns, codes_of
from starling.tables.source.declared_records import open_declared

COLUMNS = RecordColumns(None, (Column("sex", codes_of(("F", "M"))),), (Column("age", Integers(0, 110)),))


def test_more_columns_in_any_order_are_welcome(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,sex,y,age\n")
    opened = open_declared(tmp_path / "a.csv", COLUMNS).source
    assert isinstance(opened, Records)
    assert (opened.header, opened.columns) == (("x", "sex", "y", "age"), ("age", "sex"))
    assert open_declared(str(tmp_path / "a.csv"), COLUMNS).name == "a.csv"
    assert open_declared({"sex": ["F"], "age": [1], "x": [2]}, COLUMNS).name == "records"


def test_a_folder_of_parts_is_named_as_such(tmp_path: Path) -> None:
    for name in ("a", "b"):
        pq.write_table(pa.table({"sex": ["F"], "age": [1]}), tmp_path / f"{name}.parquet")
    assert open_declared(tmp_path, COLUMNS).name == tmp_path.name


@pytest.mark.parametrize(
    ("data", "causes"),
    [
        ("sex,sex\n", ["sex is there more than once", "age is a missing column"]),
        ("sex;age\n", ["is separated by semicolons"]),
        ("\xff", ["has a header that is not UTF-8"]),
        ("", ["has no header: its first line is empty"]),
        ({"sex": [1.5], "age": [True]}, ["sex is of type double, not text or an integer", "age is of type bool"]),
        (
            {"sex": [True], "age": [1]},
            ["sex is of type bool, not text or an integer, and the plan does not list true and"],
        ),
        ({"sex": ["F"]}, ["age is a missing column; there are sex"]),
        ({"sex": ["F"], "age": [1, 2]}, ["cannot be taken as columns"]),
        (7, ["of type int names no columns"]),
    ],
)
def test_other_shapes_are_refused(data: Any, causes: list[str], tmp_path: Path) -> None:
    if isinstance(data, str):
        (tmp_path / "a.csv").write_bytes(data.encode("latin-1"))
        data = tmp_path / "a.csv"
    with pytest.raises(SourceError) as refused:
        open_declared(data, COLUMNS)
    assert all(cause in str(refused.value) for cause in causes)


def test_parquet_of_other_types_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"sex": [0.5], "age": ["1"]}), tmp_path / "a.parquet")
    with pytest.raises(SourceError, match="sex is of type double, not text or an integer"):
        open_declared(tmp_path / "a.parquet", COLUMNS)
