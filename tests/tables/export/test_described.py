"""Every form writes the same table, whatever its names are: no text is a formula, ends a cell, or moves a cursor."""

import csv
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pyarrow.parquet as pq
import pytest

from starling.errors import plain
from starling.release.cells import original, text_cell
from starling.tables.export import Form, write
from starling.tables.export.described import identifiers, unique_names
from tests.tables.export.tables import FRONT, HOSTILE, hostile_table


def rows_of(form: Form, folder: Path) -> list[list[Any]]:
    """Header and rows of the hostile table, as a program reads them that knows nothing of Starling."""
    out = folder / {"excel": "t.xlsx", "duckdb": "t.duckdb"}.get(form, "t")
    if not out.suffix:
        out.mkdir()
    write([hostile_table()], FRONT, out, form, "")
    match form:
        case "csv":
            with (out / "table.csv").open(newline="") as file:
                return [*csv.reader(file)]
        case "parquet":
            table = pq.read_table(out / "table.parquet")
            return [table.column_names, *map(list, zip(*(column.to_pylist() for column in table.columns), strict=True))]
        case "excel":
            return [list(row) for row in openpyxl.load_workbook(out)["table"].iter_rows(values_only=True)]
    with duckdb.connect(str(out), read_only=True) as database:
        rows = database.execute('SELECT * FROM "table"')
        return [[each[0] for each in rows.description or []], *map(list, rows.fetchall())]


def test_all_forms_hold_the_same_rows(tmp_path: Path) -> None:
    table = hostile_table()
    wanted = [list(table.columns)]
    for piece in table.labelled():
        wanted += map(list, zip(*(column.to_pylist() for column in piece.columns), strict=True))
    assert len(wanted) == table.rows + 1
    labels = {row[1] for row in wanted[1:]}
    # What a terminal or a page would obey is written as what it is.
    assert labels == {plain(text) for text in HOSTILE}
    assert "\\u202eevil" in labels
    (tmp_path / "parquet").mkdir()
    assert rows_of("parquet", tmp_path / "parquet") == wanted
    assert rows_of("duckdb", tmp_path) == wanted
    assert rows_of("excel", tmp_path) == [list(map(plain, wanted[0])), *wanted[1:]]
    text = rows_of("csv", tmp_path)
    assert text[0] == list(map(text_cell, wanted[0]))
    cells = [[original(cell) for cell in row[:4]] + row[4:] for row in text[1:]]
    assert cells == [list(map(written, row)) for row in wanted[1:]]


def written(cell: Any) -> str:
    return str(cell).lower() if cell is True or cell is False else str(cell)


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    write([hostile_table()], FRONT, tmp_path / "t.xlsx", "excel", "")
    book = openpyxl.load_workbook(tmp_path / "t.xlsx")
    assert {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row} <= {"s", "n", "b"}
    for row in rows_of("csv", tmp_path):
        # Numbers may begin with a minus; text that does has an apostrophe before it.
        assert not any(cell.startswith(("=", "+", "@", "-", "\t", "\r")) for cell in row[:4])


def test_a_code_that_is_a_total_elsewhere_is_told_from_it() -> None:
    codes = hostile_table().dimensions[1].codes
    assert codes == {"_T": "all", "F": "=F", "_T_": "a code that means something"}


@pytest.mark.parametrize("names", [["a", "A", "a"], ["count", "Count", "count (column)"], [""] * 3, HOSTILE * 2])
def test_names_are_unique_to_programs_that_fold_letters(names: list[str]) -> None:
    for unique in (unique_names(names, ["count"]), identifiers(names, ["count"])):
        assert len({name.casefold() for name in [*unique, "count"]}) == len(names) + 1
