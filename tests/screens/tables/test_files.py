"""Rows as files: piece by piece, no text a formula to a spreadsheet, and no more rows than a form takes."""

import openpyxl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from starling.errors import ParameterError
from starling.screens.tables.files import FORMS, check_size, written

ROWS = pa.table({"a": ["=1+1", "b", None], "n": [1, -2, 3]})
PIECES = [ROWS.slice(0, 1), ROWS.slice(1)]


def test_no_text_of_a_workbook_is_a_formula() -> None:
    book = openpyxl.load_workbook(written(ROWS.schema, PIECES, "xlsx", "T"))
    cells = [[cell.value for cell in row] for row in book["Rows"].rows]
    assert cells == [["a", "n"], ["=1+1", 1], ["b", -2], [None, 3]]
    assert book["Rows"]["A2"].data_type == "s"


def test_pieces_are_one_file() -> None:
    assert pq.read_table(written(ROWS.schema, PIECES, "parquet", "T")).equals(ROWS)
    text = written(ROWS.schema, PIECES, "csv", "T").read().decode()
    assert text.splitlines()[1].startswith("\"'=1+1")
    assert pacsv.read_csv(written(ROWS.schema, PIECES, "csv", "T"))["n"].to_pylist() == [1, -2, 3]
    assert written(ROWS.schema, [], "csv", "T").read() == b'"a","n"\n'


@pytest.mark.parametrize("form", FORMS)
def test_a_form_takes_so_many_rows_and_says_why_no_more(form: str) -> None:
    check_size(form, FORMS[form].most)
    with pytest.raises(ParameterError, match=r"rows are [0-9,]+, and a .* at most [0-9,]+"):
        check_size(form, FORMS[form].most + 1)
    assert FORMS["xlsx"].most == 1_048_576 - 1, "the header takes a row"
