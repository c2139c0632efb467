"""A sheet of a workbook (.xlsx) as records: the first row that says anything names the columns, and each row below is a record.

Before a charge it is known that the file is a workbook of bounded size which has the sheet and the columns (workbook_beginning.py); the
records are read after it. A row without a value is no record. What cannot be read ends the sheet: no workbook stops a run.

openpyxl reads row by row in Python. A reader that holds a sheet as one block (calamine) makes room for every cell up to the last one, and
one cell far off would end the process.
"""

import zipfile
from array import array
from collections.abc import Iterator
from datetime import date, datetime, time
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, Final
from warnings import catch_warnings

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starling.distribution import install
from starling.engine.delimited import Part
from starling.engine.headers import check_columns
from starling.engine.record_files import Records, refuse
from starling.text_format import TextFormat

BEGIN: Final = b"PK\x03\x04"
"""How a workbook begins, as every zip archive."""
MOST_UNPACKED: Final = 1 << 30
"""Bytes of all parts of a workbook, unpacked."""
MOST_ROWS: Final = 1 << 20
"""Of a sheet, as spreadsheets have it."""
ROWS: Final = 1 << 14
"""Rows that are taken at a time."""
_SAVE_ANEW: Final = "save it again as .xlsx (not Strict Open XML), without a password, or as CSV"
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def workbook_records(path: Path, size: int, columns: tuple[str, ...], fix: str, form: TextFormat) -> Records:
    """The records of a workbook; raises SourceError unless it is one that can be read up to its header, which names each column once."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            unpacked = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError):
        refuse(path, "is a workbook that cannot be read", _SAVE_ANEW)
    if not any(name.startswith("xl/") for name in names):
        refuse(path, "is an archive and no workbook", "unpack it, and give CSV, Parquet or .xlsx")
    if "xl/workbook.bin" in names:
        refuse(path, "is a binary workbook (.xlsb)", "save it as .xlsx, or as CSV")
    if unpacked > MOST_UNPACKED:
        refuse(path, f"is a workbook of more than {MOST_UNPACKED >> 30} GiB unpacked", "write it as Parquet")
    if find_spec("openpyxl") is None:
        refuse(path, "is a workbook, which needs the extra excel", f"{install('excel')}, or save it as CSV")
    check_columns(path, columns, [each.decode().strip() for each in _header(path, form)], fix)
    return Records((path,), (size,), "workbook", columns, columns, (Part(path, 0, 1),), form)


def _header(path: Path, form: TextFormat) -> list[bytes]:
    """The first row of the sheet that says anything; raises SourceError where it cannot be read, or there is no such sheet."""
    from starling.engine.workbook_beginning import TooFar, beginning_of_workbook, resolved

    header: list[bytes] = []
    problem, fix = "", _SAVE_ANEW
    try:
        with path.open("rb") as file, catch_warnings(action="ignore"):
            book, archive = beginning_of_workbook(file)
            sheets = [each.title for each in book.worksheets]
            if (sheets.count(form.sheet) if form.sheet else len(sheets)) != 1:
                problem, fix = _ambiguous(sheets, form.sheet)
            elif first := next(_numbered(_sheet(book, form.sheet)), None):
                header = [_text(each, form) or b"" for each in resolved(first[1], archive)]
            else:
                problem, fix = "has no header: its sheet is empty", "name the columns in the first row of the sheet"
    except TooFar:
        problem, fix = "has its header too far in, or more styles than are read", "save that sheet alone, or as CSV"
    except Exception:  # noqa: BLE001 - a damaged part raises whatever its reader does
        problem = "is a workbook that cannot be read"
    if problem:
        refuse(path, problem, fix)
    return header


def _ambiguous(sheets: list[str], sheet: str) -> tuple[str, str]:
    """Why no single sheet is meant, and what to do."""
    listed = ", ".join(repr(name[:40]) for name in sheets[:12]) + (" and others" if len(sheets) > 12 else "")
    if not sheets:
        return "is a workbook without a sheet of cells", _SAVE_ANEW
    if not sheet:
        return f"has several sheets: {listed}", 'state sheet = "..." below [format] of the plan'
    if sheet in sheets:
        return f"has several sheets {sheet[:40]!r}", "give each sheet a name of its own"
    return f"has no sheet {sheet[:40]!r}, but {listed}", "correct sheet below [format] of the plan"


def workbook_tables(path: Path, columns: tuple[str, ...], form: TextFormat) -> Iterator[pa.Table]:
    """The rows of the sheet, as bytes; null for an empty cell."""
    rows = _rows(path, form.sheet)
    names = [(_text(each, form) or b"").decode().strip() for each in next(rows, ())]
    # The columns are missing only where the file is not what was checked.
    places = [names.index(name) if name in names else len(names) for name in columns]
    while some := list(islice(rows, ROWS)):
        fields = [[_text(row[at], form) if at < len(row) else None for row in some] for at in places]
        yield pa.table({name: pa.array(each, pa.binary()) for name, each in zip(columns, fields, strict=True)})


def record_rows(path: Path, sheet: str) -> npt.NDArray[np.int64]:
    """The number of the row of each record; raises SourceError where the sheet ends because it cannot be read. For `validate`."""
    numbers = array("q")
    try:
        numbers.extend(number for number, _ in _sheet_rows(path, sheet))
    except Exception:  # noqa: BLE001 - as in _rows
        refuse(path, f"cannot be read beyond row {max(numbers, default=0):,} of its sheet", "save it again, or as CSV")
    return np.array(numbers, np.int64)[1:]


def _rows(path: Path, sheet: str) -> Iterator[tuple[Any, ...]]:
    """The rows of `_sheet_rows` as far as they can be read."""
    try:
        for _, row in _sheet_rows(path, sheet):
            yield row
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - a damaged part raises whatever its reader does; it ends the sheet
        return


def _sheet_rows(path: Path, sheet: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """The rows of a sheet that say anything, with their numbers; none is wider than the first."""
    from openpyxl import load_workbook

    with path.open("rb") as file, catch_warnings(action="ignore"):
        # A file and not its path: openpyxl goes by the ends of names.
        cells = _sheet(load_workbook(file, read_only=True, data_only=True, keep_links=False), sheet)
        begin, first = next(_numbered(cells), (MOST_ROWS, ()))
        yield begin, first
        width = max((at for at, each in enumerate(first, 1) if each is not None), default=1)
        yield from _numbered(cells, begin + 1, width)


def _sheet(book: Any, sheet: str) -> Any:
    """The sheet of cells that is meant, without the size that it states: some programs state a wrong one."""
    cells = next(each for each in book.worksheets if sheet in ("", each.title))
    cells.reset_dimensions()
    return cells


def _numbered(cells: Any, begin: int = 1, width: int | None = None) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """The rows from `begin` on that say anything, with their numbers."""
    rows = cells.iter_rows(min_row=begin, max_row=MOST_ROWS, max_col=width, values_only=True)
    return ((number, row) for number, row in enumerate(rows, begin) if row.count(None) < len(row))


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
