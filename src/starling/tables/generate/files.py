"""Invented records as files: text with a header, or the same columns as Parquet.

Columns of few different texts are dictionaries, which is how they are quickly made.
"""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.text_format import PLAIN, TextFormat

Format: TypeAlias = Literal["text", "parquet"]


class TextWriter:
    """Lines of fields below a header; all texts are in quotes where one of those that there may be needs it."""

    def __init__(self, path: Path, schema: pa.Schema, texts: Iterable[str] = (), form: TextFormat = PLAIN) -> None:
        # A line of one field that says nothing would be no record, unless it is in quotes.
        every = (form.decimal, form.dates, *texts)
        quoted = len(schema) == 1 or any(mark in text for text in every for mark in (form.mark, '"'))
        self._options = pacsv.WriteOptions(
            include_header=False, delimiter=form.mark, quoting_style="needed" if quoted else "none"
        )
        self._form = form
        self._file = path.open("xb")
        header = form.mark.join(_header(name, form.mark) for name in schema.names) + "\n"
        self._file.write(form.beginning + form.encode(header))

    def encode(self, table: pa.Table) -> bytes:
        """The lines of these rows; safe in any thread."""
        columns = {
            name: _text(column.combine_chunks(), self._form)
            for name, column in zip(table.column_names, table, strict=True)
        }
        lines = io.BytesIO()
        pacsv.write_csv(pa.table(columns), lines, self._options)
        if self._form.encoding == PLAIN.encoding:
            return lines.getvalue()
        return self._form.encode(lines.getvalue().decode())

    def write(self, encoded: bytes) -> None:
        """Append what `encode` gave."""
        self._file.write(encoded)

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


def _text(column: pa.Array, form: TextFormat) -> pa.Array:
    """A column as the format says it; no text where there is none, so that it is quoted like any other."""
    if form.dates and (pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)):
        seconds = column.cast(pa.timestamp("s"), safe=False)
        return pc.strftime(seconds, form.dates.replace("%f", "000000")).fill_null("")
    if form.decimal != PLAIN.decimal and pa.types.is_decimal(column.type):
        return pc.replace_substring(column.cast(pa.string()), ".", form.decimal).fill_null("")
    if pa.types.is_dictionary(column.type) or pa.types.is_string(column.type):
        return column.cast(pa.string()).fill_null("")
    return column


def _header(name: str, separator: str) -> str:
    """A name as it stands in the first line."""
    if name == name.strip() and separator not in name and '"' not in name:
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


class ParquetWriter:
    """The same columns as they are; the arguments are those of text."""

    def __init__(self, path: Path, schema: pa.Schema, _texts: Iterable[str] = (), _form: TextFormat = PLAIN) -> None:
        # Without Arrow's own schema in it the file says string, which it is.
        self._file = pq.ParquetWriter(path, schema, compression="zstd", store_schema=False, write_statistics=False)

    def encode(self, table: pa.Table) -> pa.Table:
        """These rows; safe in any thread."""
        return table

    def write(self, encoded: pa.Table) -> None:
        """Append what `encode` gave."""
        self._file.write_table(encoded)

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


Writer: TypeAlias = TextWriter | ParquetWriter
WRITERS: Final[dict[Format, type[Writer]]] = {"text": TextWriter, "parquet": ParquetWriter}
