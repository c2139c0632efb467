"""Records that this process holds: arrays, an Arrow table, a data frame, or a relation of DuckDB, which is not run before it is read."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from numbers import Number
from pathlib import Path
from typing import Any, Final, TypeAlias

import duckdb
import pyarrow as pa

from starling.engine.delimited import Part
from starling.engine.headers import check_columns
from starling.engine.spark import DUCKDB
from starling.errors import OutputError, ParameterError, SourceError

InMemory: TypeAlias = Mapping[str, Any] | pa.Table | duckdb.DuckDBPyRelation | Any
"""Arrays by name, an Arrow table, a relation of DuckDB, a data frame of pandas, or one with Arrow's stream, as of polars or Spark."""

ROWS: Final = 1 << 18
"""Rows that are taken at a time."""
_RECORDS: Final = "records"
"""What messages call them."""


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Records in memory, of a public shape. No worker of a cluster reaches them.

    Attributes:
        schema: Names and types of the columns that are read.
        tables: Gives the rows.
        parts: One, for all of them.
        files: None.
        sizes: None.
    """

    schema: pa.Schema
    tables: Callable[[], Iterator[pa.Table]]
    parts: tuple[Part, ...] = (Part(Path(_RECORDS), 0, 1),)
    files: tuple[Path, ...] = ()
    sizes: tuple[int, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns that are read."""
        return tuple(self.schema.names)

    @property
    def name(self) -> str:
        """What messages call them."""
        return self.parts[0].path.name


def check_session(files: tuple[Path, ...], engine: str, out: Path | None = None) -> None:
    """Check that records without files, which only this process holds, can be counted, and released where a folder is named.

    Raises:
        ParameterError: the engine does not reach them.
        OutputError: the folder exists: nobody can tell whether it answers for these records or for others.
    """
    if files:
        return
    if engine != DUCKDB:
        raise ParameterError("engine", "does not reach records in this session", "leave it out, or give a file")
    if out is not None and out.exists():
        fix = "name another folder, or remove it: records in memory are always released anew, which costs again"
        raise OutputError(str(out), "exists", fix)


def hold(data: InMemory, columns: tuple[str, ...], what: str = _RECORDS) -> Held:
    """The columns of records in memory; nothing of a relation is read. `what` is what messages call them.

    Raises:
        SourceError: they are none, or lack a column, which it names beside those that are there.
    """
    fix = f"give arrays by name, an Arrow table, a data frame or a relation of DuckDB with the columns {', '.join(columns)}"
    try:
        return _held(data, columns, what)
    except SourceError:
        raise
    except Exception as error:  # noqa: BLE001 - numpy, pandas, Arrow and DuckDB each raise their own
        raise SourceError(what, f"cannot be taken as columns ({type(error).__name__})", fix) from None


def _held(data: Any, columns: tuple[str, ...], what: str) -> Held:
    check = partial(_check, what, columns)
    if isinstance(data, Mapping):
        check(data)
        data = pa.table({name: data[name] for name in columns})
    if isinstance(data, pa.Table):
        check(data.column_names)
        chosen = data.select(list(columns))
        return Held(chosen.schema, lambda: (pa.Table.from_batches([each]) for each in chosen.to_batches(ROWS)))
    if "pandas" in sys.modules and isinstance(data, sys.modules["pandas"].DataFrame):
        check(data.columns)
        return _pandas(data, columns)
    if hasattr(data, "__arrow_c_stream__"):
        return _stream(data, columns, check)
    if isinstance(data, duckdb.DuckDBPyRelation):
        check(data.columns)
        return _relation(data, columns)
    raise no_table(data, what, columns)


def no_table(data: object, what: str, columns: Iterable[str]) -> SourceError:
    """The refusal of what names no columns."""
    fix = f"give a data frame, as pandas.DataFrame(..., columns=[{', '.join(map(repr, columns))}]), or a path"
    return SourceError(what, f"of type {type(data).__name__} names no columns", fix)


def _check(what: str, columns: tuple[str, ...], names: Iterable[Any]) -> None:
    """Raises SourceError unless each of the columns is there once; names of columns are no values."""
    check_columns(Path(what), columns, [str(each) for each in names], "keep one of them", named=True)


def _relation(data: duckdb.DuckDBPyRelation, columns: tuple[str, ...]) -> Held:
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    relation = data.project(quoted)

    def read() -> Iterator[pa.Table]:
        return (pa.Table.from_batches([each]) for each in relation.to_arrow_reader(ROWS))

    return Held(relation.limit(0).to_arrow_table().schema, read)


def _stream(data: Any, columns: tuple[str, ...], check: Callable[[Iterable[Any]], None]) -> Held:
    schema = pa.RecordBatchReader.from_stream(data).schema
    check(schema.names)
    kinds = {name: _without_view(schema.field(name).type) for name in columns}

    def read() -> Iterator[pa.Table]:
        for batch in pa.RecordBatchReader.from_stream(data):
            for begin in range(0, len(batch), ROWS):
                some = batch.slice(begin, ROWS)
                yield pa.table({name: _as(some.column(name), kind) for name, kind in kinds.items()})

    return Held(pa.schema(list(kinds.items())), read)


def _without_view(kind: pa.DataType) -> pa.DataType:
    """The type with plain text where it has views of text, which many functions of Arrow do not take."""
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _without_view(kind.value_type))
    return pa.large_string() if pa.types.is_string_view(kind) else kind


def _as(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(column.indices, _as(column.dictionary, kind.value_type))
    return column.cast(kind)


def _pandas(data: Any, columns: tuple[str, ...]) -> Held:
    """The rows of a frame of pandas; a column of Python's objects is text."""
    fields = {name: data[name] for name in columns}
    kinds = {name: _kind(field) for name, field in fields.items()}

    def read() -> Iterator[pa.Table]:
        for begin in range(0, len(data), ROWS):
            some = {name: field.iloc[begin : begin + ROWS] for name, field in fields.items()}
            yield pa.table({name: _array(each, kinds[name]) for name, each in some.items()})

    return Held(pa.schema(list(kinds.items())), read)


def _kind(field: Any) -> pa.DataType:
    return pa.large_string() if field.dtype == object else pa.Array.from_pandas(field.iloc[:0]).type


def _array(field: Any, kind: pa.DataType) -> pa.Array:
    if field.dtype != object:
        return pa.array(field, kind, from_pandas=True)
    return pa.array([_text(each) for each in field], pa.large_binary()).cast(kind, safe=False)


def _text(value: Any) -> bytes | None:
    """What an object says as text; None for what is neither text nor a number nor a time."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    if not isinstance(value, date | Number):
        return None
    try:
        text = value.isoformat() if isinstance(value, date) else str(value)
    except ValueError:  # an integer of more digits than Python writes
        return None
    # Missing values of pandas and numpy are a time and a number.
    return None if text in ("NaT", "nan") else text.encode()
