"""A folder of tables as CSV or Parquet, with a data package that describes their columns, and a text that says what they are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import plain
from starling.release import datapackage
from starling.release.datapackage import Column, Sheet
from starling.release.table_files import COMPRESSION, Text, TextWriter, column
from starling.tables.export.described import DescribedTable, Front

ABOUT: Final = "README.txt"


def write_csv(table: DescribedTable, out: Path) -> None:
    """Write a table as CSV: no text in it, nor in its header, is a formula to a spreadsheet (release/cells.py)."""
    with out.open("wb") as file:
        writer = TextWriter(file, Text("csv", {name: name for name in table.columns}))
        for piece in table.labelled():
            writer.write(piece)


def write_parquet(table: DescribedTable, out: Path) -> None:
    """Write a table as Parquet, text as it is, with a description on each column and what was done to the numbers on the table."""
    fields = [pa.field(name, kind, metadata={"description": text}) for name, (kind, text) in table.columns.items()]
    schema = pa.schema(fields, metadata={"title": table.title, "notes": "\n".join(table.notes)})
    with pq.ParquetWriter(out, schema, compression=COMPRESSION) as writer:
        for piece in table.labelled():
            writer.write_table(piece.cast(schema))


def write_table(table: DescribedTable, out: Path) -> None:
    """Write a table as the name of the file ends."""
    (write_csv if out.suffix == ".csv" else write_parquet)(table, out)


def write_folder(tables: Sequence[DescribedTable], front: Front, folder: Path, suffix: str) -> None:
    """Write a file of each table, and beside them what they are."""
    for each in tables:
        write_table(each, folder / f"{each.name}{suffix}")
    lines = [front.title, "", *(f"{name}: {text}" if name else text for name, text in front.lines())]
    for each in tables:
        lines += ["", f"{each.name}: {each.title}", *each.notes]
    (folder / ABOUT).write_text("\n".join(map(plain, lines)) + "\n", encoding="utf-8")
    sheets = [_described(each, suffix) for each in tables]
    datapackage.write(folder, front.title, sheets, {ABOUT: "What the numbers are, and what was done to them"})


def _described(table: DescribedTable, suffix: str) -> Sheet:
    required = {name for each in table.dimensions for name in (each.name, each.label)}
    columns: tuple[Column, ...] = tuple(
        column(name, kind, text, required=name in required) for name, (kind, text) in table.columns.items()
    )
    key = tuple(each.name for each in table.dimensions)
    return Sheet(f"{table.name}{suffix}", table.title, columns, key, "," if suffix == ".csv" else "")
