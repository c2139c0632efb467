"""The columns of a plan file about custom records: `[[columns]]` with their public domains."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, Final

from starling.errors import PlanError
from starling.planfile.foreign import content
from starling.planfile.grammar import Key, Kind, Schema, Table, Values
from starling.planfile.kinds import EXACT, TEXTS, WHOLES, text, texts, unread, whole
from starling.planfile.public_text import public_text
from starling.planfile.toml import Section
from starling.planfile.values import exact_text
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
from starling.text_format import PLAIN, TextFormat

MOST_WRITTEN: Final = 10**18
"""The largest whole number that is read, so that larger ones than are possible are refused with what to do."""
LONGEST_FILE: Final = 1 << 28
"""Bytes of a public file of values or areas."""

_OF_SOME: Final = frozenset(("other", "to", "decimals", "unit"))
_OF_A_DOMAIN: Final = {
    "values": frozenset(("other",)),
    "file": frozenset(("other",)),
    "from": frozenset(("to", "decimals", "unit")),
    "periods": frozenset[str](),
}
"""The key that says what a domain is, and which of the keys _OF_SOME go with it."""


def _check_column(section: Section, values: Values) -> None:
    """The `column` that the keys state; None after a refusal."""
    before = len(section.problems)
    name, fields, separator = values["name"], values["fields"], values["separator"]
    most = 1
    if separator or len(fields) > 1:
        most = section.whole("most", 1, MOST_SEVERAL)
    elif "most" in section.values:
        section.refuse("most", "is of a column of several values", 'add separator = ";" or fields, or leave it out')
    values["column"] = None
    try:
        domain = _domain(section, values["folder"], values["format"] or PLAIN)
        if len(section.problems) == before and name:
            values["column"] = Column(name, domain, fields, separator, most)
    except PlanError as error:
        for each in error.problems:
            field = each.field if name in each.field else f"column {name}: {each.field}"
            section.problems.append(replace(each, field=field, file=section.file))


def _domain(section: Section, folder: Path, form: TextFormat) -> Domain:
    kinds = [key for key in _OF_A_DOMAIN if key in section.values]
    if len(kinds) != 1:
        fix = 'give values = ["a", "b"], or file = "codes.csv", or from = 0 and to = 110, or periods = ["2024-01-01", "2025-01-01"]'
        section.refuse("name", "has no domain, or two", fix)
        return Integers(0, 1)
    (kind,) = kinds
    for key in sorted(_OF_A_DOMAIN[kind].symmetric_difference(_OF_SOME) & section.values.keys()):
        section.refuse(key, f"does not go with {kind}", "leave it out")
    if kind == "from" and ("decimals" in section.values or "unit" in section.values):
        return _decimals(section)
    if kind == "from":
        low = section.whole("from", -MOST_WRITTEN, MOST_WRITTEN - 1)
        return Integers(low, section.whole("to", low + 1, MOST_WRITTEN))
    if kind == "periods":
        fix = 'list when each begins, and when the last ends: ["2024-01-01", "2025-01-01"]'
        return Periods(tuple(section.texts("periods", fix)))
    codes = _codes(section, folder, form) if kind == "file" else _values(section)
    other = section.text("other", "name the value that stands for all others") if "other" in section.values else ""
    return Codes(tuple(codes), other)


def _decimals(section: Section) -> Decimals:
    """Numbers with digits after the point, or rounded to a unit, between two bounds."""
    if "unit" in section.values and "decimals" in section.values:
        section.refuse("unit", "stands beside decimals", "give one of the two")
    if "decimals" in section.values:
        places = section.whole("decimals", 0, MOST_PLACES)
    else:
        unit = section.whole("unit", 10, 10**MOST_PLACES)
        places = 1 - len(str(unit))
        if unit != 10**-places:
            section.refuse("unit", "is no power of ten", "write 10, 100, 1_000 or another one")
    bounds = [section.number(key, 'write a whole number, or a text such as "1.25"') for key in ("from", "to")]
    low, high = (0 if bound is None else in_units(bound, places) for bound in bounds)
    if low is None or high is None:
        if "unit" in section.values:
            section.refuse("unit", "does not divide the bounds", "round the bounds to it")
        else:
            section.refuse("decimals", "are fewer than the bounds have", "state as many, or round the bounds")
    elif None not in bounds:
        return Decimals(low, high, places)
    return Decimals(0, 1, places)


def in_units(number: Fraction, places: int) -> int | None:
    """A number in units of its last place; None where it has more places.

    >>> in_units(Fraction("1.25"), 2), in_units(Fraction("1.25"), 1), in_units(Fraction(5000), -3)
    (125, None, 5)
    """
    scaled = number * Fraction(10) ** places
    return int(scaled) if scaled.denominator == 1 else None


def number_text(units: int, places: int) -> str | int:
    """A number in units of its last place as a plan file states it."""
    return exact_text(units / Fraction(10) ** places) if places else units


def _values(section: Section) -> list[tuple[str, str]]:
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


def _domain_values(domain: Domain) -> dict[str, Any]:
    """The keys that state a domain."""
    match domain:
        case Codes():
            named = any(code != text for code, text in domain.values)
            values = dict(domain.values) if named else list(domain.codes)
            return {"values": values, "other": domain.other or None}
        case Integers():
            return {"from": domain.low, "to": domain.high}
        case Decimals():
            low, high = (exact_text(bound / Fraction(10) ** domain.places) for bound in (domain.low, domain.high))
            rounded = {"decimals": domain.places} if domain.places >= 0 else {"unit": 10**-domain.places}
            return {"from": low, "to": high, **rounded}
    return {"periods": list(domain.edges)}


def _of_domain(key: str, column: Column) -> Any:
    return _domain_values(column.domain).get(key)


_NAMED: Final = {"anyOf": [TEXTS, {"type": "object", "additionalProperties": {"type": "string"}}]}
_EXACT: Final = Kind("exact number", EXACT, lambda *_: {})
_DOMAIN: Final[dict[str, tuple[str, Kind]]] = {
    "values": (
        "The values as a list, or codes with their texts.",
        Kind("list of texts, or table", _NAMED, lambda *_: {}),
    ),
    "file": ("Instead: a public CSV file of the codes, with their texts in a second column.", text("")),
    "other": ("One of the values, which a record has whose field is missing or says none of them.", text("")),
    "from": ("Instead: the least number, a whole one unless the column has decimals.", _EXACT),
    "to": ("The largest number.", _EXACT),
    "decimals": (
        "How many digits after the point are kept of numbers that sums and quantiles are made of.",
        whole(0, MOST_PLACES),
    ),
    "unit": (
        "In place of decimals: the power of ten to which such numbers are rounded; it divides the bounds.",
        whole(10, 10**MOST_PLACES),
    ),
    "periods": ("Instead: dates at which periods begin, and at which the last one ends.", texts("")),
}
"""What each key of a domain means, and its kind of values."""
COLUMN: Final = Table(
    {
        "name": Key(
            "The attribute; by default the column of the records that says it.",
            text("write the name of the attribute, which is that of its column in the records"),
        ),
        "fields": Key(
            "The columns that say it, where they are called otherwise or are several.",
            texts("list the columns of the records that say it"),
            default=(),
            value=lambda column: None if column.fields == (column.name,) else column.fields,
        ),
        **{
            key: Key(what, unread(kind), default={}, value=partial(_of_domain, key))
            for key, (what, kind) in _DOMAIN.items()
        },
        "separator": Key(
            "The mark between several values in a field.",
            text('write the one mark between values, such as ";"'),
            default="",
        ),
        "most": Key(
            "How many different values are read of a record, the first.",
            unread(whole(1, MOST_SEVERAL)),
            default={},
            value=lambda column: column.most if column.several else None,
        ),
    },
    check=_check_column,
)


def by_name(each: Schema) -> Schema:
    """A table of names that are no keys."""
    return {"type": "object", "additionalProperties": each}


def lists_by_name(what: type, schema: Schema, problem: str, fix: str) -> Kind:
    """A table of lists of whole numbers or of texts, by names."""

    def read(section: Section, key: str, _: Values) -> dict[str, Any]:
        value = section.values[key]
        if isinstance(value, dict) and all(
            isinstance(each, list) and all(type(one) is what for one in each) for each in value.values()
        ):
            return value
        section.refuse(key, problem, fix)
        return {}

    return Kind("inline table of lists", by_name(schema), read, lambda value: value or None)


CUTS: Final = lists_by_name(
    int, WHOLES, "says no whole numbers of the columns", "write it like cuts = { age = [0, 18, 65] }"
)
"""Where classes of whole numbers begin, by columns."""


def stated_cuts(columns: Sequence[str], cuts: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    """What CUTS writes of the cuts of columns."""
    return {name: list(lows) for name, lows in zip(columns, cuts, strict=True) if lows}
