"""The file of person records, checked by its public shape alone: that it is there, its form, its header.

Text: the first line names the columns, `|` between them, in any order; more columns than are read are welcome. Parquet: the same
columns as strings, in one file or in a folder of parts. What a record says is looked at after the charge, by `reading.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import pyarrow.parquet as pq

from starling.engine.delimited import parts_of
from starling.engine.headers import SEPARATORS, check_columns
from starling.engine.record_files import PARQUET, Records, beginning_of, open_files, refuse
from starling.engine.record_parts import check_types, parquet_parts
from starling.errors import PlanError
from starling.planfile.pipe_separated import MARK, is_text
from starling.tables.plan import Plan
from starling.tables.plan.blocks import BLOCK_COLUMNS
from starling.tables.plan.census_records import census_records
from starling.tables.plan.iterations import MOST_RACE_CODES
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.source.opened import OpenedRecords

LONGEST_HEADER: Final = 65_536
"""Bytes of a header line."""
_FIX: Final = "write the columns that the plan reads, each once"
_FORMS: Final = "give pipe-delimited text or Parquet, or declare the columns of your file in a plan of your own tables"


@dataclass(frozen=True, slots=True)
class Persons(OpenedRecords):
    """Person records of the Census, of which the plan reads or `validate` looks at some columns."""

    source: Records


def required_columns(plan: Plan) -> tuple[str, ...]:
    """The columns that a release reads; HOUSEHOLDER, CENRACE and further race columns may be absent."""
    races = (f"QRACE{column}" for column in range(1, census_records(plan).max_race_codes + 1))
    return ("QAGE", "QSEX", *BLOCK_COLUMNS, *races, "QSPAN")


def open_persons(path: str | Path, plan: Plan) -> Persons:
    """Check the public shape of the person records: pipe-delimited text with a header, or Parquet: a file or a folder of parts.

    Raises:
        SourceError: when it is missing, not a plain file, or lacks a column; all missing columns at once.
        PlanError: when the detail of the plan is of other attributes than the sex and age of a Census record.
    """
    if plan.detail.attributes != SEX_BY_AGE.attributes:
        raise PlanError("detail", "is of other attributes than sex and age, which a person record has", "cut these")
    required = required_columns(plan)
    beyond = (f"QRACE{column}" for column in range(census_records(plan).max_race_codes + 1, MOST_RACE_CODES + 1))
    open_file = partial(_open_file, required, (*beyond, "HOUSEHOLDER", "CENRACE"))
    reopened = partial(open_files, Path(path).absolute(), open_file, "one file of text or Parquet")
    return Persons(reopened(), reopened)


def _open_file(required: tuple[str, ...], others: tuple[str, ...], path: Path) -> Records:
    """One file; `others` are columns that are looked at where they are there."""
    beginning, size = beginning_of(path)
    with path.open("rb") as file:
        file.seek(max(size - len(PARQUET), 0))
        parquet = beginning.startswith(PARQUET) and file.read() == PARQUET
    if not parquet:
        line, newline, _ = beginning.partition(b"\n")
        header = _header(path, line)
        parts = parts_of(path, len(line + newline), size)
        return Records((path,), (size,), "text", header, _columns(path, header, required, others), parts)
    with pq.ParquetFile(path) as opened:
        schema, parts = opened.schema_arrow, parquet_parts(path, opened)
    columns = _columns(path, schema.names, required, others)
    check_types(path, columns, schema, lambda _, kind: "" if is_text(kind) else "text")
    return Records((path,), (size,), "parquet", columns, columns, parts)


def _columns(path: Path, header: Sequence[str], required: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that are looked at, in the order of the header."""
    known = (*required, *(name for name in others if name in header))
    check_columns(path, known, header, _FIX)
    return tuple(name for name in header if name in known)


def _header(path: Path, line: bytes) -> tuple[str, ...]:
    """The names in the first line of a text."""
    if not line:
        refuse(path, "has no header: its first line is empty", "give a file whose first line names its columns")
    if len(line) > LONGEST_HEADER:
        refuse(path, f"has no line end in its first {LONGEST_HEADER} bytes", "give pipe-delimited text with a header")
    try:
        text = line.removeprefix(MARK).removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError:
        refuse(path, "has a header that is not UTF-8", _FORMS)
    for mark, name in SEPARATORS.items():
        if mark != "|" and mark in text and "|" not in text:
            refuse(path, f"is separated by {name}", _FORMS)
    return tuple(text.split("|"))
