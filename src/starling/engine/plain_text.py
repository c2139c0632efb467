"""Numbers and times as text writes them by the marks and the form that a plan states (text_format.py), written plainly.

Each text follows the rule by itself. One that is no number or no time by what the plan states becomes NOTHING, whatever it is otherwise:
where a comma stands before decimals, 1.5 is no number. What is missing stays missing.
"""

import re
from functools import lru_cache
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.delimited import labels, plain
from starling.text_format import THOUSANDS, TextFormat

NAN: Final = pa.array([b"nan", b"NaN", b"NAN"], pa.binary())
"""How programs write that there is no number."""
NOTHING: Final = pa.scalar(b"?", pa.binary())
"""Stands for a text that is no number, or no time."""
_MISSING: Final = pa.scalar(None, pa.binary())
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_GROUPS: Final = {
    "Y": "[0-9]{4}",
    "b": f"(?i:{'|'.join(_MONTHS)})",
    "f": "[0-9]+",
    "p": "(?i:am|pm)",
    **dict.fromkeys("ymdHIMS", "[0-9]{1,2}"),
}
_DIGITS: Final = "YymdHIMSf"


def plain_numbers(texts: pa.Array, form: TextFormat) -> pa.Array:
    """Labels in which numbers have no marks between thousands, and a point before decimals."""
    if form.plain_numbers:
        return texts
    mark, thousands = rf"\{form.decimal}", THOUSANDS[form.thousands]
    whole = f"(?:[0-9]{{1,3}}(?:{thousands}[0-9]{{3}})+|[0-9]+)" if thousands else "[0-9]+"
    number = rf"^[+-]?(?:{whole}(?:{mark}[0-9]*)?|{mark}[0-9]+)(?:[eE][+-]?[0-9]+)?$"
    fits = pc.match_substring_regex(texts, number)
    numbers = pc.replace_substring_regex(texts, thousands, "") if thousands else texts
    numbers = pc.replace_substring(numbers, form.decimal, ".")
    none = pc.if_else(pc.is_in(texts, NAN), texts, NOTHING)
    return pc.if_else(texts.is_null(), _MISSING, pc.if_else(fits, numbers, none))


def numbers_of(column: pa.ChunkedArray | pa.Array, form: TextFormat) -> pa.Array:
    """A column of numbers of any type, its texts written plainly; bytes where it has no value at all."""
    array = plain(column)
    if pa.types.is_null(array.type):
        array = array.cast(pa.binary())
    typed = pa.types.is_integer(array.type) or pa.types.is_floating(array.type) or pa.types.is_decimal(array.type)
    return array if typed or form.plain_numbers else plain_numbers(labels(array), form)


def times_of(column: pa.ChunkedArray | pa.Array, form: TextFormat) -> pa.Array:
    """A column of times of any type, its texts written as in ISO 8601."""
    array = plain(column)
    if not form.dates or pa.types.is_timestamp(array.type) or pa.types.is_date(array.type):
        return array
    return _plain_times(labels(array), form.dates)


def _plain_times(texts: pa.Array, dates: str) -> pa.Array:
    """Labels of times of a form, as in ISO 8601."""
    fields = pc.extract_regex(texts, _pattern(dates))
    parts = {each.name: pc.struct_field(fields, each.name).cast(pa.string()) for each in fields.type}
    fits = fields.is_valid()
    if "y" in parts:
        century = pc.if_else(pc.greater_equal(parts["y"], "69"), "19", "20")
        parts["Y"] = pc.binary_join_element_wise(century, parts["y"], "")
    if "b" in parts:
        place = pc.index_in(pc.ascii_lower(parts["b"]), pa.array(_MONTHS))
        parts["m"] = pc.add(place, 1).cast(pa.string())
    if "I" in parts:
        hour, late = parts["I"].cast(pa.int64()), pc.equal(pc.ascii_lower(parts["p"]), "pm")
        fits = pc.and_(fits, pc.and_(pc.greater_equal(hour, 1), pc.less_equal(hour, 12)).fill_null(False))
        half = pc.if_else(pc.equal(hour, 12), 0, hour)
        parts["H"] = pc.add(half, pc.if_else(late, 12, 0)).cast(pa.string())
    two = {name: pc.utf8_lpad(each, 2, "0") for name, each in parts.items() if name in "mdHMS"}
    day = pc.binary_join_element_wise(parts["Y"], two["m"], two["d"], "-")
    if "H" in two:
        clock = pc.binary_join_element_wise(two["H"], two.get("M", "00"), two.get("S", "00"), ":")
        day = pc.binary_join_element_wise(day, clock, "T")
    if "f" in parts:
        day = pc.binary_join_element_wise(day, parts["f"], ".")
    return pc.if_else(texts.is_null(), _MISSING, pc.if_else(fits, day.cast(pa.binary()), NOTHING))


@lru_cache(maxsize=16)
def _pattern(dates: str) -> str:
    """A form of dates as a regular expression with a group for each of its directives."""
    pieces = re.findall("%.|[^%]+", dates)
    groups = []
    for before, piece, after in zip(["", *pieces], pieces, [*pieces[1:], ""], strict=False):
        name = piece[1:]
        if piece == "%%" or not piece.startswith("%"):
            groups.append(re.escape(piece[-1:] if piece == "%%" else piece))
            continue
        # Without a mark between them, numbers have all their digits.
        adjacent = any(each.startswith("%") and each[1:] in _DIGITS for each in (before, after))
        group = "[0-9]{2}" if (adjacent and name in "mdHIMS") or name == "y" else _GROUPS[name]
        groups.append(f"(?P<{name}>{group})")
    return f"^{''.join(groups)}$"
