"""A workbook holds the released numbers with a note on each column, and no text of it is a formula."""

import sys
from pathlib import Path

import openpyxl
import pytest

from starling.errors import ParameterError
from starling.tables.analysis import open_release
from starling.tables.export import workbook


def test_sheets_hold_the_tables_with_notes(detailed_release: Path, tmp_path: Path) -> None:
    opened = open_release(detailed_release)
    book = openpyxl.load_workbook(opened.export(tmp_path / "r.xlsx", "excel"))
    assert book.sheetnames == ["Read me", "Totals", "Detail", "Statistics"]
    for name, sheet in zip(("t1", "t2", "t3"), book.sheetnames[1:], strict=True):
        table = opened.table(name)
        rows = list(book[sheet].iter_rows(values_only=True))
        assert list(rows[0]) == table.column_names
        assert len(rows) == len(table) + 1
        first = list(table.slice(0, 1).to_pylist()[0].values())
        assert list(rows[1]) == pytest.approx(first, nan_ok=True) or list(rows[1]) == first
        assert all(cell.comment is not None for cell in book[sheet][1])
    wards = {cell.value: cell.data_type for cell in book["Totals"]["A"][1:]}
    assert wards["=1+1"] == "s"
    text = " ".join(str(cell.value) for row in book["Read me"].iter_rows() for cell in row)
    assert "Spending by ward" in text
    assert "noisy estimate" in text
    assert "rho" in text


def test_too_many_rows_are_refused_with_the_way_out(
    detailed_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook, "MOST_ROWS", 3)
    with pytest.raises(ParameterError, match="sheet of Excel holds 3; take duckdb"):
        open_release(detailed_release).export(tmp_path / "r.xlsx", "excel")
    assert not list(tmp_path.iterdir())


def test_without_the_extra_it_says_what_to_install(
    detailed_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ParameterError, match=r"starling-dp\[excel\]"):
        open_release(detailed_release).export(tmp_path / "r.xlsx", "excel")
