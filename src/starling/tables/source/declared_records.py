"""Custom records, checked by their public shape alone: that they are there, their form, the names and types of their columns.

Forms: CSV with a header, Parquet (one file, or a folder of parts), and what a session holds: arrays, an Arrow table, a data frame of pandas
or polars, a relation of DuckDB. What a record says is looked at after the charge, by `declared_reading.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from starling.engine.headers import check_columns
from starling.engine.held_records import Held, InMemory, hold
from starling.engine.record_files import PARQUET, Records, beginning_of, open_files
from starling.engine.record_parts import parquet_parts, text_records
from starling.errors import Problem, SourceError
from starling.tables.plan.columns import RecordColumns
from starling.tables.source.declared_values import fits, label_fits


@dataclass(frozen=True, slots=True)
class DeclaredRecords:
    """Records whose public shape fits the declared columns. Holds nothing of any record.

    Attributes:
        columns: What is read of them.
        source: The files, or what a session holds.
        reopened: Checks the files again, and gives what `source` was when they are still of the same shape.
    """

    columns: RecordColumns
    source: Records | Held
    reopened: Callable[[], Records | Held]

    @property
    def files(self) -> tuple[Path, ...]:
        """The files; none of what a session holds."""
        return self.source.files

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of each file."""
        return self.source.sizes

    @property
    def name(self) -> str:
        """The name of the file, of the folder of several, or of what a session holds, for messages."""
        if not self.files:
            return "records"
        return self.files[0].name if len(self.files) == 1 else self.files[0].parent.name


def open_declared(data: str | Path | InMemory, columns: RecordColumns) -> DeclaredRecords:
    """Check the public shape of records; a path names a file or a folder.

    Raises:
        SourceError: with all columns at once that are missing, there twice, or of a type that says no value of their domain.
    """
    if isinstance(data, str | Path):
        reopened = partial(open_files, Path(data).absolute(), partial(_open_file, columns), "CSV or Parquet")
        return DeclaredRecords(columns, reopened(), reopened)
    held = hold(data, columns.fields)
    _check_types(held.parts[0].path, columns, held.schema)
    return DeclaredRecords(columns, held, lambda: held)


def _open_file(columns: RecordColumns, path: Path) -> Records:
    line, size = beginning_of(path)
    names, fix = columns.fields, f"the plan reads {', '.join(columns.fields)}"
    if not line.startswith(PARQUET):
        return text_records(path, names, fix, columns.format)
    with pq.ParquetFile(path) as opened:
        schema, parts = opened.schema_arrow, parquet_parts(path, opened)
    check_columns(path, names, schema.names, fix)
    _check_types(path, columns, schema)
    return Records((path,), (size,), "parquet", names, names, parts)


def _check_types(path: Path, columns: RecordColumns, schema: pa.Schema) -> None:
    wanted = {
        (field, fits(column, schema.field(field).type))
        for column in (*columns.single, *columns.groups, *columns.numbers)
        for field in column.fields
    }
    if columns.unit is not None:
        wanted.add((columns.unit.field, label_fits(schema.field(columns.unit.field).type)))
    problems = [
        Problem(field, f"is of type {schema.field(field).type}, not {what}", "store it so", path.name)
        for field, what in sorted(wanted)
        if what
    ]
    if problems:
        raise SourceError(problems=problems)
