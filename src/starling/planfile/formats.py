"""`[format]` of a plan file: how text says its records (text_format.py)."""

from typing import Any, Final

from starling.errors import PlanError
from starling.planfile.toml import Section
from starling.text_format import KEYS, NAMED, PLAIN, TextFormat, encoding_of

_NAMES: Final = {mark: name for name, mark in NAMED.items()}


def read_format(top: Section) -> TextFormat:
    """The format that a plan states; the usual one where it states none, or after a refusal."""
    if "format" not in top.values:
        return PLAIN
    section = top.table("format")
    section.only(KEYS)
    stated = {}
    for key in KEYS:
        value = section.values.get(key, getattr(PLAIN, key))
        if not isinstance(value, str) or (not value.isprintable() and value not in _NAMES):
            section.refuse(key, "is not a text", f'write it like {key} = "{_EXAMPLES[key]}"')
            return PLAIN
        stated[key] = _NAMES.get(value, value) if key in ("separator", "thousands") else value
    mark = NAMED.get(stated["separator"], stated["separator"])
    stated["encoding"] = (
        encoding_of(stated["encoding"], mark if len(mark) == 1 and mark.isascii() else ",") or stated["encoding"]
    )
    try:
        return TextFormat(**stated)
    except PlanError as error:
        for each in error.problems:
            section.refuse(each.field, each.problem, each.fix)
        return PLAIN


def format_values(form: TextFormat) -> dict[str, Any]:
    """The key `format` of a plan with the values that `read_format` reads; none for the usual format."""
    stated = {key: getattr(form, key) for key in KEYS if getattr(form, key) != getattr(PLAIN, key)}
    return {"format": stated} if stated else {}


_EXAMPLES: Final = {
    "separator": ";",
    "decimal": ",",
    "thousands": ".",
    "dates": "%d.%m.%Y",
    "encoding": "cp1252",
    "sheet": "Sheet1",
}
