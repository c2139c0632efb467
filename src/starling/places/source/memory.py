"""Points that this process holds: arrays, an Arrow table, or a relation of DuckDB, which is not run before it is read."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import duckdb
import pyarrow as pa

from starling.engine.delimited import Part
from starling.errors import SourceError

InMemory: TypeAlias = Mapping[str, Any] | pa.Table | duckdb.DuckDBPyRelation

ROWS: Final = 1 << 18
"""Rows that are taken at a time."""


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
    parts: tuple[Part, ...] = (Part(Path("records"), 0, 1),)
    files: tuple[Path, ...] = ()
    sizes: tuple[int, ...] = ()


def hold(data: InMemory, columns: tuple[str, ...]) -> Held:
    """The columns of records in memory; nothing of a relation is read.

    Raises:
        SourceError: they are none, or lack a column.
    """
    fix = f"give arrays, an Arrow table or a relation of DuckDB with the columns {', '.join(columns)}"
    try:
        if isinstance(data, Mapping):
            data = pa.table({name: data[name] for name in columns})
        if isinstance(data, pa.Table):
            chosen = data.select(list(columns))
            return Held(chosen.schema, lambda: (pa.Table.from_batches([each]) for each in chosen.to_batches(ROWS)))
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        relation = data.project(quoted)
        schema = relation.limit(0).to_arrow_table().schema
    except Exception as error:  # noqa: BLE001 - numpy, Arrow and DuckDB each raise their own
        raise SourceError("records", f"have no such columns, or are no records ({type(error).__name__})", fix) from None

    def read() -> Iterator[pa.Table]:
        return (pa.Table.from_batches([each]) for each in relation.to_arrow_reader(ROWS))

    return Held(schema, read)
