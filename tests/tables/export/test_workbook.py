"""A workbook holds the released numbers with a note on each column, and no text of it is a formula."""

import sys
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from starling.errors import ParameterError
from starling.tables.analysis import open_release
from starling.tables.export import workbook, write
from starling.tables.export.described import Dimension
from starling.tables.export.release_tables import tables_of
from tests.tables.export.tables import FRONT, counts, numbers_of


def test_sheets_hold_the_tables_with_notes(detailed_release: Path, tmp_path: Path) -> None:
    opened = open_release(detailed_release)
    book = openpyxl.load_workbook(opened.export(tmp_path / "r.xlsx", "excel"))
    tables = tables_of(detailed_release, opened.plan, opened.geography)
    assert book.sheetnames == ["Read me", *(each.name for each in tables)]
    for table in tables:
        rows = list(book[table.name].iter_rows(values_only=True))
        assert list(rows[0]) == list(table.columns)
        assert len(rows) == table.rows + 1
        first = list(next(table.labelled()).slice(0, 1).to_pylist()[0].values())
        assert list(rows[1]) == pytest.approx(first, nan_ok=True) or list(rows[1]) == first
        assert all(cell.comment is not None for cell in book[table.name][1])
    wards = {cell.value: cell.data_type for cell in book["ward_by_sex"]["A"][1:]}
    assert wards["=1+1"] == "s"
    text = " ".join(str(cell.value) for row in book["Read me"].iter_rows() for cell in row)
    for part in ("Spending by ward", "noisy estimate", "rho", "ward_by_sex: Ward, by sex"):
        assert part in text


def test_what_was_done_is_said_beside_the_numbers(detailed_release: Path, tmp_path: Path) -> None:
    path = open_release(detailed_release).export(
        tmp_path / "r.xlsx", "excel", tables=["ward_by_sex"], across="age", hide_below=6
    )
    book = openpyxl.load_workbook(path)
    text = " ".join(str(cell.value) for row in book["Read me"].iter_rows() for cell in row)
    assert "Not shown: counts below 6" in text
    heads = [cell.value for cell in book["ward_by_sex"][1]]
    assert heads[6:12] == [
        "all ages",
        "all ages_lower",
        "all ages_upper",
        "under 18",
        "under 18_lower",
        "under 18_upper",
    ]
    numbers = [
        cell for row in book["ward_by_sex"].iter_rows(min_row=2, min_col=7, values_only=True) for cell in row[::3]
    ]
    assert None in numbers
    assert min(each for each in numbers if each is not None) >= 6


def test_names_of_sheets_fit_and_are_unique(tmp_path: Path) -> None:
    dimension = Dimension.of("sex", "", [("F", "F")])
    tables = [counts((dimension,), numbers_of(np.ones(1, dtype=int)), f"{'a' * 40}{end}") for end in ("b", "c")]
    write(tables, FRONT, tmp_path / "t.xlsx", "excel", "")
    names = openpyxl.load_workbook(tmp_path / "t.xlsx").sheetnames
    assert len(names) == 3
    assert max(map(len, names)) <= 31


def test_too_many_rows_are_refused_with_the_way_out(
    detailed_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook, "MOST_ROWS", 3)
    with pytest.raises(ParameterError, match="rows, and a sheet of Excel holds 3; take duckdb or parquet"):
        open_release(detailed_release).export(tmp_path / "r.xlsx", "excel")
    assert not list(tmp_path.iterdir())


def test_without_the_extra_it_says_what_to_install(
    detailed_release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ParameterError, match=r"starling-dp\[excel\]"):
        open_release(detailed_release).export(tmp_path / "r.xlsx", "excel")
