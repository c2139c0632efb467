"""The rows of Parquet files, group by group, so that neither a record nor damaged bytes can stop a run.

Bytes that cannot be decoded are no records: the rest of their row group is left out, and the other groups are read alike. `validate` counts
the rows that are missing. A file that is gone, of another size, or on a disk that fails is not what was checked, and stops the run.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

DAMAGED: Final = "is in bytes of the Parquet file that cannot be read"
"""What is wrong with the rows that are left out."""


@contextmanager
def open_rows(path: Path, size: int, coded: Sequence[str] = ()) -> Iterator[pq.ParquetFile]:
    """A file of so many bytes, open; raises OSError or Arrow's exceptions where it cannot be opened or has another size.

    Args:
        path: The file.
        size: Its bytes when it was checked.
        coded: The columns of text that are given as dictionaries, beside those that are stored as such.
    """
    if path.stat().st_size != size:
        raise OSError("the file has another size")
    with pq.ParquetFile(path, pre_buffer=False) as file:
        stored = [field.name for field in file.schema_arrow if pa.types.is_dictionary(field.type)]
        metadata = file.metadata
    # Otherwise Arrow casts each stored dictionary, which raises where one text is not UTF-8.
    named = list(dict.fromkeys((*coded, *stored)))
    with pq.ParquetFile(path, metadata=metadata, pre_buffer=False, read_dictionary=named) as file:
        yield file


def row_batches(
    file: pq.ParquetFile, groups: Sequence[int], columns: Sequence[str], rows: int
) -> Iterator[pa.RecordBatch]:
    """The rows of row groups, so many at a time, but for those that cannot be decoded; raises OSError where the disk fails."""
    for group in groups:
        batches = iter(file.iter_batches(rows, row_groups=[group], columns=list(columns), use_threads=False))
        while (batch := _next(batches)) is not None:
            yield batch


def _next(batches: Iterator[pa.RecordBatch]) -> pa.RecordBatch | None:
    try:
        return next(batches, None)
    except MemoryError:
        raise
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException) as error:
        # Arrow raises OSError without a number for what it cannot decode, and with one for what the system refuses.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        return None


def stored_rows(path: Path, begin: int, stop: int) -> int:
    """How many rows these row groups of a file should have."""
    metadata = pq.read_metadata(path)
    return sum(metadata.row_group(group).num_rows for group in range(begin, stop))
