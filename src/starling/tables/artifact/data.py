"""The published tables as files, written piece by piece: Parquet, CSV, Census text.

Text is written the same way for a file and for a hash: verification writes it again, and compares.
"""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Protocol, Self

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.release.cells import as_text
from starling.tables.artifact.columns import CENSUS
from starling.tables.plan import labels

BATCH: Final = 1 << 16
"""Rows of text that are made at a time."""

ROW_GROUP: Final = 1 << 20
"""Rows of a row group of the Parquet files."""

COMPRESSION: Final = "zstd"

MOST_CSV_ROWS: Final = 10_000_000
"""A longer table is there as Parquet, and in the Census format, alone."""


class Sink(Protocol):
    """What text is written to: a file, or a hash."""

    def write(self, data: bytes, /) -> object:
        """Take the next bytes."""
        ...


class Text:
    """A table as delimited text, written piece by piece.

    Args:
        file: Takes the bytes.
        columns: Column of the table, or column of words (labels.py), and its name in the header.
        delimiter: One character.
        quoted: Whether text that holds the delimiter or a quote is quoted, and no text is a formula to a spreadsheet (release.cells);
            otherwise neither must occur.
    """

    def __init__(self, file: Sink, columns: dict[str, str], delimiter: str, *, quoted: bool) -> None:
        self._file = file
        self._columns = columns
        self._quoted = quoted
        self._words = tuple(name for name in columns if name in labels.columns(columns))
        self._options = pacsv.WriteOptions(
            include_header=False, delimiter=delimiter, quoting_style="needed" if quoted else "none", batch_size=BATCH
        )
        file.write(delimiter.join(columns.values()).encode() + b"\n")

    def write(self, table: pa.Table) -> None:
        """The next rows."""
        rows = labels.worded(table, self._words).select(list(self._columns))
        rows = _plain(as_text(rows) if self._quoted else rows)
        with pacsv.CSVWriter(self._file, rows.schema, write_options=self._options) as writer:
            for batch in rows.to_batches():
                # For an empty batch pyarrow 26 writes whatever its buffer holds: a megabyte of memory, or the rows before.
                if len(batch):
                    writer.write_batch(batch)


def census(file: Sink, names: Iterable[str]) -> Text:
    """As SafeTab-P writes it: codes and numbers alone, none of which can hold the delimiter."""
    there = set(names)
    return Text(file, {name: text for name, text in CENSUS.items() if name in there}, "|", quoted=False)


def csv(file: Sink, names: Iterable[str]) -> Text:
    """Every column and its codes in words, in the CSV of RFC 4180 but for its line ends."""
    there = tuple(names)
    return Text(file, {name: name for name in (*there, *labels.columns(there))}, ",", quoted=True)


class TableFiles:
    """`name`.parquet with every column, `name`.txt in the Census format and, for a table that is not long, `name`.csv.

    Args:
        folder: Where they are made.
        name: "t1" or "t2".
        schema: Of the table, with plain text.

    Attributes:
        rows: How many were written.
    """

    def __init__(self, folder: Path, name: str, schema: pa.Schema) -> None:
        self.rows = 0
        self._schema = schema
        self._csv_path = folder / f"{name}.csv"
        with ExitStack() as files:
            self._parquet = files.enter_context(
                pq.ParquetWriter(folder / f"{name}.parquet", schema, compression=COMPRESSION)
            )
            self._text = census(files.enter_context((folder / f"{name}.txt").open("wb")), schema.names)
            self._csv = csv(files.enter_context(self._csv_path.open("wb")), schema.names)
            self._files = files.pop_all()
        self._waiting = schema.empty_table()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    def write(self, table: pa.Table) -> None:
        """The next rows."""
        if not len(table):
            return
        plain = table.cast(self._schema)
        self.rows += len(plain)
        self._text.write(plain)
        if self.rows < MOST_CSV_ROWS:
            self._csv.write(plain)
        # Row groups of one size, whatever the pieces: the same rows are the same file.
        self._waiting = pa.concat_tables([self._waiting, plain])
        while len(self._waiting) >= ROW_GROUP:
            self._row_group()

    def finish(self) -> bool:
        """No more rows; whether there is a CSV of them."""
        if len(self._waiting):
            self._row_group()
        if self.rows >= MOST_CSV_ROWS:
            self._csv_path.unlink()
        return self.rows < MOST_CSV_ROWS

    def _row_group(self) -> None:
        self._parquet.write_table(self._waiting.slice(0, ROW_GROUP).combine_chunks())
        self._waiting = self._waiting.slice(ROW_GROUP)


def _plain(table: pa.Table) -> pa.Table:
    """Dictionary columns as plain text, which the writer of text wants."""
    fields = [
        pa.field(field.name, field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))
