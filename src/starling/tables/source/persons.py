"""The file of person records, checked by its public shape alone: that it is there, its kind, its header.

Text: the first line names the columns, `|` between them, in any order; more columns than are read are welcome. Parquet: the same
columns as strings, in one file or in a folder of parts. What a record says is looked at after the charge, by `reading.py`.
"""

import os
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Never

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import PlanError, Problem, SourceError
from starling.planfile.pipe_separated import MARK, is_text
from starling.tables.plan import Plan
from starling.tables.plan.blocks import BLOCK_COLUMNS
from starling.tables.plan.census_records import census_records
from starling.tables.plan.codebook import MOST_RACE_CODES
from starling.tables.plan.sex_by_age import SEX_BY_AGE

LONGEST_HEADER: Final = 65_536
"""Bytes of a header line."""

_PARQUET: Final = b"PAR1"
"""How a Parquet file begins and ends."""


@dataclass(frozen=True, slots=True)
class Persons:
    """Person records whose header fits a plan. Holds nothing of any record.

    Attributes:
        files: The file; of a folder of Parquet parts each file, ascending by name.
        sizes: Bytes of each: a file that has another size when it is read is not the one that was checked.
        kind: What it is.
        header: Text: its first bytes up to and with the first newline; Parquet: empty.
        columns: Names, in the file's order.
    """

    files: tuple[Path, ...]
    sizes: tuple[int, ...]
    kind: Literal["text", "parquet"]
    header: bytes
    columns: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the file, or of the folder of several, for messages."""
        return self.files[0].name if len(self.files) == 1 else self.files[0].parent.name


def required_columns(plan: Plan) -> tuple[str, ...]:
    """The columns that a release reads; HOUSEHOLDER, CENRACE and further race columns may be absent."""
    races = (f"QRACE{column}" for column in range(1, census_records(plan).max_race_codes + 1))
    return ("QAGE", "QSEX", *BLOCK_COLUMNS, *races, "QSPAN")


def known_columns(plan: Plan) -> tuple[str, ...]:
    """The columns that `validate` looks at where they are there."""
    beyond = (f"QRACE{column}" for column in range(census_records(plan).max_race_codes + 1, MOST_RACE_CODES + 1))
    return (*required_columns(plan), *beyond, "HOUSEHOLDER", "CENRACE")


def open_persons(path: str | Path, plan: Plan) -> Persons:
    """Check the public shape of the person records: pipe-delimited text with a header, or Parquet: a file or a folder of parts.

    Raises:
        SourceError: when it is missing, not a plain file, or lacks a column; all missing columns at once.
        PlanError: when the detail of the plan is of other attributes than the sex and age of a Census record.
    """
    if plan.detail.attributes != SEX_BY_AGE.attributes:
        raise PlanError("detail", "is of other attributes than sex and age, which a person record has", "cut these")
    path = Path(path).absolute()
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            parts = tuple(sorted(path.glob("*.parquet")))
            if not parts:
                _refuse(path, "is a folder without Parquet files", "give a file, or a folder of Parquet parts")
            opened = [_open_file(part, plan) for part in parts]
        else:
            opened = [_open_file(path, plan)]
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "not a file name"
        _refuse(path, f"cannot be opened ({reason})", "check the path and its permissions")
    first = opened[0]
    for other in opened[1:]:
        if (other.kind, other.columns) != (first.kind, first.columns):
            _refuse(other.files[0], f"has other columns than {first.files[0].name}", "write all parts alike")
    sizes = tuple(each.sizes[0] for each in opened)
    return Persons(tuple(each.files[0] for each in opened), sizes, first.kind, first.header, first.columns)


def _refuse(path: Path, problem: str, fix: str) -> Never:
    raise SourceError(problems=[Problem("persons", problem, fix, path.name)])


def _open_file(path: Path, plan: Plan) -> Persons:
    """One file. Raises OSError as well."""
    if not stat.S_ISREG(path.stat().st_mode):
        _refuse(path, "is not a plain file", "give one file of text or Parquet")
    with path.open("rb") as file:
        start = file.read(LONGEST_HEADER + len(MARK))
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - len(_PARQUET), 0))
        parquet = start.startswith(_PARQUET) and file.read() == _PARQUET
    if parquet:
        return Persons((path,), (size,), "parquet", b"", _parquet_columns(path, plan))
    header, columns = _text_columns(path, plan, start)
    return Persons((path,), (size,), "text", header, columns)


def _text_columns(path: Path, plan: Plan, start: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The header line with its newline, and the names in it."""
    if not start:
        _refuse(path, "is empty", "give a file with a header")
    line, newline, _ = start.partition(b"\n")
    if len(line) > LONGEST_HEADER:
        _refuse(path, f"has no line end in its first {LONGEST_HEADER} bytes", "give pipe-delimited text with a header")
    try:
        columns = tuple(line.removeprefix(MARK).removesuffix(b"\r").decode("utf-8").split("|"))
    except UnicodeDecodeError:
        _refuse(path, "has a header that is not UTF-8", "give pipe-delimited text or Parquet")
    _check_columns(path, plan, columns)
    return line + newline, columns


def _parquet_columns(path: Path, plan: Plan) -> tuple[str, ...]:
    try:
        schema = pq.read_schema(path)
    except pa.ArrowException:
        _refuse(path, "is not readable as Parquet", "write it again as Parquet or text")
    _check_columns(path, plan, tuple(schema.names))
    known = known_columns(plan)
    problems = [
        Problem(field.name, f"is of type {field.type}, must be string", "store it as text", path.name)
        for field in schema
        if field.name in known and not is_text(field.type)
    ]
    if problems:
        raise SourceError(problems=problems)
    return tuple(schema.names)


def _check_columns(path: Path, plan: Plan, columns: tuple[str, ...]) -> None:
    times = Counter(columns)
    problems = [
        Problem(name, "is a missing column", "add it to the header and the records", path.name)
        for name in required_columns(plan)
        if not times[name]
    ]
    problems += [
        Problem(name, "is there more than once", "keep one column of the name", path.name)
        for name in known_columns(plan)
        if times[name] > 1
    ]
    if problems:
        raise SourceError(problems=problems)
