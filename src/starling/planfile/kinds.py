"""Kinds of values of a plan file: how each is read, written, described to an editor, and named on the page of keys.

A fix is what a refusal says to do. What is wrong with a value is collected in the section, and a stand-in read.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from starling.planfile.grammar import Kind, Schema, Table, Values
from starling.planfile.spelling import did_you_mean
from starling.planfile.toml import Section
from starling.planfile.values import exact_text

EXACT: Final[Schema] = {"type": ["string", "integer"], "pattern": r"^\s*[+-]?[0-9]{1,40}([./][0-9]{1,40})?\s*$"}
"""An exact number."""
TEXT: Final[Schema] = {"type": "string", "minLength": 1}
TEXTS: Final[Schema] = {"type": "array", "items": {"type": "string"}}
WHOLES: Final[Schema] = {"type": "array", "items": {"type": "integer"}}


def text(fix: str) -> Kind:
    """A text that is not empty."""
    return Kind("text", TEXT, lambda section, key, _: section.text(key, fix), lambda value: value or None)


def flag(fix: str = "write true or false") -> Kind:
    """True or false."""
    return Kind("`true` or `false`", {"type": "boolean"}, lambda section, key, _: section.flag(key, fix))


def whole(low: int, high: int | str) -> Kind:
    """A whole number from `low` to `high`, which may be the field that states the most."""

    def read(section: Section, key: str, values: Values) -> int:
        return section.whole(key, low, values[high] if isinstance(high, str) else high)

    schema: Schema = {"type": "integer", "minimum": low}
    if isinstance(high, str):
        return Kind(f"integer, {low}–`{high}`", schema, read)
    return Kind(f"integer, {low}–{high:,}", schema | {"maximum": high}, read)


def exact(fix: str, wrong: Callable[[Fraction], bool], problem: str, within: str = "") -> Kind:
    """An exact number: a text such as "0.1" or "1/3", or an integer.

    Args:
        fix: How it is written.
        wrong: Whether a number is beyond its limits.
        problem: What is wrong with such a number.
        within: Its fix; that of all others without it.
    """

    def read(section: Section, key: str, _: Values) -> Fraction | None:
        number = section.number(key, fix)
        if number is None or not wrong(number):
            return number
        section.refuse(key, problem, within or fix)
        return None

    return Kind("exact number", EXACT, read, exact_text)


def budget(fix: str) -> Kind:
    """An amount of budget, which is above 0."""
    return exact(fix, lambda amount: amount <= 0, "is not above 0", "give a budget")


def choice(names: Collection[str], fix: str = "") -> Kind:
    """One of some names; without a fix, the nearest of them is named."""

    def read(section: Section, key: str, _: Values) -> str:
        return section.choice(key, names, fix or did_you_mean(str(section.values.get(key)), names))

    return Kind(", ".join(f'`"{name}"`' for name in names), {"enum": list(names)}, read)


def fixed(name: str, fix: str) -> Kind:
    """The one text that may stand there, written out so that no plan leaves it open."""

    def read(section: Section, key: str, _: Values) -> dict[str, Any]:
        section.choice(key, (name,), fix)
        return {}

    return Kind(f'`"{name}"`', {"const": name}, read, lambda _: name, of_whole=True)


def texts(fix: str) -> Kind:
    """A list of texts."""
    return Kind("list of texts", TEXTS, lambda section, key, _: tuple(section.texts(key, fix)), list)


def numbers(count: int, problem: str, fix: str) -> Kind:
    """A list of so many exact numbers; `problem` is what is wrong with a list of more or fewer."""

    def read(section: Section, key: str, _: Values) -> tuple[Fraction, ...]:
        return section.numbers(key, count, problem, fix)

    schema = {"type": "array", "items": EXACT, "minItems": count, "maxItems": count}
    return Kind(f"list of {count} exact numbers", schema, read, lambda value: list(map(exact_text, value)))


def unread(kind: Kind) -> Kind:
    """A kind of values that the check of the table reads, beside other keys."""
    return replace(kind, read=lambda *_: {}, of_whole=True)


def aside(words: str, schema: Schema) -> Kind:
    """Values of this name and schema that the check of the table reads, beside other keys."""
    return Kind(words, schema, lambda *_: {}, of_whole=True)


def misplaced(problem: str, fix: str) -> Kind:
    """A key that some might write, and that is refused with the reason; neither schema nor page has it."""

    def read(section: Section, key: str, _: Values) -> dict[str, Any]:
        section.refuse(key, problem, fix)
        return {}

    return Kind("", {"not": {}}, read, lambda _: None, of_whole=True)


def table(inside: Table) -> Kind:
    """`[key]`: what it makes, or its fields."""

    def write(whole: Any) -> dict[str, Any] | None:
        return inside.values(whole) or None

    def read(section: Section, key: str, values: Values) -> Any:
        return inside.parse(section.table(key), values)

    return Kind("table", inside.schema(), read, write, of_whole=inside.make is None, inside=inside)


def tables(inside: Table, example: str = "") -> Kind:
    """`[[key]]`, or by an example `key = [{...}, ...]`: what each of them makes, or its fields, as a tuple."""

    def read(section: Section, key: str, values: Values) -> tuple[Any, ...]:
        stated = section.inline(key, example) if example else section.tables(key)
        return tuple(inside.parse(each, values) for each in stated)

    def write(wholes: Any) -> list[dict[str, Any]] | None:
        return list(map(inside.values, wholes)) or None

    schema = {"type": "array", "minItems": 1, "items": inside.schema()}
    return Kind(f"list of {'inline ' if example else ''}tables", schema, read, write, inside=inside)


def later(inside: Table) -> Kind:
    """`[[key]]`, each read once all other keys of the file are known: as sections."""
    return replace(tables(inside), read=lambda section, key, _: section.tables(key))
