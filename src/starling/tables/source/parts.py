"""The records of a file in parts, each read by whichever worker of a cluster has time: byte ranges of text, row groups of Parquet.

A part is read by the same rule as the whole (`reading.py`), and no record is in two parts. Workers cannot agree on numbers for sets of race
codes while they read, so a set travels as itself: its codes, ascending, two bytes each. Whoever collects the answer numbers them.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from starling.engine.spark import Parts
from starling.tables.plan import Plan
from starling.tables.plan.codebook import MOST_RACE_CODES
from starling.tables.source.lines import Columns
from starling.tables.source.lookup import Int16, Int32, Lookup, RaceSets
from starling.tables.source.persons import Persons
from starling.tables.source.reading import (
    CHUNK,
    ROWS,
    Chunk,
    columns_of,
    names_read,
    opened_parquet,
    opened_text,
    scan_bytes,
    scan_rows,
)

CHUNKS: Final = 8
"""Chunks of text that make one part."""

SCHEMA: Final = pa.schema(
    [("unit", pa.int32()), ("races", pa.binary()), ("qspan", pa.int16()), ("sex", pa.int8()), ("age", pa.int8())]
)
"""One row for each record that is not dropped."""

_CODE: Final = np.dtype("<i2")


class Part(NamedTuple):
    """Where some records lie.

    Attributes:
        file: Position in `Persons.parts`.
        begin: First byte of text, or row group of Parquet.
        stop: One past the last.
    """

    file: int
    begin: int
    stop: int


def person_parts(persons: Persons, plan: Plan, book: Lookup, *, chunk: int = CHUNK) -> Parts:
    """The records as a table of SCHEMA, to be read in parts.

    Args:
        persons: The checked file or files; a worker needs them under the same paths.
        plan: Says which columns are read.
        book: What text is looked up in; public, and goes to every worker.
        chunk: Bytes of text that a worker reads at once.

    Raises:
        SourceError: when a Parquet file is gone, or is no longer what was checked; workers do not say why they fail.
    """
    if persons.kind == "parquet":
        names = names_read(persons, plan)
        groups = [_row_groups(persons, number, names) for number in range(len(persons.parts))]
        places = [Part(number, group, group + 1) for number, count in enumerate(groups) for group in range(count)]
        return Parts(SCHEMA, tuple(places), partial(_read_rows, persons, names, columns_of(names, plan), book))
    size, most = persons.sizes[0], CHUNKS * chunk
    places = [Part(0, begin, min(begin + most, size)) for begin in range(len(persons.header), size, most)]
    return Parts(SCHEMA, tuple(places), partial(_read_bytes, persons, columns_of(persons.columns, plan), book, chunk))


def _row_groups(persons: Persons, number: int, names: list[str]) -> int:
    with opened_parquet(persons, number, names) as file:
        return int(file.num_row_groups)


def _read_bytes(persons: Persons, columns: Columns, book: Lookup, chunk: int, part: Part) -> Iterator[pa.RecordBatch]:
    with opened_text(persons) as file:
        for begin in range(part.begin, part.stop, chunk):
            yield _batch(scan_bytes(file, persons, columns, book, False, chunk, part.stop, begin))


def _read_rows(
    persons: Persons, names: list[str], columns: Columns, book: Lookup, part: Part
) -> Iterator[pa.RecordBatch]:
    groups = list(range(part.begin, part.stop))
    with opened_parquet(persons, part.file, names) as file:
        for batch in file.iter_batches(ROWS, row_groups=groups, columns=names, use_threads=False):
            yield _batch(scan_rows(columns, book, False, (persons.parts[part.file], batch)))


def _batch(chunk: Chunk) -> pa.RecordBatch:
    unit, races, qspan, sex, age = chunk.records
    columns = [pa.array(unit), as_codes(races, chunk.several), pa.array(qspan), pa.array(sex), pa.array(age)]
    return pa.record_batch(columns, schema=SCHEMA)


def as_codes(races: Int32, several: Int16) -> pa.BinaryArray:
    """Sets of race codes as themselves.

    Args:
        races: int32 (records,): as `lines.Records` has them.
        several: int16 (sets, 8): the sets of two or more codes, ascending, the rest -1.
    """
    codes = np.full((len(races), MOST_RACE_CODES), -1, dtype=_CODE)
    codes[:, 0] = races - 1
    codes[races < 0] = several[-1 - races[races < 0]]
    there = codes >= 0
    ends = np.zeros(len(races) + 1, dtype=np.int32)
    np.cumsum(there.sum(axis=1) * _CODE.itemsize, out=ends[1:])
    return pa.BinaryArray.from_buffers(pa.binary(), len(races), [None, pa.py_buffer(ends), pa.py_buffer(codes[there])])


def from_codes(sets: pa.BinaryArray, numbers: RaceSets) -> Int32:
    """The number of each set, int32 (sets,), new ones being entered into `numbers`; the reverse of `as_codes`."""
    _, bounds, data = sets.buffers()
    ends = np.frombuffer(bounds, dtype=np.int32)[sets.offset : sets.offset + len(sets) + 1].astype(np.int64)
    codes = np.frombuffer(data or b"", dtype=_CODE)
    first, lengths = ends[:-1] // _CODE.itemsize, np.diff(ends) // _CODE.itemsize
    races = np.zeros(len(sets), dtype=np.int32)
    races[lengths == 1] = codes[first[lengths == 1]] + np.int32(1)
    rows = np.flatnonzero(lengths > 1)
    several = np.full((len(rows), MOST_RACE_CODES), -1, dtype=np.int16)
    for column in range(MOST_RACE_CODES):
        longer = lengths[rows] > column
        several[longer, column] = codes[first[rows[longer]] + column]
    races[rows] = -1 - np.arange(len(rows), dtype=np.int32)
    numbers.number(races, several)
    return races
