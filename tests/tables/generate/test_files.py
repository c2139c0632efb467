"""Rows become lines of text or columns of Parquet; what fields of custom records become, test_custom_values.py shows."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.tables.generate.census import AS_TEXT, coded
from starling.tables.generate.files import WRITERS, Format, ParquetWriter, TextWriter

COLUMNS = pa.table(
    {
        "A": coded(pa.array(["007", "042"]), np.array([1, 0, 1])),
        "B": coded(pa.array(["False", "True"]), np.array([0, 1, 1])),
        "C": coded(pa.array(["x", "Null"]), np.array([1, 0, 1])),
    }
)


def test_text_is_lines_of_fields(tmp_path: Path) -> None:
    writer = TextWriter(tmp_path / "a.txt", COLUMNS.schema, (), AS_TEXT)
    writer.write(writer.encode(COLUMNS))
    writer.write(writer.encode(COLUMNS))
    writer.close()
    lines = ["042|False|Null", "007|True|x", "042|True|Null"]
    assert (tmp_path / "a.txt").read_text() == "\n".join(["A|B|C", *lines, *lines, ""])


def test_parquet_holds_the_same_text(tmp_path: Path) -> None:
    writer = ParquetWriter(tmp_path / "a.parquet", COLUMNS.schema)
    writer.write(writer.encode(COLUMNS))
    writer.close()
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.schema.types == [pa.string()] * 3
    assert table.to_pydict() == {"A": ["042", "007", "042"], "B": ["False", "True", "True"], "C": ["Null", "x", "Null"]}


@pytest.mark.parametrize("form", WRITERS)
def test_a_file_without_rows_is_whole(tmp_path: Path, form: Format) -> None:
    path = tmp_path / "empty"
    WRITERS[form](path, COLUMNS.schema).close()
    assert path.stat().st_size > 0


def test_text_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("mine")
    with pytest.raises(FileExistsError):
        TextWriter(tmp_path / "a.txt", COLUMNS.schema)
