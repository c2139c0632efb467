"""Workbooks whose cells are texts, numbers, dates, errors and formulas, right ones or odd, and whose parts are changed."""

import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, Final

import xlsxwriter

from bench.fuzz.declared import SHEET
from bench.fuzz.inputs import corrupt, texts

_VALUES: Final[tuple[Any, ...]] = (
    *(0, 1, -1, 0.5, -0.0, 1e308, 5e-324, 2**53, 2**63, -(2**63), 12.25, 40, 99, float("nan"), float("inf")),
    *(
        True,
        False,
        None,
        "",
        date(2020, 1, 5),
        datetime.fromisoformat("2020-01-31T23:59:59.500"),
        time(12),
        timedelta(3),
    ),
    *(datetime.fromisoformat("1900-01-01"), datetime.fromisoformat("9999-12-31")),
)
_FORMULAS: Final = (("=1+1", 2), ("=A1", "F"), ("=1/0", "#DIV/0!"), ("=NA()", "#N/A"), ("=B2", ""))
_FORMS: Final = ("general", "yyyy-mm-dd", "[h]:mm", "0.00%", "dd.mm.yyyy hh:mm", '"x"0', "@")
_LONGEST: Final = 32_767
"""Characters of a cell."""


def write_sheet(random: Random, path: Path, columns: Mapping[str, Sequence[bytes]], rows: int) -> None:
    """Write a workbook whose first row names the columns.

    Args:
        random: Chooses.
        path: The file.
        columns: Right values of each column.
        rows: Records below.
    """
    options = {"nan_inf_to_errors": True, "in_memory": True, "constant_memory": random.random() < 0.5}
    with xlsxwriter.Workbook(str(path), options) as book:
        forms = [book.add_format({"num_format": form}) for form in _FORMS]
        sheet = book.add_worksheet(SHEET)
        shift = random.choice((0, 0, 0, 1))
        sheet.write_row(shift, 0, list(columns))
        fields = [texts(random, right, rows) for right in columns.values()]
        for row, line in enumerate(zip(*fields, strict=True), shift + 1):
            for column, text in enumerate(line):
                _write_cell(random, sheet, row, column, text, forms)


def _write_cell(random: Random, sheet: Any, row: int, column: int, text: bytes, forms: list[Any]) -> None:
    chance, form = random.random(), random.choice(forms)
    if chance < 0.6:
        sheet.write_string(row, column, text.decode("utf-8", "replace")[:_LONGEST])
    elif chance < 0.65:
        formula, value = random.choice(_FORMULAS)
        sheet.write_formula(row, column, formula, None, value)
    elif chance < 0.7:
        sheet.write_blank(row, column, None, form)
    elif chance < 0.9:
        sheet.write(row, column, random.choice(_VALUES), form)
    else:
        sheet.write_number(row, column, random.uniform(-1e6, 1e6), form)


def corrupt_workbook(random: Random, data: bytes) -> bytes:
    """A workbook of which one part is changed, so that its archive is still right."""
    target = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as archive, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as changed:
        chosen = random.choice(archive.namelist())
        for name in archive.namelist():
            part = archive.read(name)
            changed.writestr(name, corrupt(random, part) if name == chosen else part)
    return target.getvalue()
