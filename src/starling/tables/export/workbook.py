"""An Excel workbook of tables: a sheet that says what the numbers are, and one for each table, with a note on each column."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from starling.errors import ParameterError, plain
from starling.release.sheets import BATCH, MOST_ROWS, new_workbook, write_batches, write_notes
from starling.tables.export.described import DescribedTable, Front

MOST_COLUMNS: Final = 16_384
LONGEST_SHEET: Final = 31
"""Letters of the name of a sheet."""


def write_workbook(tables: Sequence[DescribedTable], front: Front, out: Path) -> None:
    """Write the workbook, row by row, so that memory does not depend on how many there are.

    Raises:
        ParameterError: a table has more rows or columns than a sheet holds, or XlsxWriter is not installed; nothing is written then.
    """
    for each in tables:
        for size, most, what in ((each.rows, MOST_ROWS, "rows"), (len(each.columns), MOST_COLUMNS, "columns")):
            if size > most:
                problem = f"{each.name} has {size:,} {what}, and a sheet of Excel holds {most:,}"
                raise ParameterError("format", problem, "take duckdb or parquet, or name other tables")
    with new_workbook(out) as book:
        bold = book.add_format({"bold": True, "bottom": 1})
        sheets = _sheets(tables)
        contents = [("" if at else "Tables", f"{sheet}: {each.title}") for at, (sheet, each) in enumerate(sheets)]
        write_notes(book, front.title, [*front.lines(note for each in tables for note in each.notes), *contents])
        for name, each in sheets:
            sheet, columns = book.add_worksheet(name), each.columns
            sheet.freeze_panes(1, 0)
            sheet.set_column(0, len(columns) - 1, 16)
            for place, (column, (_, description)) in enumerate(columns.items()):
                sheet.write_string(0, place, plain(column), bold)
                sheet.write_comment(0, place, plain(description), {"x_scale": 2})
            row = write_batches(sheet, (batch for piece in each.labelled() for batch in piece.to_batches(BATCH)))
            sheet.autofilter(0, 0, max(row - 1, 1), len(columns) - 1)


def _sheets(tables: Sequence[DescribedTable]) -> list[tuple[str, DescribedTable]]:
    """Each table with the name of its sheet: as much of its own as there is room for, with its number where it was cut."""
    names = (
        each.name if len(each.name) <= LONGEST_SHEET else f"{each.name[: LONGEST_SHEET - 6]}_{number}"
        for number, each in enumerate(tables, 1)
    )
    return list(zip(names, tables, strict=True))
