"""Parts of records: each row once, in order, and a file that is not what was checked is refused."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.engine import record_parts
from starling.engine.delimited import Part
from starling.engine.held_records import hold
from starling.engine.record_files import Records
from starling.engine.record_parts import parquet_parts, tables, text_records
from starling.errors import SourceError


def test_rows_of_text_are_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('b,a\n"1,5",x\n3\n')
    records = text_records(tmp_path / "a.csv", ("a", "b"), "name a and b")
    assert (records.form, records.header, records.columns) == ("text", ("b", "a"), ("a", "b"))
    (table,) = tables(records, records.parts[0])
    assert table.to_pylist() == [{"a": b"x", "b": b"1,5"}]


def test_row_groups_make_parts_and_text_may_be_coded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_parts, "PART_ROWS", 4)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": list("uvwxyz"), "b": range(6)}), path, row_group_size=2)
    with pq.ParquetFile(path) as file:
        parts = parquet_parts(path, file)
    assert parts == (Part(path, 0, 2), Part(path, 2, 3))
    records = Records((path,), (path.stat().st_size,), "parquet", ("b", "a"), ("b", "a"), parts)
    found = [table for part in parts for table in tables(records, part, ("a", "b"))]
    assert pa.types.is_dictionary(found[0]["a"].type)
    assert [row for table in found for row in table.to_pylist()] == [{"b": at, "a": "uvwxyz"[at]} for at in range(6)]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(SourceError, match="are not what was checked"):
        list(tables(records, parts[0]))


def test_rows_in_memory_are_those_that_are_held() -> None:
    held = hold({"a": [1, 2]}, ("a",))
    assert [table.to_pydict() for table in tables(held, held.parts[0])] == [{"a": [1, 2]}]


@pytest.mark.parametrize(
    ("header", "cause"),
    [
        (b"\xff", "has a header that is not UTF-8"),
        (b"a;b", "is separated by semicolons"),
        (b"a,a", "a is there more than once"),
    ],
)
def test_other_headers_are_refused(header: bytes, cause: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(header + b"\n1,2\n")
    with pytest.raises(SourceError, match=cause):
        text_records(tmp_path / "a.csv", ("a",), "name a")
