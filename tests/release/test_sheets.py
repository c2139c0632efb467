"""A sheet holds the rows that are given, and no text of it is a formula."""

import sys
from io import BytesIO

import openpyxl
import pyarrow as pa
import pytest

from starling.errors import ParameterError
from starling.release.sheets import write_rows

ROWS = pa.table({"name": ["=1+1", "@x", None], "number": [1, None, -3.5]})


def test_rows_are_those_that_are_given() -> None:
    out = BytesIO()
    write_rows(ROWS.schema, [ROWS.slice(0, 1), ROWS.slice(1)], "<b>", out, [("=1+1", "=2")])
    book = openpyxl.load_workbook(out)
    sheet, notes = book.worksheets
    assert [*notes.iter_rows(values_only=True)] == [("<b>", None), (None, None), ("=1+1", "=2")]
    assert {cell.data_type for cell in notes[3]} == {"s"}
    assert [*sheet.iter_rows(values_only=True)] == [("name", "number"), ("=1+1", 1), ("@x", None), (None, -3.5)]
    assert {cell.data_type for cell in sheet["A"][1:3]} == {"s"}
    assert book.properties.title == "<b>"


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ParameterError, match=r"starling-dp\[excel\]"):
        write_rows(ROWS.schema, [ROWS], "title", BytesIO(), [])


def test_doubles_are_read_as_they_were() -> None:
    """Each bit: of numbers that add up, sums are those of the workbook too."""
    numbers = [0.1 + 0.2, 1675.4300003051758, -1e-9 / 3, 2.0**60 / 3, 5.0]
    out = BytesIO()
    rows = pa.table({"number": numbers})
    write_rows(rows.schema, [rows], "title", out, [])
    assert [
        row[0] for row in openpyxl.load_workbook(out).worksheets[0].iter_rows(min_row=2, values_only=True)
    ] == numbers
