"""Rows as sheets of an Excel workbook, row by row, so that memory does not depend on how many there are."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import pyarrow as pa

from starling.distribution import install
from starling.errors import ParameterError

MOST_ROWS: Final = 1_048_575
"""Rows of a sheet, without its header."""
BATCH: Final = 1 << 14


class WholeDouble(float):
    """A double that is written with all its digits, so that it is read as it was: XlsxWriter's format leaves the 17th out, and numbers
    that add up would no longer.

    >>> f"{WholeDouble(0.1 + 0.2):.16G} {0.1 + 0.2:.16G}"
    '0.30000000000000004 0.3'
    """

    def __format__(self, _: str) -> str:
        return float.__repr__(self)


def new_workbook(out: Path | BinaryIO) -> Any:
    """A workbook that is written when its `with` ends; raises ParameterError where XlsxWriter is not installed."""
    try:
        import xlsxwriter
    except ImportError:
        raise ParameterError("format", "excel needs XlsxWriter, which is not installed", install("excel")) from None
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "in_memory": False}
    return xlsxwriter.Workbook(out, options)


def write_rows(
    schema: pa.Schema, pieces: Iterable[pa.Table], title: str, out: BinaryIO, notes: Sequence[tuple[str, str]]
) -> None:
    """Write some rows, at most `MOST_ROWS`, as a sheet of a workbook, under a title; a second sheet has the notes.

    Raises:
        ParameterError: XlsxWriter is not installed.
    """
    with new_workbook(out) as book:
        book.set_properties({"title": title})
        sheet = book.add_worksheet("Rows")
        sheet.freeze_panes(1, 0)
        for place, name in enumerate(schema.names):
            sheet.write_string(0, place, name)
        write_batches(sheet, (batch for piece in pieces for batch in piece.to_batches(BATCH)))
        write_notes(book, title, notes)


def write_batches(sheet: Any, batches: Iterable[pa.RecordBatch]) -> int:
    """Write rows below the header; the row after the last."""
    row = 1
    for batch in batches:
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            for place, value in enumerate(values):
                if isinstance(value, str):
                    # Never a formula, whatever the text begins with.
                    sheet.write_string(row, place, value)
                elif isinstance(value, float):
                    sheet.write_number(row, place, WholeDouble(value))
                elif value is not None:
                    sheet.write(row, place, value)
            row += 1
    return row


def write_notes(book: Any, title: str, notes: Iterable[tuple[str, str]]) -> None:
    """Add a sheet that says what the numbers are, name by name."""
    sheet, wide = book.add_worksheet("Read me"), book.add_format({"text_wrap": True, "valign": "top"})
    sheet.set_column(0, 0, 22)
    sheet.set_column(1, 1, 110, wide)
    sheet.write_string(0, 0, title, book.add_format({"bold": True, "font_size": 14}))
    for row, (name, text) in enumerate(notes, 2):
        sheet.write_string(row, 0, name)
        sheet.write_string(row, 1, text, wide)
