"""Small public tables of the Census folder: pipe-delimited text with a header, or the same columns as Parquet.

Text is split on `|` and nothing else: no quoting, no escapes, no guessing of types. Lines end with `\\n`, an optional `\\r` before it;
blank lines are skipped, as the production system does.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import Problem

Record: TypeAlias = tuple[int, tuple[str, ...]]
"""Line (text: the header is line 1; Parquet: rows from 1) and its fields."""

NULL = "Null"
LONGEST_FILE = 64 * 2**20
"""Bytes; the production definitions are under 1 MiB."""


def read_table(folder: Path, stem: str, columns: Sequence[str], problems: list[Problem]) -> tuple[str, list[Record]]:
    """All records of `stem`.txt or `stem`.parquet.

    Args:
        folder: Where it lies.
        stem: File name without its ending.
        columns: Names, in this order for text.
        problems: What is wrong with the file is appended here.

    Returns:
        File name for messages, and the records that have the right number of fields.
    """
    text, parquet = folder / f"{stem}.txt", folder / f"{stem}.parquet"
    found = [path for path in (text, parquet) if path.exists()]
    if len(found) != 1:
        problem = "is there as text and as Parquet, which may differ" if found else "is missing"
        problems.append(
            Problem(stem, problem, f"put either {text.name} or {parquet.name} in the folder", file=text.name)
        )
        return text.name, []
    if found[0] == parquet:
        return parquet.name, _parquet(parquet, columns, problems)
    return text.name, _text(text, columns, problems)


def _text(path: Path, columns: Sequence[str], problems: list[Problem]) -> list[Record]:
    header = "|".join(columns)
    try:
        if path.stat().st_size > LONGEST_FILE:
            problems.append(Problem("file", f"is longer than {LONGEST_FILE} bytes", "check what it is", path.name))
            return []
        raw = path.read_bytes()
    except OSError as error:
        problems.append(Problem("file", f"cannot be read ({error.strerror})", "check the path", path.name))
        return []
    records: list[Record] = []
    for line, content in enumerate(raw.split(b"\n"), start=1):
        try:
            fields = tuple(content.removesuffix(b"\r").decode("utf-8").split("|"))
        except UnicodeDecodeError:
            problems.append(Problem("line", "is not UTF-8", "save the file as UTF-8", path.name, line))
            continue
        if line == 1:
            if fields != tuple(columns):
                problems.append(Problem("header", "is not the one expected", f"write {header}", path.name, 1))
                return []
        elif fields == ("",):
            continue
        elif len(fields) != len(columns):
            problem = f"has {len(fields)} fields, must have {len(columns)}"
            problems.append(Problem("line", problem, f"write {header}", path.name, line))
        else:
            records.append((line, fields))
    return records


def _parquet(path: Path, columns: Sequence[str], problems: list[Problem]) -> list[Record]:
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException, ValueError):
        problems.append(Problem("file", "is not readable as Parquet", "write it again as Parquet", path.name))
        return []
    names = table.column_names
    wrong = [Problem(name, "is a missing column", "add it", path.name) for name in columns if names.count(name) != 1]
    wrong += [Problem(n, "is an unknown column", "remove it", path.name) for n in names if n not in columns]
    wrong += [
        Problem(name, f"is of type {table.schema.field(name).type}, must be string", "store text", path.name)
        for name in columns
        if names.count(name) == 1
        and not (
            pa.types.is_string(table.schema.field(name).type) or pa.types.is_large_string(table.schema.field(name).type)
        )
    ]
    if wrong:
        problems += wrong
        return []
    values = [[NULL if value is None else str(value) for value in table[name].to_pylist()] for name in columns]
    return list(enumerate(zip(*values, strict=True), start=1))
