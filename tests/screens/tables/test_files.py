"""Rows as files: no text is a formula to a spreadsheet."""

import openpyxl
import pyarrow as pa

from starling.screens.tables.files import written


def test_no_text_of_a_workbook_is_a_formula() -> None:
    rows = pa.table({"a": ["=1+1", "b", None], "n": [1, -2, 3]})
    book = openpyxl.load_workbook(written(rows, "xlsx", "T"))
    assert [[cell.value for cell in row] for row in book["Rows"].rows][1] == ["=1+1", 1]
    assert book["Rows"]["A2"].data_type == "s"
    assert written(rows, "csv", "T").read().decode().splitlines()[1].startswith("\"'=1+1")
