"""Records of persons counted part by part, each part with all records of its persons, so that the memory does not grow with the records.

The records are put away on the disk for temporary files as they come, in files that have no name and are gone with the process, one for
each part. DuckDB then runs the text for one part after the other. Which part a person is in has no effect on what is counted of them.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from tempfile import TemporaryFile
from typing import IO, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.engine import duck
from starling.engine.bounded_records import PERSON
from starling.engine.spill import Int64, spill_failed
from starling.privacy.compiled import compiled

PARTS: Final = 16
"""Parts of the records. Public, and of no effect on a count."""


def run_by_person(
    text: str,
    content: pa.Schema,
    batches: Iterable[pa.RecordBatch],
    tables: Mapping[str, pa.Table],
    limits: duck.Limits | None = None,
) -> Generator[pa.RecordBatch, None, None]:
    """The rows of the text over the records of each part; whoever asks adds up what the parts have in common.

    Args:
        text: The SQL, which may say of a person what all of that person's records say, and nothing of several persons but sums.
        content: The columns of the records beside that of persons.
        batches: The records, with the person as the first column; taken once.
        tables: Public tables by the name that the text uses, beside `records`.
        limits: What DuckDB may use.

    Raises:
        OutputError: memory or disk do not suffice, never because of what a record says.
    """
    schema, limits = pa.schema([PERSON, *content]), limits or duck.default_limits()
    with ExitStack() as stack:
        try:
            files = [stack.enter_context(TemporaryFile(prefix="starling-", dir=limits.spill)) for _ in range(PARTS)]
            _put_away(files, schema, batches)
        except (OSError, pa.ArrowException):
            files = []
        if not files:
            # Raised outside the handler, so that nothing of a record is kept as the context of the error.
            raise spill_failed()
        with closing(
            duck.run_each(text, ({"records": part, **tables} for part in _read_back(files)), limits)
        ) as answer:
            yield from answer


def _put_away(files: Sequence[IO[bytes]], schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    with ExitStack() as stack:
        writers = [stack.enter_context(pa.ipc.new_stream(file, schema)) for file in files]
        for batch in batches:
            for writer, rows in zip(writers, _split(batch), strict=True):
                if len(rows):
                    writer.write_batch(rows)


def _read_back(files: Sequence[IO[bytes]]) -> Iterator[pa.RecordBatchReader]:
    for file in files:
        file.seek(0)
        with pa.ipc.open_stream(file) as part:
            yield part


def _split(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The rows of each part."""
    person = batch.column(0)
    _, bounds, data = person.buffers()
    ends = np.frombuffer(bounds, np.int32)[person.offset : person.offset + len(person) + 1]
    part = np.empty(len(person), dtype=np.int64)
    _parts(ends, np.frombuffer(data or b"", np.uint8), PARTS, part)
    order, counts = np.argsort(part, kind="stable"), np.bincount(part, minlength=PARTS)
    sorted_rows, begin = batch.take(pa.array(order)), 0
    for many in counts.tolist():
        yield sorted_rows.slice(begin, many)
        begin += many


@compiled
def _parts(ends: npt.NDArray[np.int32], data: npt.NDArray[np.uint8], parts: int, part: Int64) -> None:
    """Which of so many parts each person is in, by the hash of Fowler, Noll and Vo (FNV-1a)."""
    for row in range(len(part)):
        mixed = np.uint64(0xCBF29CE484222325)
        for at in range(ends[row], ends[row + 1]):
            mixed = (mixed ^ np.uint64(data[at])) * np.uint64(0x100000001B3)
        # What differs in the last bytes alone has to reach the bits that are taken.
        mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
        part[row] = np.int64((mixed >> np.uint64(33)) % np.uint64(parts))
