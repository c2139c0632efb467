from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.tables.generate.files import WRITERS, Columns, ParquetWriter, TextWriter, digit_bytes, fields

COLUMNS: Columns = {
    "A": (digit_bytes(np.array([7, 42]), 3), np.array([1, 0, 1])),
    "B": (fields(("False", "True")), np.array([0, 1, 1])),
    "C": (fields(("x", "Null")), np.array([-1, 0, -1])),
}


@given(st.lists(st.integers(0, 99_999), max_size=20))
def test_digits_are_those_of_print(values: list[int]) -> None:
    assert digit_bytes(np.array(values, dtype=np.int64), 5).tobytes().decode() == "".join(f"{v:05d}" for v in values)


def test_text_is_lines_of_fields(tmp_path: Path) -> None:
    writer = TextWriter(tmp_path / "a.txt", tuple(COLUMNS))
    writer.write(writer.encode(COLUMNS))
    writer.write(writer.encode(COLUMNS))
    writer.close()
    lines = ["042|False|Null", "007|True|x", "042|True|Null"]
    assert (tmp_path / "a.txt").read_text() == "\n".join(["A|B|C", *lines, *lines, ""])


def test_parquet_holds_the_same_text(tmp_path: Path) -> None:
    writer = ParquetWriter(tmp_path / "a.parquet", tuple(COLUMNS))
    writer.write(writer.encode(COLUMNS))
    writer.close()
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.schema.types == [pa.string()] * 3
    assert table.to_pydict() == {"A": ["042", "007", "042"], "B": ["False", "True", "True"], "C": ["Null", "x", "Null"]}


@pytest.mark.parametrize("form", WRITERS)
def test_a_file_without_rows_is_whole(tmp_path: Path, form: str) -> None:
    path = tmp_path / "empty"
    WRITERS[form](path, tuple(COLUMNS)).close()
    assert path.stat().st_size > 0


def test_text_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("mine")
    with pytest.raises(FileExistsError):
        TextWriter(tmp_path / "a.txt", ("A",))
