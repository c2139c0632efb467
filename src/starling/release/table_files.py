"""Published tables as files: declared once, written piece by piece, and compared piece by piece with what they should be.

A table is a Parquet file, and the same as text in as many forms as its domain declares. Text is written the same way for a file and for a
hash: verification writes it again, and compares.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.release.cells import as_text, text_cell
from starling.release.datapackage import Column, Sheet

FOLDER: Final = "data"
"""The folder of a release that holds its tables."""
TEXT_BATCH: Final = 1 << 16
"""Rows of text that are made at a time."""
BATCH: Final = 1 << 18
"""Published rows that are compared at a time."""
ROW_GROUP: Final = 1 << 18
"""Rows of a row group of the Parquet files."""
COMPRESSION: Final = "zstd"
TYPES: Final = ((pa.types.is_boolean, "boolean"), (pa.types.is_integer, "integer"), (pa.types.is_floating, "number"))
"""What a table schema calls the types of Arrow; all others are strings."""


@dataclass(frozen=True, slots=True)
class Text:
    """A table as delimited text.

    Attributes:
        suffix: The ending of the file's name, without its stop.
        columns: The name in the header of each column that is written, by its name in the table.
        delimiter: One character.
        quoted: Whether text that holds the delimiter or a quote is quoted, and no text is a formula to a spreadsheet (release.cells);
            otherwise neither must occur.
        title: What is added to the title of the table.
        most_rows: A table of so many rows or more has no such text; None where every table has one.
        worded: Adds the columns that the text has and the table has not; None where there are none.
    """

    suffix: str
    columns: Mapping[str, str]
    delimiter: str = ","
    quoted: bool = True
    title: str = ""
    most_rows: int | None = None
    worded: Callable[[pa.Table], pa.Table] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A published table, as its domain declares it.

    Attributes:
        schema: Its columns and their types, with plain text.
        words: What each column holds, with its unit, by the column's name.
        key: The columns that tell a row from all others.
        optional: The columns in which a value may be missing.
        rows: How many rows it has, where that is public: its files are closed with the last one, so that there can be many tables.
    """

    name: str
    title: str
    schema: pa.Schema
    words: Mapping[str, str]
    key: tuple[str, ...] = ()
    optional: Collection[str] = ()
    texts: tuple[Text, ...] = ()
    rows: int | None = None

    @property
    def path(self) -> str:
        """The path of its Parquet file in a release."""
        return f"{FOLDER}/{self.name}.parquet"

    def text_path(self, text: Text) -> str:
        """The path of one of its forms as text."""
        return f"{FOLDER}/{self.name}.{text.suffix}"

    def sheets(self) -> list[Sheet]:
        """Its files as the data package describes them."""
        columns = tuple(self._column(name) for name in self.schema.names)
        sheets = [Sheet(self.path, self.title, columns, self.key)]
        for text in self.texts:
            shown = tuple(self._column(name, called) for name, called in text.columns.items())
            key = tuple(text.columns[name] for name in self.key)
            sheets.append(Sheet(self.text_path(text), self.title + text.title, shown, key, text.delimiter))
        return sheets

    def _column(self, name: str, called: str = "") -> Column:
        kind = self.schema.field(name).type if name in self.schema.names else pa.string()
        return column(called or name, kind, self.words[name], required=name not in self.optional)


def column(name: str, kind: pa.DataType, description: str, *, required: bool = True) -> Column:
    """A column of the data package."""
    return Column(name, next((word for is_it, word in TYPES if is_it(kind)), "string"), description, required)


class Sink(Protocol):
    """What text is written to: a file, or a hash."""

    def write(self, data: bytes, /) -> object:
        """Take the next bytes."""


class TextWriter:
    """Writes one form of a table as text, piece by piece."""

    def __init__(self, file: Sink, text: Text) -> None:
        self.file, self._text = file, text
        self._options = pacsv.WriteOptions(
            include_header=False,
            delimiter=text.delimiter,
            quoting_style="needed" if text.quoted else "none",
            batch_size=TEXT_BATCH,
        )
        file.write(_header(text).encode() + b"\n")

    def write(self, table: pa.Table) -> None:
        """The next rows."""
        text = self._text
        rows = (table if text.worded is None else text.worded(table)).select(list(text.columns))
        rows = _plain(as_text(rows) if text.quoted else rows)
        with pacsv.CSVWriter(self.file, rows.schema, write_options=self._options) as writer:
            for batch in rows.to_batches():
                # For an empty batch pyarrow 26 writes whatever its buffer holds: a megabyte of memory, or the rows before.
                if len(batch):
                    writer.write_batch(batch)


def _header(text: Text) -> str:
    """The first line; a name in it that holds the delimiter, a quote or the end of a line is quoted, and none is a formula.

    >>> print(_header(Text("csv", {"a": "age", "b": "=1", "c": "65, and over"})))
    age,'=1,"65, and over"
    """
    if not text.quoted:
        return text.delimiter.join(text.columns.values())
    names = map(text_cell, text.columns.values())
    marks = {text.delimiter, '"', "\n", "\r"}
    return text.delimiter.join(f'"{name.replace(chr(34), 2 * chr(34))}"' if marks & {*name} else name for name in names)


def unsigned_zeros(table: pa.Table) -> pa.Table:
    """A table in which no zero has a sign.

    >>> unsigned_zeros(pa.table({"a": [-0.0, -1.5, None], "b": [0, 1, 2]}))["a"].to_pylist()
    [0.0, -1.5, None]
    """
    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            table = table.set_column(place, field, pc.add(table[place], pa.scalar(0, field.type)))
    return table


def has_signed_zero(table: pa.Table) -> bool:
    """Whether a column of floating point holds a zero with a sign."""
    floats = (column for column in table.columns if pa.types.is_floating(column.type))
    return any(bool(np.any(np.signbit(values) & (values == 0))) for values in map(np.asarray, floats))


class TableWriter:
    """Writes a table in all its forms, piece by piece; `rows` says how many rows were written."""

    def __init__(self, folder: Path, table: Table) -> None:
        self.rows = 0
        self._folder, self._table = folder, table
        with ExitStack() as files:
            self._parquet = files.enter_context(
                pq.ParquetWriter(folder / table.path, table.schema, compression=COMPRESSION)
            )
            self._texts = {
                text.suffix: TextWriter(files.enter_context((folder / table.text_path(text)).open("wb")), text)
                for text in table.texts
            }
            self._files = files.pop_all()
        self._waiting: list[pa.Table] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    @property
    def complete(self) -> bool:
        """Whether all rows that the table is declared to have were written."""
        return self.rows == self._table.rows

    def close(self) -> None:
        """Finish, and close the files."""
        self.finish()
        self._files.close()

    def write(self, piece: pa.Table) -> None:
        """The next rows."""
        if not len(piece):
            return
        piece = unsigned_zeros(piece)
        self.rows += len(piece)
        for text in self._table.texts:
            if text.most_rows is None or self.rows < text.most_rows:
                self._texts[text.suffix].write(piece.cast(self._table.schema))
        # Row groups of one size, whatever the pieces: the same rows are the same file. Text waits as the pieces have it, as places in
        # a dictionary, which takes less than half of the memory that plain text does.
        self._waiting.append(piece)
        while sum(map(len, self._waiting)) >= ROW_GROUP:
            self._row_group()

    def finish(self) -> None:
        """No more rows come; text that the table is too long for is removed."""
        if self._waiting:
            self._row_group()
        for text in self._table.texts:
            if text.most_rows is not None and self.rows >= text.most_rows:
                (self._folder / self._table.text_path(text)).unlink()

    def _row_group(self) -> None:
        group, rest = [], []
        room = ROW_GROUP
        for piece in self._waiting:
            group.append(piece.slice(0, room))
            if len(piece) > room:
                rest.append(piece.slice(room))
            room -= len(group[-1])
        columns = [
            pa.concat_arrays([chunk for piece in group for chunk in piece[field.name].cast(field.type).chunks])
            for field in self._table.schema
        ]
        self._parquet.write_table(pa.table(columns, schema=self._table.schema))
        self._waiting = rest


def write_tables(folder: Path, tables: Iterable[Table], pieces: Iterable[Mapping[str, pa.Table]]) -> None:
    """Write tables into the folder of a release; each piece has rows of the tables by their names, in order."""
    (folder / FOLDER).mkdir(exist_ok=True)
    with ExitStack() as files:
        waiting, writers = {table.name: table for table in tables}, {}
        for piece in pieces:
            for name, rows in piece.items():
                if name in waiting:
                    writers[name] = files.enter_context(TableWriter(folder, waiting.pop(name)))
                writers[name].write(rows)
                if writers[name].complete:
                    writers.pop(name).close()
        for table in waiting.values():
            writers[table.name] = files.enter_context(TableWriter(folder, table))
        for writer in writers.values():
            writer.finish()


def _plain(table: pa.Table) -> pa.Table:
    """Dictionary columns as plain text, which the writer of text wants."""
    fields = [
        pa.field(field.name, field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))
