"""Rows of a table as a file for other programs, written piece by piece."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import BinaryIO, Final

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.errors import ParameterError
from starling.release.cells import as_text
from starling.release.sheets import MOST_ROWS, write_rows
from starling.release.table_files import COMPRESSION


@dataclass(frozen=True, slots=True)
class Form:
    """A form of a file.

    Attributes:
        title: What it is called.
        kind: Its media type.
        most: The most rows that it is written with.
        why: Why no more.
    """

    title: str
    kind: str
    most: int
    why: str

    def refusal(self, rows: int) -> str:
        """Why so many rows are not written."""
        return f"are {rows:,}, and {self.why} {self.most:,}"


FORMS: Final = {
    "csv": Form("CSV", "text/csv; charset=utf-8", 10_000_000, "a CSV is made of at most"),
    "parquet": Form("Parquet", "application/vnd.apache.parquet", 10_000_000, "a selection is made of at most"),
    "xlsx": Form(
        "Excel",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        MOST_ROWS,
        "a sheet of Excel holds, below its header, at most",
    ),
}
"""Every form by the ending of its files."""


def forms_of(schema: pa.Schema) -> Mapping[str, Form]:
    """The forms that can hold a table: lists in a cell, as measurements have them, are Parquet's alone."""
    return {"parquet": FORMS["parquet"]} if any(map(pa.types.is_nested, schema.types)) else FORMS


def check_size(form: str, rows: int) -> None:
    """Raises ParameterError where a form does not take so many rows."""
    if rows > FORMS[form].most:
        raise ParameterError("rows", FORMS[form].refusal(rows), "choose a region, or take the file in data/")


def written(
    schema: pa.Schema, pieces: Iterable[pa.Table], form: str, title: str, notes: Sequence[tuple[str, str]] = ()
) -> BinaryIO:
    """Rows as an open file of a form, at its beginning; no text is a formula to a spreadsheet. A workbook has the notes on a second sheet.

    Raises:
        ParameterError: xlsx without its extra.
    """
    file: BinaryIO = TemporaryFile()  # noqa: SIM115 - it is sent, and closed by its reader
    if form == "csv":
        with pacsv.CSVWriter(file, schema) as text:
            for piece in pieces:
                text.write_table(as_text(piece))
    elif form == "parquet":
        with pq.ParquetWriter(file, schema, compression=COMPRESSION) as writer:
            for piece in pieces:
                writer.write_table(piece)
    else:
        write_rows(schema, pieces, title, file, notes)
    file.seek(0)
    return file
