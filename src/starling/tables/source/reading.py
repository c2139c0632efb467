"""The records of a file, in parts read ahead by several threads: text by byte ranges, Parquet by row batches.

Both follow the one rule of fields.py: a Parquet row gives the record that the line of its fields would give.

Memory: a few parts, whatever the size of the file and of its lines. Files are read by position, never mapped: a file cut off while
mapped would kill the process.

A cluster reads the same parts, each by whichever worker has time, and no record is in two of them. Workers cannot agree on numbers for sets
of race codes while they read, so a set travels as itself: its codes, ascending, two bytes each. Whoever collects the answer numbers them.
"""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa

from starling.engine.delimited import Part
from starling.engine.machine import in_order
from starling.engine.record_files import Records as Files
from starling.engine.record_parts import tables
from starling.engine.spark import Parts
from starling.tables.plan import Plan
from starling.tables.plan.blocks import BLOCK_COLUMNS
from starling.tables.plan.census_records import census_records
from starling.tables.plan.iterations import MOST_RACE_CODES
from starling.tables.source.census_records import Persons
from starling.tables.source.fields import Records
from starling.tables.source.lines import MOST_BYTES, Columns, scan
from starling.tables.source.lookup import Int16, Int32, Lookup
from starling.tables.source.opened import changed
from starling.tables.source.rows import scan_batch
from starling.tables.source.value_sets import ValueSets


class Chunk(NamedTuple):
    """Some consecutive lines of a file: what `fields.records_of` gives of them."""

    part: Path
    records: Records
    several: Int16
    faults: Int32


def read(persons: Persons, plan: Plan, book: Lookup, *, explain: bool = False) -> Generator[Chunk, None, None]:
    """All records, in the order of the file.

    Raises:
        SourceError: when the file is gone, or is no longer the one whose header was checked, or ends early. Never because of what a
            record says.
    """
    persons.check_unchanged()
    files, columns = persons.source, columns_of(persons.source.header, plan)
    if files.form == "text":
        return _read_text(files, columns, book, explain)
    batches = (batch for part in files.parts for batch in _row_batches(files, part))
    return in_order(partial(_scan_rows, columns, book, explain), batches)


def columns_of(names: Sequence[str], plan: Plan) -> Columns:
    """Where the fields stand in a line with these names."""
    place = {name: index for index, name in enumerate(names)}
    races = [place[name] for column in range(1, MOST_RACE_CODES + 1) if (name := f"QRACE{column}") in place]
    return Columns(
        fields=len(names),
        age=place["QAGE"],
        sex=place["QSEX"],
        span=place["QSPAN"],
        householder=place.get("HOUSEHOLDER", -1),
        cenrace=place.get("CENRACE", -1),
        block=np.array([place[name] for name in BLOCK_COLUMNS], dtype=np.int64),
        races=np.array(races, dtype=np.int64),
        read=census_records(plan).max_race_codes,
    )


@contextmanager
def _opened(files: Files) -> Iterator[int]:
    """The file of text, which once it is open outlives its name; raises SourceError where it is not what was checked."""
    try:
        file = os.open(files.files[0], os.O_RDONLY)
    except OSError:
        raise changed() from None
    try:
        if os.fstat(file).st_size != files.sizes[0]:
            raise changed()
        yield file
    finally:
        os.close(file)


def _read_text(files: Files, columns: Columns, book: Lookup, explain: bool) -> Generator[Chunk, None, None]:
    with _opened(files) as file:
        yield from in_order(partial(_scan_text, file, columns, book, explain), files.parts)


def _scan_text(file: int, columns: Columns, book: Lookup, explain: bool, part: Part) -> Chunk:
    """The lines that begin in a part."""
    # The byte before, to know whether a line begins with the part; some bytes more, for the line that began last.
    first, stop, data = part.begin - 1, part.stop - part.begin + 1, b""
    try:
        while more := os.pread(file, stop + MOST_BYTES + 2 - len(data), first + len(data)):
            data += more
    except OSError:
        data = b""
    if len(data) < stop:
        raise changed()
    line = data.find(b"\n", 0, stop) + 1 or stop
    return Chunk(part.path, *scan(np.frombuffer(data, dtype=np.uint8), line, stop, columns, book, explain))


def _row_batches(files: Files, part: Part) -> Iterator[tuple[Path, pa.RecordBatch]]:
    return ((part.path, batch) for table in tables(files, part, files.columns) for batch in table.to_batches())


def _scan_rows(columns: Columns, book: Lookup, explain: bool, item: tuple[Path, pa.RecordBatch]) -> Chunk:
    """The records of some Parquet rows."""
    path, batch = item
    return Chunk(path, *scan_batch(batch, columns, book, explain))


SCHEMA: Final = pa.schema(
    [("unit", pa.int32()), ("races", pa.binary()), ("qspan", pa.int16()), ("sex", pa.int8()), ("age", pa.int8())]
)
"""One row for each record that is not dropped."""

_CODE: Final = np.dtype("<i2")


def person_parts(persons: Persons, plan: Plan, book: Lookup) -> Parts:
    """The records as a table of SCHEMA, to be read in parts by workers, who need the files under the same paths.

    Raises:
        SourceError: when a file is gone, or is no longer what was checked; workers do not say why they fail.
    """
    persons.check_unchanged()
    files = persons.source
    return Parts(SCHEMA, files.parts, partial(_read_part, files, columns_of(files.header, plan), book))


def _read_part(files: Files, columns: Columns, book: Lookup, part: Part) -> Iterator[pa.RecordBatch]:
    if files.form == "text":
        with _opened(files) as file:
            yield _batch(_scan_text(file, columns, book, False, part))
    else:
        yield from (_batch(_scan_rows(columns, book, False, item)) for item in _row_batches(files, part))


def _batch(chunk: Chunk) -> pa.RecordBatch:
    unit, races, qspan, sex, age = chunk.records
    columns = [pa.array(unit), as_codes(races, chunk.several), pa.array(qspan), pa.array(sex), pa.array(age)]
    return pa.record_batch(columns, schema=SCHEMA)


def as_codes(races: Int32, several: Int16) -> pa.BinaryArray:
    """Sets of race codes as themselves; arguments as `fields.records_of` gives them."""
    codes = np.full((len(races), MOST_RACE_CODES), -1, dtype=_CODE)
    codes[:, 0] = races - 1
    codes[races < 0] = several[-1 - races[races < 0]]
    there = codes >= 0
    ends = np.zeros(len(races) + 1, dtype=np.int32)
    np.cumsum(there.sum(axis=1) * _CODE.itemsize, out=ends[1:])
    return pa.BinaryArray.from_buffers(pa.binary(), len(races), [None, pa.py_buffer(ends), pa.py_buffer(codes[there])])


def from_codes(sets: pa.BinaryArray, numbers: ValueSets) -> Int32:
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
