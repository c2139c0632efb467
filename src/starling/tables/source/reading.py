"""The records of a file, in chunks read ahead by several threads: text by byte ranges, Parquet by row batches.

Both follow the one rule of fields.py: a Parquet row gives the record that the line of its fields would give.

Memory: a few chunks, whatever the size of the file and of its lines. Files are read by position, never mapped: a file cut off while
mapped would kill the process.

A cluster reads the records in parts, each by whichever worker has time: byte ranges of text, row groups of Parquet, and no record is in
two of them. Workers cannot agree on numbers for sets of race codes while they read, so a set travels as itself: its codes, ascending, two
bytes each. Whoever collects the answer numbers them.
"""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from starling.engine.machine import in_order
from starling.engine.parquet_rows import open_rows, row_batches
from starling.engine.spark import Parts
from starling.errors import Problem, SourceError
from starling.privacy.compiled import compiled
from starling.tables.plan import Plan
from starling.tables.plan.blocks import BLOCK_COLUMNS
from starling.tables.plan.census_records import census_records
from starling.tables.plan.codebook import MOST_RACE_CODES
from starling.tables.source.fields import Bytes, Records
from starling.tables.source.lines import MOST_BYTES, Columns, scan
from starling.tables.source.lookup import Int16, Int32, Lookup
from starling.tables.source.persons import Persons, known_columns
from starling.tables.source.rows import scan_batch
from starling.tables.source.value_sets import ValueSets

CHUNK: Final = 8 << 20
"""Bytes of text that one task reads."""

ROWS: Final = 1 << 18
"""Parquet rows that one task reads."""


class Chunk(NamedTuple):
    """Some consecutive lines of a file: what `fields.records_of` gives of them."""

    part: Path
    records: Records
    several: Int16
    faults: Int32


def read(
    persons: Persons, plan: Plan, book: Lookup, *, explain: bool = False, chunk: int = CHUNK
) -> Generator[Chunk, None, None]:
    """All records, in the order of the file.

    Raises:
        SourceError: when the file is gone, or is no longer the one whose header was checked, or ends early. Never because of what a
            record says.
    """
    if persons.kind == "parquet":
        names = names_read(persons, plan)
        return in_order(partial(scan_rows, columns_of(names, plan), book, explain), _row_batches(persons, names))
    return _read_text(persons, columns_of(persons.columns, plan), book, explain, chunk)


def names_read(persons: Persons, plan: Plan) -> list[str]:
    """The columns of a Parquet file that are read, in its order."""
    return [name for name in persons.columns if name in known_columns(plan)]


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


def _changed(persons: Persons) -> SourceError:
    problem = Problem("persons", "changed or vanished since its header was checked", "start again", persons.name)
    return SourceError(problems=[problem])


def _read_text(
    persons: Persons, columns: Columns, book: Lookup, explain: bool, chunk: int
) -> Generator[Chunk, None, None]:
    with opened_text(persons) as file:
        work = partial(scan_bytes, file, persons, columns, book, explain, chunk, persons.sizes[0])
        yield from in_order(work, range(len(persons.header), persons.sizes[0], chunk))


@contextmanager
def opened_text(persons: Persons) -> Iterator[int]:
    """The file of text, open. Raises SourceError when it is not the one whose header was checked."""
    try:
        file = os.open(persons.files[0], os.O_RDONLY)
    except OSError:
        raise _changed(persons) from None
    try:
        header = _bytes_at(file, persons, 0, len(persons.header)).tobytes()
        if os.fstat(file).st_size != persons.sizes[0] or header != persons.header:
            raise _changed(persons)
        yield file
    finally:
        os.close(file)


def scan_bytes(
    file: int, persons: Persons, columns: Columns, book: Lookup, explain: bool, chunk: int, stop: int, begin: int
) -> Chunk:
    """The lines that begin at one of the bytes begin..begin + chunk, and before `stop`."""
    # The byte before, to know whether a line begins at `begin`; some bytes more, for the line that began last.
    end = min(begin + chunk, stop)
    data = _bytes_at(file, persons, begin - 1, min(end + MOST_BYTES + 2, persons.sizes[0]))
    first = _line_after(data, end - begin + 1)
    return Chunk(persons.files[0], *scan(data, first, end - begin + 1, columns, book, explain))


def _bytes_at(file: int, persons: Persons, begin: int, end: int) -> Bytes:
    """Bytes begin..end of the file; it must still have them."""
    parts: list[bytes] = []
    place = begin
    while place < end:
        try:
            part = os.pread(file, end - place, place)
        except OSError:
            part = b""
        if not part:
            raise _changed(persons)
        parts.append(part)
        place += len(part)
    return np.frombuffer(parts[0] if len(parts) == 1 else b"".join(parts), dtype=np.uint8)


@compiled
def _line_after(data: Bytes, stop: int) -> int:
    """Where the first line begins after a newline in data[:stop]; `stop` when there is none."""
    for place in range(stop):
        if data[place] == 10:
            return place + 1
    return stop


def _row_batches(persons: Persons, names: list[str]) -> Iterator[tuple[Path, pa.RecordBatch]]:
    for number, part in enumerate(persons.files):
        with opened_parquet(persons, number, names) as file:
            for batch in row_batches(file, range(file.num_row_groups), names, ROWS):
                yield part, batch


@contextmanager
def opened_parquet(persons: Persons, number: int, names: list[str]) -> Iterator[pq.ParquetFile]:
    """One of the Parquet files, open. Raises SourceError when it is not the one whose columns were checked, or ends early."""
    part = persons.files[number]
    try:
        with open_rows(part, persons.sizes[number], names) as file:
            if tuple(file.schema_arrow.names) != persons.columns:
                raise _changed(persons)
            yield file
    except (OSError, KeyError, pa.ArrowException):
        raise _changed(persons) from None


def scan_rows(columns: Columns, book: Lookup, explain: bool, item: tuple[Path, pa.RecordBatch]) -> Chunk:
    """The records of some Parquet rows."""
    part, batch = item
    return Chunk(part, *scan_batch(batch, columns, book, explain))


CHUNKS: Final = 8
"""Chunks of text that make one part."""

SCHEMA: Final = pa.schema(
    [("unit", pa.int32()), ("races", pa.binary()), ("qspan", pa.int16()), ("sex", pa.int8()), ("age", pa.int8())]
)
"""One row for each record that is not dropped."""

_CODE: Final = np.dtype("<i2")


class Part(NamedTuple):
    """Where some records lie: position in `Persons.files`, first byte of text or row group of Parquet, and one past the last."""

    file: int
    begin: int
    stop: int


def person_parts(persons: Persons, plan: Plan, book: Lookup, *, chunk: int = CHUNK) -> Parts:
    """The records as a table of SCHEMA, to be read in parts by workers, who need the files under the same paths.

    Raises:
        SourceError: when a Parquet file is gone, or is no longer what was checked; workers do not say why they fail.
    """
    if persons.kind == "parquet":
        names = names_read(persons, plan)
        groups = [_row_groups(persons, number, names) for number in range(len(persons.files))]
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
    with opened_parquet(persons, part.file, names) as file:
        for batch in row_batches(file, range(part.begin, part.stop), names, ROWS):
            yield _batch(scan_rows(columns, book, False, (persons.files[part.file], batch)))


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
