"""A DuckDB file of tables, with a comment on each table and column."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from starling.errors import OutputError
from starling.tables.export.described import DescribedTable, Front


@contextmanager
def connected(path: str = ":memory:") -> Iterator[duckdb.DuckDBPyConnection]:
    """A database that loads nothing from elsewhere; raises OutputError where memory or disk are too small."""
    try:
        with duckdb.connect(path, config={"autoinstall_known_extensions": "false"}) as database:
            yield database
    except duckdb.Error:
        fix = "free memory and disk, and check the place of the file"
        raise OutputError("out", "could not be made within the memory and disk that there are", fix) from None


def write_database(tables: Sequence[DescribedTable], front: Front, out: Path) -> None:
    """Write the tables under their names; raises OutputError as `connected` does."""
    with connected(str(out)) as database:
        for table in tables:
            schema = pa.schema([(name, kind) for name, (kind, _) in table.columns.items()])
            batches = (batch for piece in table.labelled() for batch in piece.cast(schema).to_batches())
            name = quoted(table.name)
            database.register("rows", pa.RecordBatchReader.from_batches(schema, batches))
            database.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")
            database.unregister("rows")
            database.execute(f"COMMENT ON TABLE {name} IS {literal(f'{table.title}; {front.text(table.notes)}')}")
            for column, (_, description) in table.columns.items():
                database.execute(f"COMMENT ON COLUMN {name}.{quoted(column)} IS {literal(description)}")


def literal(value: str) -> str:
    """A text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def quoted(column: str) -> str:
    """A name as SQL writes it."""
    return '"' + column.replace('"', '""') + '"'
