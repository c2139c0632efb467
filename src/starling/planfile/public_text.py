"""Public CSV files that a plan names: UTF-8 with commas, or as `[format]` of the plan says its records.

A file is taken as the format says where it is not UTF-8, or where the first line has the format's separator and no comma. So a plan may
name the office's own file beside records of the same habits, and a plan whose public files are plain reads them as ever.
"""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from starling.errors import PlanError, Problem
from starling.planfile.foreign import content
from starling.text_format import PLAIN, TextFormat


def public_text(data: bytes, form: TextFormat = PLAIN) -> tuple[str, str]:
    """The text of a public file and the mark between its fields.

    Raises:
        UnicodeDecodeError: it is neither UTF-8 nor in the encoding of the format.

    >>> public_text("größe;text".encode("cp1252"), TextFormat(";", encoding="cp1252"))
    ('größe;text', ';')
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    if not text or "\x00" in text:
        text = data.decode(form.encoding).removeprefix("\ufeff")
    return text, mark_of(text, form)


def mark_of(text: str, form: TextFormat) -> str:
    """The mark between fields of a text, as its first line has it."""
    header = text.partition("\n")[0]
    return form.mark if form.mark in header and "," not in header else ","


def public_rows(
    path: Path, most: int, form: TextFormat, field: str, columns: Sequence[str]
) -> list[tuple[int, dict[str, str]]]:
    """The rows of a public CSV file below its header, each with its line and its fields by the names of their columns.

    Args:
        path: The file.
        most: The most bytes that it may have.
        form: The format of the plan.
        field: What messages call the file.
        columns: Those that it must have; others may stand among them.

    Raises:
        PlanError: it cannot be read, lacks a column, has one twice, or is no CSV.
    """
    header = ",".join(columns)
    try:
        text, mark = public_text(content(path, most), form)
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or f"not {form.encoding.upper()}"
        problem = Problem(field, f"cannot be read ({reason})", f"name a CSV file: {header}", path.name)
        raise PlanError(problems=[problem]) from None
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    try:
        names, fix = next(lines, []), f"write the header {header}"
        missing = [name for name in columns if names.count(name) != 1]
        if missing:
            raise PlanError(problems=[Problem(name, "is a missing column", fix, path.name, 1) for name in missing])
        return [(lines.line_num, dict(zip(names, row, strict=False))) for row in lines if row]
    except csv.Error:
        raise PlanError(problems=[Problem(field, "is not CSV", "correct it", path.name, lines.line_num)]) from None
