"""Text whose marks, dates and encoding the plan declares: the formats that are tried, and right values written in them."""

import re
from contextlib import suppress
from dataclasses import fields
from datetime import datetime
from typing import Final

from starling.text_format import NAMED, PLAIN, TextFormat

FORMATS: Final = {
    "semicolons": TextFormat(";", ",", ".", "%d.%m.%Y", "cp1252"),
    "tabs": TextFormat("tab", ".", "space", "%b %d %Y %I:%M:%S.%f %p", "big5hkscs", "data"),
    "unicode": TextFormat("tab", encoding="utf-16"),
    "pipes": TextFormat("|", ",", "'", "%y%m%d %H%M", "koi8-r"),
}
"""Formats that plans declare, by the names that forms of files have (forms.py)."""
SHEET: Final = "data"
"""The sheet of a workbook that has the records."""


def section(form: TextFormat) -> str:
    """`[format]` of a plan file; nothing for the usual format."""
    stated = [(each.name, getattr(form, each.name)) for each in fields(form)]
    lines = [f'{name} = "{value}"\n' for name, value in stated if value != getattr(PLAIN, name)]
    return "".join(["[format]\n", *lines]) if lines else ""


def written(text: bytes, form: TextFormat) -> bytes:
    """A right value, which is written plainly, in a format; any other text in its encoding, but for UTF-16 (`encoded`)."""
    plain = text.decode("utf-8", "replace")
    if number := re.fullmatch(r"([+-]?)(\d+)(?:\.(\d+))?", plain):
        sign, whole, decimals = number.groups()
        mark = NAMED.get(form.thousands, form.thousands)
        digits = f"{int(whole):,}".replace(",", mark) if mark and not whole.startswith("0") else whole
        plain = sign + digits + (form.decimal + decimals if decimals else "")
    elif form.dates:
        with suppress(ValueError):
            plain = datetime.fromisoformat(plain).strftime(form.dates)
    return plain.encode() if form.wide else form.encode(plain)


def encoded(text: bytes, form: TextFormat) -> bytes:
    """A whole file: of UTF-16 from UTF-8, of others as it is."""
    return form.beginning + form.encode(text.decode("utf-8", "replace")) if form.wide else text
