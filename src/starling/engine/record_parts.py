"""The rows of records, part by part, as their form has them: of text all columns as bytes, else as stored."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from starling.engine.delimited import Part, first_record, fitting, parsed, parts_of
from starling.engine.headers import check_columns, resolved, text_header
from starling.engine.held_records import Held, InMemory, hold
from starling.engine.parquet_rows import open_rows, row_batches
from starling.engine.record_files import PARQUET, Records, beginning_of, open_files
from starling.engine.workbooks import BEGIN, workbook_records, workbook_tables
from starling.errors import Problem, SourceError
from starling.text_format import PLAIN, TextFormat

ROWS: Final = 1 << 18
"""Parquet rows that are read at a time."""
PART_ROWS: Final = 1 << 22
"""Parquet rows of a part, unless a row group has more."""
Wanted: TypeAlias = Callable[[str, pa.DataType], str]
"""Of a column and its type, of a dictionary that of its values: what it must be instead, "" where it fits."""


def table_records(path: Path, columns: tuple[str, ...], fix: str, wanted: Wanted, form: TextFormat = PLAIN) -> Records:
    """The records of a file of Parquet, of text or of a workbook; raises SourceError unless it has each column once, of a fitting type."""
    beginning, size = beginning_of(path)
    if not beginning.startswith(PARQUET):
        return text_records(path, columns, fix, form)
    with pq.ParquetFile(path) as opened:
        schema, parts = opened.schema_arrow, parquet_parts(path, opened)
    check_columns(path, columns, schema.names, fix, named=True)
    check_types(path, columns, schema, wanted)
    return Records((path,), (size,), "parquet", columns, columns, parts)


def open_tables(
    data: str | Path | InMemory, columns: tuple[str, ...], fix: str, wanted: Wanted, form: TextFormat = PLAIN
) -> Records | Held:
    """Records of files of CSV or Parquet, or in memory, whose public shape is checked: that they are there, columns and types.

    Raises:
        SourceError: with all missing columns at once.
    """
    if isinstance(data, str | Path):
        return open_files(data, lambda file: table_records(file, columns, fix, wanted, form), "CSV or Parquet")
    held = hold(data, columns)
    check_types(held.parts[0].path, columns, held.schema, wanted)
    return held


def is_text(kind: pa.DataType) -> bool:
    """Whether a column has text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def no_number(kind: pa.DataType) -> str:
    """As `Wanted` says, of a column of numbers."""
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return "" if number else "a number"


def no_label(kind: pa.DataType) -> str:
    """As `Wanted` says, of a column of ids or names."""
    return "" if is_text(kind) or pa.types.is_integer(kind) else "text or an integer"


def no_time(kind: pa.DataType) -> str:
    """As `Wanted` says, of a column of times."""
    return "" if is_text(kind) or pa.types.is_timestamp(kind) or pa.types.is_date(kind) else "a time or text"


def check_types(path: Path, columns: Sequence[str], schema: pa.Schema, wanted: Wanted) -> None:
    """Raises SourceError with every column whose type does not fit. The type null, which Arrow and pandas give a column without any value,
    fits everywhere: all of it is missing.
    """
    types = {name: schema.field(name).type for name in columns}
    problems = []
    for name, stored in types.items():
        kind = stored.value_type if pa.types.is_dictionary(stored) else stored
        if not pa.types.is_null(kind) and (what := wanted(name, kind)):
            # Pandas makes floats of whole numbers where one is missing.
            pandas = ', in pandas by astype("Int64")' if pa.types.is_floating(kind) and "integer" in what else ""
            problems.append(Problem(name, f"is of type {kind}, not {what}", f"store it so{pandas}", path.name))
    SourceError.check(problems)


def text_records(path: Path, columns: tuple[str, ...], fix: str, form: TextFormat = PLAIN) -> Records:
    """The records of a file of text, or of a workbook; raises SourceError unless its header names each column once."""
    text, size = beginning_of(path)
    if text.startswith(BEGIN):
        return workbook_records(path, size, columns, fix, form)
    form = resolved(path, text, form)
    header = text_header(path, text, columns, form)
    check_columns(path, columns, header, fix)
    return Records((path,), (size,), "text", header, columns, parts_of(path, len(first_record(text, form)), size), form)


def parquet_parts(path: Path, file: pq.ParquetFile) -> tuple[Part, ...]:
    """The parts of an open Parquet file: row groups together to PART_ROWS rows."""
    rows = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
    parts, begin, held = [], 0, 0
    for at, many in enumerate(rows):
        if at > begin and held + many > PART_ROWS:
            parts.append(Part(path, begin, at))
            begin, held = at, 0
        held += many
    return (*parts, Part(path, begin, len(rows))) if rows else ()


def tables(records: Records | Held, part: Part, coded: Sequence[str] = ()) -> Iterator[pa.Table]:
    """The records of a part of text or Parquet, or those in memory.

    Args:
        records: The checked records.
        part: One of theirs.
        coded: The columns of text that Parquet gives as dictionaries.

    Raises:
        SourceError: the file is gone, or is not what was checked; never because of what a record says.
    """
    failed = False
    try:
        if isinstance(records, Held):
            yield from records.tables()
        elif records.form == "parquet":
            size, names = records.sizes[records.files.index(part.path)], list(records.columns)
            with open_rows(part.path, size, coded) as file:
                for batch in row_batches(file, range(part.begin, part.stop), names, ROWS):
                    yield pa.Table.from_batches([batch]).select(names)
        elif records.form == "workbook":
            yield from workbook_tables(part.path, records.columns, records.format)
        elif data := fitting(part, len(records.header), records.format).data:
            yield parsed(data, records.header, records.columns, records.format)
    except (OSError, KeyError, TypeError, ValueError, pa.ArrowException, duckdb.Error):
        failed = True
    if failed:
        raise SourceError("records", "are not what was checked", "leave the file alone")
