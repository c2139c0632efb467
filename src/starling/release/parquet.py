"""What a Parquet file of a release may hold besides its table: nothing that anybody chose.

A Parquet file has room for notes: key-value metadata of the file and of each column, the name of the program that wrote it, bytes between
its parts that no reader looks at. None of them is compared with anything, so that a release has none of them: they could say what the
table does not.
"""

import base64
import re
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

ARROW: Final = b"ARROW:schema"
"""The one key that Arrow writes: the types of the columns, as Arrow says them."""
WRITER: Final = re.compile(r"parquet-cpp-arrow version [0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}")
_FRAME: Final = 4 + 4 + 4
"""Bytes around the parts of a file: its mark at both ends, and the length of the footer."""


def types(path: Path) -> dict[str, str]:
    """The columns of a file and what pyarrow calls their types; from its footer alone."""
    return {field.name: str(field.type) for field in pq.read_schema(path)}


def stray(path: Path) -> str | None:
    """What a file holds that none of ours does, in a few words; None where there is nothing. From its footer alone.

    Raises:
        OSError, pa.ArrowException: it cannot be read as Parquet.
    """
    with pq.ParquetFile(path) as file:
        footer, schema = file.metadata, file.schema_arrow
    notes = footer.metadata or {}
    if notes.keys() != {ARROW} or schema.metadata or any(map(_noted, schema)):
        return "notes beside its columns"
    try:
        written = base64.b64decode(notes[ARROW], validate=True)
        said = pa.ipc.read_schema(pa.py_buffer(written))
    except ValueError:
        return "notes beside its columns"
    if not said.equals(schema) or any(map(_noted, said)) or said.serialize().to_pybytes() != written:
        return "notes that say other types than its columns have"
    if not WRITER.fullmatch(footer.created_by):
        return "another program's name"
    parts = sum(
        footer.row_group(group).column(column).total_compressed_size
        for group in range(footer.num_row_groups)
        for column in range(footer.num_columns)
    )
    return None if path.stat().st_size == _FRAME + parts + footer.serialized_size else "bytes that belong to no column"


def _noted(field: pa.Field) -> bool:
    """Whether a column, or a part of it, has notes."""
    return bool(field.metadata) or any(_noted(field.type.field(part)) for part in range(field.type.num_fields))
