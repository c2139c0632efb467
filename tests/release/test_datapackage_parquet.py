"""A Parquet file of a release holds its table and nothing that anybody wrote beside it."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.release.datapackage import parquet_stray, parquet_types

SCHEMA = pa.schema(
    [
        ("a", pa.int64()),
        ("b", pa.string()),
        ("c", pa.large_list(pa.int64())),
        ("d", pa.dictionary(pa.int32(), pa.string())),
    ]
)
TABLE = pa.table([[1, 2], ["x", "y"], [[1], []], pa.array(["k", "k"]).dictionary_encode()], schema=SCHEMA)


def noted(at: int) -> pa.Table:
    field = SCHEMA.field(at).with_metadata({"note": "somebody"})
    return TABLE.cast(SCHEMA.set(at, field))


def pad(path: Path) -> None:
    """Bytes before the footer that no reader looks at."""
    data = path.read_bytes()
    footer = int.from_bytes(data[-8:-4], "little") + 8
    path.write_bytes(data[:-footer] + b"hidden" + data[-footer:])


def rename(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"parquet-cpp-arrow", b"ann-was-born-1970"))


@pytest.mark.parametrize("options", [{}, {"compression": "zstd"}, {"write_statistics": False}, {"row_group_size": 1}])
def test_a_table_alone_has_nothing_beside_it(tmp_path: Path, options: dict[str, object]) -> None:
    pq.write_table(TABLE, tmp_path / "t.parquet", **options)
    assert parquet_stray(tmp_path / "t.parquet") is None
    assert list(parquet_types(tmp_path / "t.parquet")) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("table", "change", "expected"),
    [
        (TABLE.replace_schema_metadata({"pandas": "{}"}), None, "notes beside its columns"),
        (TABLE.replace_schema_metadata({"note": "Ann Smith has it"}), None, "notes beside its columns"),
        (noted(0), None, "notes beside its columns"),
        (TABLE, pad, "bytes that belong to no column"),
        (TABLE, rename, "another program's name"),
    ],
)
def test_what_somebody_wrote_beside_it_is_found(
    tmp_path: Path, table: pa.Table, change: Callable[[Path], None] | None, expected: str
) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    if change is not None:
        change(path)
    assert pq.read_table(path).num_rows == 2, "a reader sees nothing of it"
    assert parquet_stray(path) == expected
