"""Rows of Parquet files: no text and no damaged byte stops a run, and what cannot be read is counted as missing."""

import errno
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from starling.engine.parquet_rows import open_rows, row_batches, stored_rows

INDICES = (pa.int8(), pa.uint8(), pa.int16(), pa.int32(), pa.int64())


def read(path: Path) -> list[Any]:
    with open_rows(path, path.stat().st_size) as file:
        batches = list(row_batches(file, range(file.num_row_groups), ["a"], 2))
    return [value for batch in batches for value in batch.column(0).cast(pa.large_binary()).to_pylist()]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_a_text_that_is_not_utf8_is_read_from_any_dictionary(index: pa.DataType, tmp_path: Path) -> None:
    texts = pa.array([b"ok", b"\xff\xfe"], pa.binary())
    dictionary = pa.Array.from_buffers(pa.string(), 2, texts.buffers())
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1], index), dictionary)
    pq.write_table(pa.table({"a": column}), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == [b"ok", b"\xff\xfe", None, b"\xff\xfe"]


def test_damaged_bytes_take_the_rest_of_their_row_group_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = [f"{number:09d}" for number in range(9)]
    pq.write_table(pa.table({"a": texts}), path, row_group_size=3, use_dictionary=False, compression="none")
    assert read(path) == [text.encode() for text in texts]
    data, metadata = path.read_bytes(), pq.read_metadata(path)
    begin = metadata.row_group(1).column(0).data_page_offset
    path.write_bytes(data[:begin] + bytes(20) + data[begin + 20 :])
    assert read(path) == [text.encode() for text in (*texts[:3], *texts[6:])]
    assert stored_rows(path, 1, 3) == 6


def test_a_file_of_another_size_and_a_disk_that_fails_stop_the_run(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": np.arange(3)}), path)
    with pytest.raises(OSError, match="another size"), open_rows(path, path.stat().st_size - 1):
        pass

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "the disk fails")

    class Failing:
        def iter_batches(self, *_: Any, **__: Any) -> Any:
            return map(fail, [0])

    failing: Any = Failing()
    with pytest.raises(OSError, match="the disk fails"):
        list(row_batches(failing, [0], ["a"], 2))
