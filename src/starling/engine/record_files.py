"""Confidential records in one file, or in a folder of Parquet parts, by their public shape: that they are there, their form, their columns.

What a record says is looked at after the charge alone, part by part.
"""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, Never, TypeAlias

import pyarrow as pa

from starling.engine.delimited import LONGEST_RECORD, Part
from starling.errors import Problem, SourceError
from starling.text_format import PLAIN, TextFormat

Form: TypeAlias = Literal["text", "parquet", "geojson", "geojson-lines", "workbook"]

PARQUET: Final = b"PAR1"
"""How a Parquet file begins."""


@dataclass(frozen=True, slots=True)
class Records:
    """Records whose public shape fits a plan; holds nothing of any record.

    Attributes:
        files: The file; of a folder each file, ascending by name.
        sizes: Bytes of each when it was checked.
        form: What they are.
        header: The names of all columns, of what is no text those that are read.
        columns: Those that are read.
        parts: Where the records lie.
        format: How text says them.
    """

    files: tuple[Path, ...]
    sizes: tuple[int, ...]
    form: Form
    header: tuple[str, ...]
    columns: tuple[str, ...]
    parts: tuple[Part, ...]
    format: TextFormat = PLAIN

    @property
    def name(self) -> str:
        """What messages call them: the first file."""
        return self.files[0].name


def open_files(path: str | Path, open_file: Callable[[Path], Records], forms: str) -> Records:
    """The records of a file, or of all Parquet files of a folder.

    Args:
        path: The file or the folder.
        open_file: Checks one file; it may raise what the operating system and Arrow raise.
        forms: What a file may be, for messages.

    Raises:
        SourceError: something is not there, of another form, or of other columns than the rest.
    """
    path = Path(path).absolute()
    try:
        files = sorted(path.glob("*.parquet")) if stat.S_ISDIR(path.stat().st_mode) else [path]
        if not files:
            refuse(path, "is a folder without Parquet files", "give a file, or a folder of Parquet parts")
        if not all(stat.S_ISREG(each.stat().st_mode) for each in files):
            refuse(path, "is not a plain file", f"give {forms}")
        opened = [open_file(each) for each in files]
    except pa.ArrowException:
        refuse(path, "is not readable as Parquet", "write it again as Parquet or CSV")
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "not a file name"
        refuse(path, f"cannot be opened ({reason})", "check the path and its permissions")
    if len({(each.form, each.header, each.columns) for each in opened}) > 1:
        refuse(path, "has files of different columns", "write all parts alike")
    sizes = tuple(size for each in opened for size in each.sizes)
    return replace(
        opened[0], files=tuple(files), sizes=sizes, parts=tuple(part for each in opened for part in each.parts)
    )


def refuse(path: Path, problem: str, fix: str) -> Never:
    """Raise the refusal of a file."""
    raise SourceError(problems=[Problem("records", problem, fix, path.name or str(path))])


def beginning_of(path: Path) -> tuple[bytes, int]:
    """The first bytes of a file, no more than a record has, and how many it has in all."""
    with path.open("rb") as file:
        return file.read(LONGEST_RECORD), file.seek(0, os.SEEK_END)
