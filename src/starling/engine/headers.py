"""Why a file is not the text that a plan reads, as its first bytes and its header tell.

Its form and the names that the plan reads are public. What else the first line says is told to nobody: it may be a record.
"""

import codecs
import difflib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from starling.engine.delimited import MARK, first_record, header_of, order_mark
from starling.engine.record_files import refuse
from starling.errors import Problem, SourceError, plain
from starling.text_format import NAMED, TextFormat

_AS_UTF_16: Final = 'state encoding = "utf-16" below [format] of the plan, or save it as CSV in UTF-8'
_KINDS: Final = (
    ((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "is UTF-16, as Unicode text of a spreadsheet is", _AS_UTF_16),
    (
        b"\xd0\xcf\x11\xe0",
        "is a workbook of Excel 97 to 2003, or has a password",
        "save it as .xlsx without one, or as CSV in UTF-8",
    ),
    (b"\x1f\x8b", "is compressed (gzip), or an .rds of R", "unpack it, or write CSV or Parquet"),
    (b"BZh", "is compressed (bzip2)", "unpack it"),
    (b"\xfd7zXZ", "is compressed (xz)", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "is compressed (zstd)", "unpack it"),
    ((b"$FL2", b"$FL3"), "is a file of SPSS", "export it as CSV in UTF-8, or write Parquet"),
    (b"<stata_dta>", "is a file of Stata", "export it as CSV in UTF-8, or write Parquet"),
    (b"\x00" * 12 + b"\xc2\xea\x81\x60", "is a file of SAS", "export it as CSV in UTF-8, or write Parquet"),
    (
        b"sep=",
        "begins with a line sep=, which only Excel reads",
        "remove that line, and state the separator in [format]",
    ),
)
_JSON: Final = re.compile(rb"\s*(?:\[\s*[\[{]|\{\s*\"|[\[{]\s*$)")
SEPARATORS: Final = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "bars"}
_ORDERS: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_SHOWN: Final = 12
"""Columns of a file that a message names."""
_NAME: Final = 60


def text_header(path: Path, text: bytes, columns: Sequence[str], form: TextFormat) -> tuple[str, ...]:
    """The names in the first record of a text.

    Raises:
        SourceError: it is no text, has none, or is separated by other marks.
    """
    line = first_record(text, form)
    narrow = line.decode(form.encoding, "replace").encode() if form.wide else line
    for begin, problem, fix in _KINDS:
        if narrow.removeprefix(MARK).startswith(begin):
            refuse(path, problem, fix)
    if b"\x00" in narrow:
        fix = 'state encoding = "utf-16-le" or "utf-16-be" below [format] of the plan, or save it as CSV in UTF-8'
        refuse(path, "is no text, or is UTF-16", fix)
    if not narrow.removeprefix(MARK).strip():
        refuse(path, "has no header: its first line is empty", "give a file whose first line names its columns")
    try:
        header = header_of(line, form)
    except UnicodeDecodeError:
        fix = 'save it as UTF-8, or state encoding = "cp1252" or another below [format] of the plan'
        refuse(path, f"has a header that is not {form.encoding.upper()}", fix)
    if not set(columns) <= set(header):
        if _JSON.match(narrow.removeprefix(MARK)):
            refuse(path, "is JSON", "write its records as CSV in UTF-8 or as Parquet")
        for mark, name in SEPARATORS.items():
            others = header_of(line, TextFormat(_stated(mark), encoding=form.encoding))
            if len(others) > len(header) and len({*columns} & {*others}) > len({*columns} & {*header}):
                refuse(
                    path, f"is separated by {name}", f'state separator = "{_stated(mark)}" below [format] of the plan'
                )
    return header


def resolved(path: Path, text: bytes, form: TextFormat) -> TextFormat:
    """The format with the byte order of UTF-16, which a mark at the start of a file says; raises SourceError where there is none."""
    if form.encoding != "utf-16":
        return form
    mark = order_mark(text, form)
    if not mark:
        fix = 'state encoding = "utf-16-le" or "utf-16-be" below [format] of the plan, or what else it is'
        refuse(path, "does not begin with the mark of UTF-16", fix)
    return replace(form, encoding=_ORDERS[mark])


def _stated(mark: str) -> str:
    """How a plan states a separator."""
    return next((word for word, each in NAMED.items() if each == mark), mark)


def check_columns(path: Path, columns: Sequence[str], names: Sequence[str], fix: str, *, named: bool = False) -> None:
    """Raises SourceError, with every fault, unless each of the columns is there once.

    Args:
        path: The file, for messages.
        columns: Those that are read.
        names: What the file has in their place.
        fix: What to do about a column that is there twice.
        named: Whether these are names whatever the file holds, as in a schema. Of a file without a header the first line is somebody's
            record: of it nothing is told but what is the name of a column that is read, perhaps written otherwise.
    """
    wording = _in_schema if named else partial(_in_first_line, columns)
    SourceError.check(
        Problem(name, "is there more than once", fix, path.name)
        if name in names
        else Problem(name, "is a missing column", wording(name, names), path.name)
        for name in columns
        if list(names).count(name) != 1
    )


def _in_first_line(columns: Sequence[str], name: str, names: Sequence[str]) -> str:
    """What the first line of a file has in place of a column, and nothing else that it says."""
    if alike := _alike(name, names):
        return f"did you mean {_meant(name, alike[0])}?"
    if present := [each for each in columns if each in names]:
        return f"of the columns that are read the first line has {', '.join(map(plain, present))} alone"
    header = f"or write their names above the records, {', '.join(columns)}"
    return f"the first line has no column that is read: name columns as the file does, {header}"


def _in_schema(name: str, names: Sequence[str]) -> str:
    """What a table has in place of a column."""
    near = _alike(name, names) or difflib.get_close_matches(name[:_NAME], [each[:_NAME] for each in names if each], n=1)
    shown = [plain(each[:_NAME]) or '""' for each in names[:_SHOWN]]
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    there = f"there are {', '.join(shown)}{more}"
    return f"{there}: did you mean {_meant(name, near[0])}?" if near else f"{there}: name one of them {plain(name)}"


def _alike(name: str, names: Sequence[str]) -> list[str]:
    """The names that differ in what is easily overlooked."""
    return [each for each in names if _folded(name) and _folded(each) == _folded(name)]


def _meant(name: str, near: str) -> str:
    other = unicodedata.normalize("NFC", near) == unicodedata.normalize("NFC", name)
    return f"{plain(near[:_NAME])}{', in another Unicode form' if other else ''}"


def _folded(name: str) -> str:
    """A name without what is easily overlooked: case, Unicode form, and characters that are not letters or digits."""
    return "".join(each for each in unicodedata.normalize("NFKC", name).casefold() if each.isalnum())
