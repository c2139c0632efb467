"""A sheet of a workbook (.xlsx) as records: the first row that says anything names the columns, and each row below is a record.

Before a charge it is known that the file is a workbook of bounded size which has the sheet; what is in the sheet is read after it. So a
column that is missing says nothing of any record, which `validate` tells. A row without a value is no record. What cannot be read ends the
sheet: no workbook stops a run.

openpyxl reads row by row in Python. A reader that holds a sheet as one block (calamine) makes room for every cell up to the last one, and
one cell far off would end the process.
"""

import warnings
import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import pyarrow as pa

from starling.distribution import install
from starling.engine.delimited import Part
from starling.engine.headers import check_columns
from starling.engine.record_files import Records, refuse
from starling.text_format import TextFormat

BEGIN: Final = b"PK\x03\x04"
"""How a workbook begins, as every zip archive."""
CONTENTS: Final = "xl/workbook.xml"
MOST_UNPACKED: Final = 1 << 30
"""Bytes of all parts of a workbook, unpacked."""
MOST_CONTENTS: Final = 1 << 20
MOST_ROWS: Final = 1 << 20
"""Of a sheet, as spreadsheets have it."""
ROWS: Final = 1 << 14
"""Rows that are taken at a time."""
_SHEET: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}sheet"
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def workbook_records(path: Path, size: int, columns: tuple[str, ...], form: TextFormat) -> Records:
    """The records of a workbook; raises SourceError unless it is one that can be read, and has the sheet."""
    try:
        with zipfile.ZipFile(path) as archive:
            if CONTENTS not in archive.namelist():
                refuse(path, "is an archive and no workbook", "unpack it, and give CSV, Parquet or .xlsx")
            unpacked = sum(part.file_size for part in archive.infolist())
            if unpacked > MOST_UNPACKED or archive.getinfo(CONTENTS).file_size > MOST_CONTENTS:
                refuse(path, f"is a workbook of more than {MOST_UNPACKED >> 30} GiB unpacked", "write it as Parquet")
            names = [each.get("name", "") for each in ET.fromstring(archive.read(CONTENTS)).iter(_SHEET)]  # noqa: S314 - small, and expat bounds what entities grow to
    except (zipfile.BadZipFile, ET.ParseError, NotImplementedError, RuntimeError):
        refuse(path, "is a workbook that cannot be read", "save it again as .xlsx, without a password, or as CSV")
    if find_spec("openpyxl") is None:
        refuse(path, "is a workbook, which needs the extra excel", f"{install('excel')}, or save it as CSV")
    if form.sheet and form.sheet not in names:
        refuse(
            path, f"has no sheet {form.sheet[:40]!r}, but {_listed(names)}", "correct sheet below [format] of the plan"
        )
    if not form.sheet and len(names) != 1:
        refuse(path, f"has several sheets: {_listed(names)}", 'state sheet = "..." below [format] of the plan')
    return Records((path,), (size,), "workbook", columns, columns, (Part(path, 0, 1),), form)


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name[:40]) for name in names[:12]) + (" and others" if len(names) > 12 else "")


def workbook_tables(path: Path, columns: tuple[str, ...], form: TextFormat) -> Iterator[pa.Table]:
    """The rows of the sheet, as bytes; null for an empty cell, and throughout for a column that is missing or there twice."""
    rows = _rows(path, form.sheet)
    header = [_text(each, form) for each in next(rows, ())]
    names = [None if each is None else each.decode().strip() for each in header]
    places = [names.index(name) if names.count(name) == 1 else None for name in columns]
    while some := list(islice(rows, ROWS)):
        fields = [[None if at is None or at >= len(row) else _text(row[at], form) for row in some] for at in places]
        yield pa.table({name: pa.array(each, pa.binary()) for name, each in zip(columns, fields, strict=True)})


def check_sheet(path: Path, columns: tuple[str, ...], form: TextFormat) -> None:
    """Raises SourceError where the sheet lacks a column or ends where it cannot be read; for `validate`, which reads all of it."""
    rows, number = _sheet_rows(path, form.sheet), 0
    try:
        header = [_text(each, form) or b"" for each in next(rows, ())]
        for number, _ in enumerate(rows, 1):  # noqa: B007 - where it ends
            pass
    except Exception:  # noqa: BLE001 - as in _rows
        refuse(path, f"cannot be read beyond record {number:,} of its sheet", "save it again, or as CSV")
    check_columns(path, columns, [each.decode().strip() for each in header], "")


def _rows(path: Path, sheet: str) -> Iterator[tuple[Any, ...]]:
    """The rows of `_sheet_rows` as far as they can be read."""
    try:
        yield from _sheet_rows(path, sheet)
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - a damaged part raises whatever its reader does; it ends the sheet
        return


def _sheet_rows(path: Path, sheet: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a sheet that say anything; none is wider than the first."""
    from openpyxl import load_workbook

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        cells = book[sheet] if sheet else book.worksheets[0]
        numbered = enumerate(cells.iter_rows(max_row=MOST_ROWS, values_only=True), 1)
        begin, first = next(((at, row) for at, row in numbered if _says(row)), (MOST_ROWS, ()))
        yield first
        width = max((at for at, each in enumerate(first, 1) if each is not None), default=1)
        yield from filter(_says, cells.iter_rows(min_row=begin + 1, max_row=MOST_ROWS, max_col=width, values_only=True))


def _says(row: tuple[Any, ...]) -> bool:
    return any(each is not None for each in row)


def _text(value: Any, form: TextFormat) -> bytes | None:
    """A cell as text of the stated format would say it."""
    if value is None:
        return None
    if isinstance(value, bool):
        return b"TRUE" if value else b"FALSE"
    if isinstance(value, int | float):
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53
        return str(int(value) if whole else value).replace(".", form.decimal).encode()
    if isinstance(value, date):
        return _date(value, form.dates).encode()
    return (value.isoformat() if isinstance(value, time) else str(value)).encode("utf-8", "replace")


def _date(value: date, dates: str) -> str:
    if dates:
        return value.strftime(dates.replace("%b", _MONTHS[value.month - 1]))
    midnight = not isinstance(value, datetime) or value.time() == time()
    return value.strftime("%Y-%m-%d") if midnight else value.isoformat()
