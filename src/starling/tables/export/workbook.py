"""An Excel workbook of a release: a sheet that says what the numbers are, and one for each table, with a note on each column."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from starling.errors import ParameterError
from starling.release.sheets import BATCH, MOST_ROWS, new_workbook, write_batches, write_notes
from starling.tables.artifact.aggregates import COLUMN_WORDS
from starling.tables.artifact.columns import words
from starling.tables.plan import Plan

SHEETS: Final = {"t1": "Totals", "t2": "Detail", "t3": "Statistics"}


@dataclass(frozen=True, slots=True)
class Front:
    """What a reader of the numbers should know.

    Attributes:
        facts: Name and text of each fact: what is protected, what it cost, who signed.
    """

    title: str
    facts: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """All of it in one line."""
        return "; ".join([self.title, *(f"{name}: {text}" for name, text in self.facts)])


READ: Final = (
    "Every number is a noisy estimate: noise was added on purpose, so that it does not show whether any one person is in the data.",
    "lower and upper are the ends of an interval that holds the true number with a probability of at least 95 %; a few intervals miss.",
    "Numbers are not made to add up unless the plan says so, and may be negative where the plan publishes negative counts.",
    "A group that is not there was left out by a public rule on its noisy number; no group was left out for what the records say.",
    "Hover over the head of a column to read what it holds.",
)


def write_workbook(folder: Path, plan: Plan, front: Front, out: Path) -> None:
    """Write the workbook, row by row, so that memory does not depend on how many there are.

    Raises:
        ParameterError: a table has more rows than a sheet holds, or XlsxWriter is not installed.
    """
    files = {name: pq.ParquetFile(path) for name in SHEETS if (path := folder / "data" / f"{name}.parquet").exists()}
    for name, file in files.items():
        if file.metadata.num_rows > MOST_ROWS:
            problem = f"{name} has {file.metadata.num_rows:,} rows, and a sheet of Excel holds {MOST_ROWS:,}"
            raise ParameterError("format", problem, "take duckdb, or wide as Parquet")
    descriptions = {**words(plan), **COLUMN_WORDS} if plan.aggregates else words(plan)
    with new_workbook(out) as book:
        bold = book.add_format({"bold": True, "bottom": 1})
        read = (("How to read it" if at == 0 else "", text) for at, text in enumerate(READ))
        write_notes(book, front.title, [*front.facts, *read])
        for name, file in files.items():
            _sheet(book.add_worksheet(SHEETS[name]), file, descriptions, bold)


def _sheet(sheet: Any, file: pq.ParquetFile, descriptions: dict[str, str], bold: Any) -> None:
    names = file.schema_arrow.names
    sheet.freeze_panes(1, 0)
    sheet.set_column(0, len(names) - 1, 16)
    for place, name in enumerate(names):
        sheet.write_string(0, place, name, bold)
        sheet.write_comment(0, place, descriptions[name], {"x_scale": 2})
    row = write_batches(sheet, file.iter_batches(BATCH))
    sheet.autofilter(0, 0, max(row - 1, 1), len(names) - 1)
