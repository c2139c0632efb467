r"""The grammar of a plan file, declared once: its reader, its writer, its JSON Schema and its page of keys follow.

A `Table` has keys, each of a kind (kinds.py) that says how its value goes to a field of the plan and back. What keys say together is
checked where a table is read, with the line of the key, or by the class that the table makes; editors check each key alone.

>>> from starling.planfile import kinds
>>> from starling.planfile.toml import parse
>>> size = Key("How many.", kinds.whole(1, 9))
>>> sizes = Table({"largest": size, "quantity": Key("The most of one.", kinds.whole(1, "largest"), default=1)})
>>> sizes.parse(parse("largest = 7", "plan.toml"))
{'largest': 7, 'quantity': 1}
>>> section = parse("largest = 7\nquantity = 8\nquantiti = 1", "plan.toml")
>>> values = sizes.parse(section)
>>> print(*section.problems, sep="\n")
plan.toml:3: quantiti is an unknown key; did you mean quantity?
plan.toml:2: quantity is not an integer from 1 to 7; write an integer from 1 to 7, without quotes
"""

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from starling.errors import PlanError
from starling.planfile.telling import check_domain, domain_of
from starling.planfile.toml import Section

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
NEEDED: Final = object()
"""The default of a key that a plan must state."""


Schema: TypeAlias = dict[str, Any]
"""A JSON Schema."""
Values: TypeAlias = MutableMapping[str, Any]
"""Fields of a plan by their names: those of the table that is read, and those that were read before."""


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of values.

    Attributes:
        words: What the page of keys calls it, in Markdown.
        schema: What an editor checks.
        read: The value under a key of a section.
        write: A value as a plan file states it; None where the key is left out.
        of_whole: Whether it is no field of its own: `read` gives a dict of fields then, and `write` takes what has them.
        inside: The grammar of a table, or of each of several.
    """

    words: str
    schema: Schema
    read: Callable[[Section, str, Values], Any]
    write: Callable[[Any], Any] = _same
    of_whole: bool = False
    inside: "Table | None" = None


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table.

    Attributes:
        what: What it states, for the schema and the page of keys: a sentence.
        kind: The kind of its values.
        default: The value where it is left out.
        field: The field of the plan; the key itself, with _ for -, without it.
        value: The value that is written, of what the table is made of; the field without it. None leaves the key out.
    """

    what: str
    kind: Kind
    default: Any = NEEDED
    field: str = ""
    value: Callable[[Any], Any] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a plan file, or the whole file.

    Attributes:
        keys: The keys by their names, in the order in which they are read and written.
        make: Makes a value of the fields; its PlanError is refused at the keys. Without it, they are fields of the table around.
        check: What keys say together: refuses at the section, and may change the fields that were read.
        free: All other keys, as one dict under their field; without it they are refused.
    """

    keys: Mapping[str, Key]
    make: Callable[..., Any] | None = None
    check: Callable[[Section, Values], None] | None = None
    free: Key | None = None

    def parse(self, section: Section, above: Mapping[str, Any] | None = None) -> Any:
        """What a section states: what `make` makes, None after a refusal; or the fields, with stand-ins for what is refused.

        Args:
            section: The section; everything that is wrong with it is collected there.
            above: Fields that were read before, on which these may depend.
        """
        values: ChainMap[str, Any] = ChainMap({}, dict(above or {}))
        before = len(section.problems)
        if self.free is None:
            section.only(self.keys)
        for name, key in self.keys.items():
            stated = name in section.values or key.default is NEEDED
            value = key.kind.read(section, name, values) if stated else key.default
            values.update(value if key.kind.of_whole else {_field(name, key): value})
        if self.free is not None:
            others = [name for name in section.values if name not in self.keys]
            values[self.free.field] = {name: self.free.kind.read(section, name, values) for name in others}
        if self.check is not None:
            self.check(section, values)
        if self.make is None:
            return values.maps[0]
        return None if len(section.problems) > before else value_of(section, self.make, values.maps[0])

    def read(self, top: Section, above: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The fields that a whole file states; raises PlanError with every problem, or that it is a plan of another domain."""
        check_domain(top, domain_of(self.keys))
        values: dict[str, Any] = self.parse(top, above)
        PlanError.check(top.problems)
        return values

    def values(self, whole: Any) -> dict[str, Any]:
        """The values that state what the table is made of, as a plan file has them."""
        stated = {name: _stated(name, key, whole) for name, key in self.keys.items()}
        if self.free is not None:
            stated |= {name: self.free.kind.write(each) for name, each in getattr(whole, self.free.field).items()}
        return {name: value for name, value in stated.items() if value is not None}

    def schema(self) -> Schema:
        """The JSON Schema of the table: which keys there are, of which kinds; not what goes together."""
        shown = {name: key for name, key in self.keys.items() if key.kind.words}
        return {
            "type": "object",
            "properties": {name: {"description": key.what, **key.kind.schema} for name, key in shown.items()},
            "required": [name for name, key in shown.items() if key.default is NEEDED],
            "additionalProperties": False if self.free is None else self.free.kind.schema,
        }


def _field(name: str, key: Key) -> str:
    return key.field or name.replace("-", "_")


def _stated(name: str, key: Key, whole: Any) -> Any:
    part = key.value(whole) if key.value else whole if key.kind.of_whole else getattr(whole, _field(name, key))
    return None if part is None else key.kind.write(part)


def value_of(section: Section, make: Callable[..., Any], fields: Mapping[str, Any]) -> Any:
    """What a class makes of fields; None where it raises PlanError, which is refused at the section."""
    try:
        return make(**fields)
    except PlanError as error:
        for each in error.problems:
            place, _, key = each.field.rpartition(".")
            named = place or key
            inside = section.table(named) if isinstance(section.values.get(named), dict) else section
            inside.refuse("" if key == inside.name else key, each.problem, each.fix)
        return None


def plan_schema(domain: str, *plans: Table) -> Schema:
    """The JSON Schema (draft 2020-12) of plan files of a domain, in one of its grammars."""
    schemas = [plan.schema() for plan in plans]
    return {
        "$schema": DIALECT,
        "title": f"Plan of {domain}",
        **(schemas[0] if len(schemas) == 1 else {"anyOf": schemas}),
    }
