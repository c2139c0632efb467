"""The columns of a plan file about custom records: `[[columns]]` with their public domains (docs/reference/plan-file.md)."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Final

from starling.errors import PlanError, Problem
from starling.planfile.foreign import content
from starling.planfile.public_text import public_text
from starling.planfile.toml import Section
from starling.tables.plan.columns import (
    MOST_PLACES,
    MOST_SEVERAL,
    Codes,
    Column,
    Decimals,
    Domain,
    Integers,
    Periods,
)
from starling.text_format import TextFormat

MOST_WRITTEN: Final = 10**18
"""The largest whole number that is read, so that larger ones than are possible are refused with what to do."""
LONGEST_FILE: Final = 1 << 28
"""Bytes of a public file of values or areas."""

_COLUMN: Final = (
    "name",
    "fields",
    "values",
    "file",
    "other",
    "from",
    "to",
    "decimals",
    "unit",
    "periods",
    "separator",
    "most",
)

_OF_SOME: Final = frozenset(("other", "to", "decimals", "unit"))
_OF_A_DOMAIN: Final = {
    "values": frozenset(("other",)),
    "file": frozenset(("other",)),
    "from": frozenset(("to", "decimals", "unit")),
    "periods": frozenset[str](),
}
"""The key that says what a domain is, and which of the keys _OF_SOME go with it."""


def read_column(section: Section, folder: Path, form: TextFormat) -> Column | None:
    """One of [[columns]]; None after a refusal."""
    section.only(_COLUMN)
    before = len(section.problems)
    name = section.text("name", "write the name of the attribute, which is that of its column in the records")
    fields = (
        section.texts("fields", "list the columns of the records that say it") if "fields" in section.values else []
    )
    separator, most = _several(section, fields)
    try:
        domain = _domain(section, folder, form)
        return Column(name, domain, tuple(fields), separator, most) if len(section.problems) == before else None
    except PlanError as error:
        section.problems.extend(replace(problem, file=section.file) for problem in _named(name, error.problems))
        return None


def _named(name: str, problems: Sequence[Problem]) -> list[Problem]:
    """Problems of a domain, with the column that has it."""
    return [each if name in each.field else replace(each, field=f"column {name}: {each.field}") for each in problems]


def _several(section: Section, fields: list[str]) -> tuple[str, int]:
    """The separator of several values, and the most that are read of a record."""
    fix = 'write the one mark between values, such as ";"'
    separator = section.text("separator", fix) if "separator" in section.values else ""
    if not separator and len(fields) < 2:
        if "most" in section.values:
            section.refuse("most", "is of a column of several values", 'add separator = ";" or fields, or leave it out')
        return separator, 1
    return separator, section.whole("most", 1, MOST_SEVERAL)


def _domain(section: Section, folder: Path, form: TextFormat) -> Domain:
    kinds = [key for key in ("values", "file", "from", "periods") if key in section.values]
    if len(kinds) != 1:
        fix = 'give values = ["a", "b"], or file = "codes.csv", or from = 0 and to = 110, or periods = ["2024-01-01", "2025-01-01"]'
        section.refuse("name", "has no domain, or two", fix)
        return Integers(0, 1)
    for key in sorted(_OF_A_DOMAIN[kinds[0]].symmetric_difference(_OF_SOME) & section.values.keys()):
        section.refuse(key, f"does not go with {kinds[0]}", "leave it out")
    if kinds == ["from"] and ("decimals" in section.values or "unit" in section.values):
        return _decimals(section)
    if kinds == ["from"]:
        low = section.whole("from", -MOST_WRITTEN, MOST_WRITTEN - 1)
        return Integers(low, section.whole("to", low + 1, MOST_WRITTEN))
    if kinds == ["periods"]:
        return Periods(
            tuple(
                section.texts("periods", 'list when each begins, and when the last ends: ["2024-01-01", "2025-01-01"]')
            )
        )
    values = _codes(section, folder, form) if kinds == ["file"] else _values(section)
    other = section.text("other", "name the value that stands for all others") if "other" in section.values else ""
    return Codes(tuple(values), other)


def _decimals(section: Section) -> Decimals:
    """Numbers with digits after the point, or rounded to a unit, between two bounds."""
    if "unit" in section.values and "decimals" in section.values:
        section.refuse("unit", "stands beside decimals", "give one of the two")
    places = section.whole("decimals", 0, MOST_PLACES) if "decimals" in section.values else -_zeros(section)
    fix = 'write a whole number, or a text such as "1.25"'
    bounds = [section.number(key, fix) for key in ("from", "to")]
    low, high = (0 if bound is None else in_units(bound, places) for bound in bounds)
    if low is None or high is None:
        if "unit" in section.values:
            section.refuse("unit", "does not divide the bounds", "round the bounds to it")
        else:
            section.refuse("decimals", "are fewer than the bounds have", "state as many, or round the bounds")
        return Decimals(0, 1, places)
    return Decimals(low, high, places) if None not in bounds else Decimals(0, 1, places)


def _zeros(section: Section) -> int:
    """The zeros of the unit to which numbers are rounded."""
    unit = section.whole("unit", 10, 10**MOST_PLACES)
    zeros = len(str(unit)) - 1
    if unit != 10**zeros:
        section.refuse("unit", "is no power of ten", "write 10, 100, 1_000 or another one")
    return zeros


def in_units(number: Fraction, places: int) -> int | None:
    """A number in units of its last place; None where it has more places.

    >>> in_units(Fraction("1.25"), 2), in_units(Fraction("1.25"), 1), in_units(Fraction(5000), -3)
    (125, None, 5)
    """
    scaled = number * Fraction(10) ** places
    return int(scaled) if scaled.denominator == 1 else None


def _values(section: Section) -> list[tuple[str, str]]:
    """Codes that stand in the plan: a list, or a table with the text of each."""
    stated = section.values["values"]
    if isinstance(stated, dict) and stated and all(isinstance(text, str) for text in stated.values()):
        return list(stated.items())
    return [(code, code) for code in section.texts("values", 'list the values, such as ["F", "M"]')]


def _codes(section: Section, folder: Path, form: TextFormat) -> list[tuple[str, str]]:
    """Codes and texts of a public CSV file: its first column and, where there is one, its second."""
    rows = read_table(section, folder, form)
    if rows and not 1 <= len(rows[0]) <= 2:
        section.refuse("file", "is of a table of other columns than code and text", "give one or two columns")
        return []
    return [(row[0], row[-1]) for row in rows[1:]]


def read_table(section: Section, folder: Path, form: TextFormat) -> list[list[str]]:
    """The rows of a public CSV file, plain or as `form` says, its header first, all of one length; none after a refusal."""
    name = section.text("file", "name a CSV file beside the plan")
    try:
        text, mark = public_text(content(folder / name, LONGEST_FILE) if name else b"", form)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or f"not {form.encoding.upper()}"
        section.refuse("file", f"cannot be read ({reason})", "give its path from the plan file, saved as UTF-8")
        return []
    rows = [[field.strip() for field in row] for row in csv.reader(text.splitlines(), delimiter=mark) if row]
    wrong = next((line for line, row in enumerate(rows, 1) if len(row) != len(rows[0])), None)
    if len(rows) < 2 or wrong is not None:
        at = f"in row {wrong} another number of fields than its header" if wrong else "nothing but a header"
        section.refuse("file", f"has {at}", "write a header, then a row each")
        return []
    return rows
