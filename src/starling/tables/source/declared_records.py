"""Custom records, checked by their public shape alone: that they are there, their form, the names and types of their columns.

Forms: CSV with a header, Parquet (one file, or a folder of parts), and what a session holds: arrays, an Arrow table, a data frame of pandas
or polars, a relation of DuckDB. What a record says is looked at after the charge, by `declared_reading.py`.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from starling.engine.held_records import InMemory, hold
from starling.engine.record_files import open_files
from starling.engine.record_parts import check_types, table_records
from starling.tables.plan.columns import RecordColumns
from starling.tables.source.declared_values import fits, label_fits
from starling.tables.source.opened import OpenedRecords


@dataclass(frozen=True, slots=True)
class DeclaredRecords(OpenedRecords):
    """Custom records."""

    columns: RecordColumns


def open_declared(data: str | Path | InMemory, columns: RecordColumns) -> DeclaredRecords:
    """Check the public shape of records; a path names a file or a folder.

    Raises:
        SourceError: with all columns at once that are missing, there twice, or of a type that says no value of their domain.
    """
    fix = f"the plan reads {', '.join(columns.fields)}"
    wanted = partial(_wanted, columns)
    if isinstance(data, str | Path):
        open_file = partial(table_records, columns=columns.fields, fix=fix, wanted=wanted, form=columns.format)
        reopened = partial(open_files, Path(data).absolute(), open_file, "CSV or Parquet")
        return DeclaredRecords(reopened(), reopened, columns)
    held = hold(data, columns.fields)
    check_types(held.parts[0].path, columns.fields, held.schema, wanted)
    return DeclaredRecords(held, lambda: held, columns)


def _wanted(columns: RecordColumns, field: str, kind: pa.DataType) -> str:
    """What the type of a field must be instead of this one; "" where it fits all that is read of it."""
    read = (each for each in (*columns.single, *columns.groups, *columns.numbers) if field in each.fields)
    whose = columns.unit is not None and columns.unit.field == field
    return next(filter(None, (*(fits(each, kind) for each in read), label_fits(kind) if whose else "")), "")
