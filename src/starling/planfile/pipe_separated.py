r"""Small public tables: pipe-delimited text with a header, as the Census Bureau writes it, or the same columns as Parquet.

Text is split on `|` and nothing else: no quoting, no escapes, no guessing of types. Lines end with `\n`, an optional `\r`
before it; blank lines are skipped, as the production system does; a UTF-8 byte order mark at the start is passed over. Columns
stand in the order of the schema: the production system reads them by position, so a file in another order means one thing there
and another here, and is refused.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from starling.errors import PlanError, Problem
from starling.planfile.foreign import opened

Record: TypeAlias = tuple[int, tuple[str, ...]]
"""Line (text: the header is line 1; Parquet: rows from 1) and its fields."""

NULL = "Null"
LONGEST_FILE = 64 * 2**20
"""Bytes of a definitions file; the production ones are under 1 MiB."""
LONGEST_LINE = 2**16
"""Bytes of a line of text."""
MARK = b"\xef\xbb\xbf"
"""A UTF-8 byte order mark, which some editors put at the start of a file."""


def header_problems(
    names: Sequence[str], columns: Sequence[str], *, ordered: bool, more: bool = False
) -> list[tuple[str, str, str]]:
    """Field, problem and fix of all that is wrong with a header.

    Args:
        names: The columns that the header names.
        columns: The columns that it should name.
        ordered: Whether they must stand in the order of `columns`.
        more: Whether other columns may stand among them, which nobody reads.
    """
    wanted = "|".join(columns)
    wrong = [(name, "is a missing column", f"the columns are {wanted}") for name in columns if name not in names]
    for name in dict.fromkeys(names):
        if name not in columns:
            if more:
                continue
            shown = name[:40] if name.isprintable() and name.strip() else "header"
            wrong.append((shown, "is an unknown column", f"the columns are {wanted}"))
        elif list(names).count(name) > 1:
            wrong.append((name, "is there twice", f"the columns are {wanted}"))
    if ordered and not wrong and [name for name in names if name in columns] != list(columns):
        wrong.append(("header", "has the columns in another order", f"write {wanted}"))
    return wrong


def text_records(
    file: BinaryIO, name: str, columns: Sequence[str], problems: list[Problem], *, more: bool = False
) -> Iterator[Record]:
    """The records of an open text file that have the right number of fields, in the order of the file.

    Args:
        file: The open file, at its beginning.
        name: The name of the file, for messages.
        columns: The fields of each record that is given, in order.
        problems: What is wrong with the file is appended here.
        more: Whether other columns may stand among these; they are left out of the records.
    """
    positions, width = list(range(len(columns))), len(columns)
    for line, content in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=1):
        if len(content) >= LONGEST_LINE and not content.endswith(b"\n"):
            problems.append(Problem("line", f"is longer than {LONGEST_LINE} bytes", "correct it", name, line))
            return
        written = content.removeprefix(MARK if line == 1 else b"").removesuffix(b"\n").removesuffix(b"\r")
        try:
            fields = tuple(written.decode("utf-8").split("|"))
        except UnicodeDecodeError:
            problems.append(Problem("line", "is not UTF-8", "save the file as UTF-8", name, line))
            continue
        if line == 1:
            wrong = header_problems(fields, columns, ordered=True, more=more)
            if wrong:
                problems += [Problem(*one, name, 1) for one in wrong]
                return
            positions, width = [fields.index(column) for column in columns], len(fields)
        elif fields == ("",):
            continue
        elif len(fields) != width:
            problem = f"has {len(fields)} fields, must have {width}"
            problems.append(Problem("line", problem, "write the fields that the header names", name, line))
        else:
            yield line, tuple(fields[position] for position in positions)


def parquet_columns(path: Path, columns: Sequence[str], *, more: bool = False) -> pa.Table:
    """The columns of a Parquet file or folder, as strings; null is `Null`. With `more`, other columns may be there, unread.

    Raises:
        PlanError: when it is not Parquet, or the columns are not these, or not text.
    """
    try:
        schema = pq.read_schema(next(iter(sorted(path.rglob("*.parquet")))) if path.is_dir() else path)
        wrong = header_problems(schema.names, columns, ordered=False, more=more)
        for name in columns:
            if not wrong and not is_text(schema.field(name).type):
                wrong.append((name, f"is of type {schema.field(name).type}", "store it as text"))
        if wrong:
            raise PlanError(problems=[Problem(*one, path.name) for one in wrong])
        table = pq.read_table(path, columns=list(columns))
        return pa.table({name: table[name].cast(pa.string()).fill_null(NULL) for name in columns})
    except (OSError, pa.ArrowException, ValueError, StopIteration):
        problem = Problem("file", "is not readable as Parquet", "write it again as Parquet", path.name)
        raise PlanError(problems=[problem]) from None


def is_text(kind: pa.DataType) -> bool:
    """Whether a column is of strings in any layout. Numbers are not: they have lost the leading zeros that are part of a code."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def read_table(folder: Path, stem: str, columns: Sequence[str], problems: list[Problem]) -> tuple[str, list[Record]]:
    """All records of `stem`.txt or `stem`.parquet.

    Args:
        folder: Where it lies.
        stem: File name without its ending.
        columns: Names, in the order of the schema.
        problems: What is wrong with the file is appended here.

    Returns:
        File name for messages, and the records that have the right number of fields.
    """
    text, parquet = folder / f"{stem}.txt", folder / f"{stem}.parquet"
    paths = [path for path in (text, parquet) if path.exists()]
    if len(paths) != 1:
        problem = "is there as text and as Parquet, which may differ" if paths else "is missing"
        problems.append(Problem("file", problem, f"put either {text.name} or {parquet.name} there", text.name))
        return text.name, []
    path = paths[0]
    try:
        with opened(path, LONGEST_FILE) as file:
            if path == parquet:
                values = parquet_columns(path, columns).to_pydict()
                return path.name, list(enumerate(zip(*(values[name] for name in columns), strict=True), start=1))
            records = list(text_records(file, path.name, columns, problems))
            if file.tell() == 0:
                problems.append(Problem("file", "is empty", f"write {'|'.join(columns)} first", path.name))
            return path.name, records
    except PlanError as error:
        problems += error.problems
    except OSError as error:
        problems.append(Problem("file", f"cannot be read ({error.strerror})", "check the path", path.name))
    return path.name, []
