"""Rows of a table as a file for other programs."""

from tempfile import TemporaryFile
from typing import BinaryIO, Final

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from starling.release.cells import as_text

KINDS: Final = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""The media type of each form."""


def written(rows: pa.Table, form: str, title: str) -> BinaryIO:
    """Rows as an open file of a form: `csv`, `parquet` or `xlsx`; no text is a formula to a spreadsheet.

    Raises:
        ParameterError: xlsx without its extra.
    """
    file: BinaryIO = TemporaryFile()  # noqa: SIM115 - it is sent, and closed by whoever sends it
    if form == "csv":
        pacsv.write_csv(as_text(rows), file)
    elif form == "parquet":
        pq.write_table(rows, file, compression="zstd")
    else:
        from starling.tables.export.workbook import write_rows

        write_rows(rows, title, file)
    file.seek(0)
    return file
