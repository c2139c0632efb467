"""`[format]` of a plan file: how text says its records (text_format.py), where that is not as usual."""

from collections.abc import Callable
from typing import Final

from starling.planfile.grammar import Key, Kind, Table, Values
from starling.planfile.kinds import table
from starling.planfile.toml import Section
from starling.text_format import NAMED, PLAIN, TextFormat, encoding_of

_NAMES: Final = {mark: name for name, mark in NAMED.items()}


def _mark(example: str) -> Kind:
    """A text that may be empty; a mark that is not printed is known by its name."""

    def read(section: Section, key: str, _: Values) -> str:
        value = section.values[key]
        if isinstance(value, str) and (value.isprintable() or value in _NAMES):
            return _NAMES.get(value, value) if key in ("separator", "thousands") else value
        section.refuse(key, "is not a text", f'write it like {key} = "{example}"')
        return ""

    return Kind("text", {"type": "string"}, read)


def _changed(name: str) -> Callable[[TextFormat], str | None]:
    return lambda form: None if (value := getattr(form, name)) == getattr(PLAIN, name) else value


def _format(separator: str, encoding: str, **stated: str) -> TextFormat:
    mark = NAMED.get(separator, separator)
    known = encoding_of(encoding, mark if len(mark) == 1 and mark.isascii() else ",")
    return TextFormat(separator, encoding=known or encoding, **stated)


_KEYS: Final = {
    "separator": (";", 'The mark between fields, such as `";"`, `"tab"` or `"space"`.'),
    "decimal": (",", "The mark before decimals. Once stated, a number is one by these marks alone."),
    "thousands": (".", 'The mark between thousands: `"."`, `","`, `"\'"` or `"space"`.'),
    "dates": (
        "%d.%m.%Y",
        "The form of dates and times, of the directives `%Y %y %m %b %d %H %I %M %S %f %p`; `%b` is English. ISO 8601 without it.",
    ),
    "encoding": (
        "cp1252",
        "As Python names it: one in which letters of ASCII are those of ASCII, or `utf-16` (without a mark at the start: `utf-16-le`).",
    ),
    "sheet": (
        "Sheet1",
        "Which sheet of a workbook (.xlsx, extra `excel`) is read. Its first row with a value names the columns; formulas count as saved.",
    ),
}
"""An example of each key, and what it states."""
FORMAT: Final = Table(
    {
        key: Key(what, _mark(example), getattr(PLAIN, key), value=_changed(key))
        for key, (example, what) in _KEYS.items()
    },
    make=_format,
)
FORMAT_KEY: Final = Key("How text says the records, where that is not as usual.", table(FORMAT), default=PLAIN)
"""The key `format` of a plan, whose field has the same name."""
