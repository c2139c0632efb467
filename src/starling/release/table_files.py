"""Published tables as files: declared once, written piece by piece, and compared piece by piece with what they should be.

A table is a Parquet file, and the same as text in as many forms as its domain declares. Text is written the same way for a file and for a
hash: verification writes it again, and compares.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from copy import copy
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import Any, Final, Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.errors import Problem
from starling.release.cells import as_text
from starling.release.checks import FORMS, Checks, InvalidRelease
from starling.release.datapackage import Column, Sheet
from starling.release.difference import first_difference
from starling.release.manifest import AGAIN

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
        name: The name of its files.
        title: What it holds, for people.
        schema: Its columns and their types, with plain text.
        words: What each column holds, with its unit, by the column's name.
        key: The columns that tell a row from all others.
        optional: The columns in which a value may be missing.
        texts: Its forms as text.
    """

    name: str
    title: str
    schema: pa.Schema
    words: Mapping[str, str]
    key: tuple[str, ...] = ()
    optional: Collection[str] = ()
    texts: tuple[Text, ...] = ()

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
        ...


class TextWriter:
    """Writes one form of a table as text, piece by piece.

    Args:
        file: Takes the bytes.
        text: The form.
    """

    def __init__(self, file: Sink, text: Text) -> None:
        self.file, self._text = file, text
        self._options = pacsv.WriteOptions(
            include_header=False,
            delimiter=text.delimiter,
            quoting_style="needed" if text.quoted else "none",
            batch_size=TEXT_BATCH,
        )
        file.write(text.delimiter.join(text.columns.values()).encode() + b"\n")

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


def unsigned_zeros(table: pa.Table) -> pa.Table:
    """A table in which no zero has a sign.

    >>> unsigned_zeros(pa.table({"a": [-0.0, -1.5, None], "b": [0, 1, 2]}))["a"].to_pylist()
    [0.0, -1.5, None]
    """
    for place, field in enumerate(table.schema):
        if pa.types.is_floating(field.type):
            table = table.set_column(place, field, pc.add(table[place], pa.scalar(0, field.type)))
    return table


def _signed_zero(table: pa.Table) -> bool:
    floats = (column for column in table.columns if pa.types.is_floating(column.type))
    return any(bool(np.any(np.signbit(values) & (values == 0))) for values in map(np.asarray, floats))


class TableWriter:
    """Writes a table in all its forms, piece by piece.

    Args:
        folder: The folder of the release; its folder of tables is there.
        table: What is written.

    Attributes:
        rows: How many rows were written.
    """

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
        self._parquet.write_table(
            pa.table([_joined(group, field) for field in self._table.schema], schema=self._table.schema)
        )
        self._waiting = rest


def _joined(pieces: Iterable[pa.Table], field: pa.Field) -> pa.Array:
    """A column of all pieces in one array of its declared type."""
    chunks = [chunk for piece in pieces for chunk in piece[field.name].cast(field.type).chunks]
    return pa.concat_arrays(chunks)


def write_tables(folder: Path, tables: Iterable[Table], pieces: Iterable[Mapping[str, pa.Table]]) -> None:
    """Write tables into the folder of a release.

    Args:
        folder: The folder of the release.
        tables: What is written.
        pieces: Rows of the tables by their names, in order.
    """
    (folder / FOLDER).mkdir(exist_ok=True)
    with ExitStack() as files:
        writers = {table.name: files.enter_context(TableWriter(folder, table)) for table in tables}
        for piece in pieces:
            for name, rows in piece.items():
                writers[name].write(rows)
        for writer in writers.values():
            writer.finish()


class TableComparison:
    """A published table in all its forms, compared in order with what it should be.

    Args:
        folder: The folder of the release.
        table: What is declared.
        hashes: SHA-256 of each file of the release.
        checks: The checks of the domain, which say what a difference breaks.

    Raises:
        InvalidRelease: its Parquet file has other columns, or cannot be read.
    """

    def __init__(self, folder: Path, table: Table, hashes: Mapping[str, str], checks: Checks) -> None:
        self._table, self._hashes, self._checks = table, hashes, checks
        self._rows = 0
        self._expected: list[pa.Table] = []
        self._differing: dict[str, int] = {}
        try:
            self._types = _other_types(pq.read_schema(folder / table.path), table.schema)
            if self._types is None:
                raise self._wrong("has other columns or types than the table has")
            # Text as positions in a dictionary: the same few names stand in most rows.
            texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
            self._file = pq.ParquetFile(folder / table.path, read_dictionary=texts)
        except (OSError, pa.ArrowException):
            raise self._wrong("cannot be read as Parquet") from None
        self._batches = self._file.iter_batches(batch_size=BATCH)
        self._left = pa.RecordBatch.from_pylist([], self._file.schema_arrow)
        self._texts = {
            path: (made, TextWriter(made, text))
            for text in table.texts
            if (path := table.text_path(text)) in hashes
            for made in [_Hash()]
        }
        # As it was when zeros were still written with their signs: where one has come.
        self._signed: dict[str, tuple[_Hash, TextWriter]] = {}

    def _wrong(self, problem: str) -> InvalidRelease:
        return InvalidRelease(FORMS, self._table.path, problem)

    def compare(self, expected: pa.Table) -> None:
        """The next rows should be these."""
        if not len(expected):
            return
        if not self._signed and _signed_zero(expected):
            self._signed = {path: _forked(made, text) for path, (made, text) in self._texts.items()}
        for _, text in self._signed.values():
            text.write(expected)
        for _, text in self._texts.values():
            text.write(unsigned_zeros(expected))
        # Looking names up has its price for each table, however few its rows: so several pieces at once.
        self._expected.append(_encoded(expected))
        if sum(map(len, self._expected)) >= BATCH:
            self._compare_rest()

    def _compare_rest(self) -> None:
        """What has come together, with as many rows of the file."""
        if not self._expected:
            return
        expected = pa.concat_tables(self._expected).unify_dictionaries().combine_chunks()
        self._expected.clear()
        unsigned, done = unsigned_zeros(expected), 0
        while done < len(expected) and len(batch := self._next(len(expected) - done)):
            for name in expected.column_names:
                if name not in self._differing:
                    row = first_difference(unsigned[name].slice(done, len(batch)), batch[name])
                    if row is not None and self._signed:
                        row = first_difference(expected[name].slice(done, len(batch)), batch[name])
                    if row is not None:
                        self._differing[name] = self._rows + done + row
            done += len(batch)
        self._rows += len(expected)

    def _next(self, most: int) -> pa.RecordBatch:
        """Some published rows, up to `most`; none at the end."""
        try:
            while not len(self._left) and (batch := next(self._batches, None)) is not None:
                self._left = batch
        except (OSError, pa.ArrowException):
            raise self._wrong("cannot be read as Parquet") from None
        given = self._left.slice(0, most)
        self._left = self._left.slice(len(given))
        return given

    @property
    def whole(self) -> bool:
        """Whether it has as many rows as it was compared with."""
        return bool(self._file.metadata.num_rows == self._rows)

    def finish(self) -> Iterator[tuple[str, Problem]]:
        """What differs, after all rows, and the check that it breaks."""
        self._compare_rest()
        table, checks = self._table, self._checks
        for name, kind in (self._types or {}).items():
            yield checks.types, Problem(f"column {name}", f"is {kind}, not an integer", AGAIN, table.path)
        if not self.whole:
            problem = f"has {self._file.metadata.num_rows:,} rows where the shipped measurements give {self._rows:,}"
            yield checks.of_rows(table.name), Problem(table.path, problem, AGAIN)
        else:
            for name, row in self._differing.items():
                problem = f"is in row {row + 1} not what the shipped measurements give"
                yield checks.of_column(name), Problem(f"column {name}", problem, AGAIN, table.path)
        for text in table.texts:
            path, most = table.text_path(text), text.most_rows
            if (most is None or self._rows < most) != (path in self._texts):
                condition = "of every table" if most is None else f"for a table below {most:,} rows, and only then"
                yield FORMS, Problem(path, f"is there {condition}", AGAIN)
        for path, (made, _) in self._texts.items():
            signed, _ = self._signed.get(path, (made, None))
            if self._hashes[path] not in (made.hexdigest(), signed.hexdigest()):
                yield FORMS, Problem(path, "is not the text that the shipped measurements give", AGAIN)


def _forked(made: "_Hash", text: TextWriter) -> tuple["_Hash", TextWriter]:
    """A hash of what was written so far, and what goes on writing to it."""
    fork, writer = _Hash(made.hash.copy()), copy(text)
    writer.file = fork
    return fork, writer


def _other_types(published: pa.Schema, ours: pa.Schema) -> dict[str, str] | None:
    """Columns of integers that are of another type, with that; None where the tables differ otherwise."""
    if published.names != ours.names:
        return None
    differing = {
        ours.field(at).name: published.types[at] for at in range(len(ours)) if published.types[at] != ours.types[at]
    }
    if any(ours.field(name).type != pa.int64() for name in differing):
        return None
    return {name: str(kind) for name, kind in differing.items()}


def _plain(table: pa.Table) -> pa.Table:
    """Dictionary columns as plain text, which the writer of text wants."""
    fields = [
        pa.field(field.name, field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def _encoded(table: pa.Table) -> pa.Table:
    """Columns of text as dictionaries, as the published ones are read."""
    columns = [each.dictionary_encode() if pa.types.is_string(each.type) else each for each in table.columns]
    return pa.table(columns, names=table.column_names)


class _Hash(RawIOBase):
    """A file that keeps nothing but the SHA-256 of what is written."""

    def __init__(self, begun: "hashlib._Hash | None" = None) -> None:
        super().__init__()
        self.hash = hashlib.sha256() if begun is None else begun

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self.hash.update(data)
        return len(data)

    def hexdigest(self) -> str:
        """The hash of all that was written."""
        return self.hash.hexdigest()
