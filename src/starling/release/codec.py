"""Values of dataclasses as JSON and back, by their type hints alone: public choices in a release, and what is asked of a server.

    dataclass               an object with a key for each field, in the order of the fields
    union of dataclasses    the same, with the name of the class before its fields under `kind`, as num_sig for NumSig
    Fraction                its exact text, "1/3"
    tuple, frozenset        a list; a set's members ascend
    Mapping of names        an object
    str, int, bool, None    themselves; a text can be shown, an integer has 64 bits
    Literal, Enum           one of their values

A field with the metadata OPTIONAL is left out where it has its default, so that plans without it have the JSON that they had before.

One value has one JSON, and JSON that no value gives is refused: a key too many, a key too few, 1 for true, a member of a set twice. What a
value may be beyond its types, its class says when it is made.

`plain` gives what JSON has without a type: for a digest, and for what nobody reads back.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, Literal, Never, TypeAlias, Union, get_args, get_origin, get_type_hints

from starling.planfile.spelling import name_problem

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None

KIND: Final = "kind"
"""The key that says which dataclass of a union an object is."""
OPTIONAL: Final = MappingProxyType({"optional": True})
"""The metadata of a field that is left out where it has its default."""
_LEAST: Final = -(2**63)
_RATIONAL: Final = re.compile(r"-?[0-9]{1,400}(/[1-9][0-9]{0,399})?")


def encode(hint: Any, value: Any, instead: "Mapping[str, Json] | None" = None) -> Any:
    """The JSON of a value.

    Args:
        hint: The type of the value.
        value: The value, which has that type.
        instead: JSON that stands for some fields of a dataclass, such as the digest of a long one.

    >>> encode(tuple[Fraction, ...], (Fraction(1, 3), Fraction(2)))
    ['1/3', '2']
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        member = next(each for each in arguments if type(value) is _class(each))
        tag = {KIND: name_of(member)} if _tagged(arguments) and _is_record(member) else {}
        result = encode(member, value, instead)
        return tag | result if tag else result
    if _is_record(hint):
        known = dict(instead or {})
        return {
            name: known[name] if name in known else encode(kind, getattr(value, name))
            for name, kind in _hints(hint).items()
            if not _left_out(hint, name, value)
        }
    if origin is tuple:
        return [encode(kind, each) for kind, each in zip(_members(arguments, len(value)), value, strict=True)]
    if origin is frozenset:
        return [encode(arguments[0], each) for each in sorted(value)]
    if origin is not None and origin is not Literal and issubclass(origin, Mapping):
        return {name: encode(arguments[1], each) for name, each in value.items()}
    return str(value) if isinstance(value, Fraction | Enum) else value


def decode(hint: Any, data: Any, instead: Mapping[str, Any] | None = None) -> Any:
    """The value that `encode` gave as JSON.

    Args:
        hint: The type of the value.
        data: Parsed JSON.
        instead: Values of some fields of a dataclass, whatever JSON stands for them.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: no value of that type has this JSON.
        StarlingError: by the class, which has no such value.

    >>> decode(tuple[Fraction, ...], ["1/3", "2"])
    (Fraction(1, 3), Fraction(2, 1))
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        member = _of_json(arguments, data)
        rest = {name: each for name, each in data.items() if name != KIND} if _tagged(arguments) and data else data
        return decode(member, rest, instead)
    if _is_record(hint):
        known = dict(instead or {})
        hints, defaults = _hints(hint), _defaults(hint)
        if not hints.keys() - defaults.keys() <= data.keys() <= hints.keys():
            refuse()
        values = {
            name: known[name] if name in known else decode(hints[name], data[name]) for name in hints if name in data
        }
        if any(values[name] == default for name, default in defaults.items() if name in values):
            refuse()
        return hint(**values)
    if origin is Literal:
        return data if any(type(each) is type(data) and each == data for each in arguments) else refuse()
    return _plain(hint, data) if origin is None else _collected(origin, arguments, data)


def _collected(origin: Any, arguments: tuple[Any, ...], data: Any) -> Any:
    """A tuple, a set or a mapping."""
    if origin is tuple:
        return tuple(decode(kind, each) for kind, each in zip(_members(arguments, len(_list(data))), data, strict=True))
    if origin is frozenset:
        values = [decode(arguments[0], each) for each in _list(data)]
        return frozenset(values) if values == sorted(set(values)) else refuse()
    if issubclass(origin, Mapping):
        return {text(name): decode(arguments[1], each) for name, each in data.items()}
    return refuse()


def _plain(hint: Any, data: Any) -> Any:
    """A value that is no collection."""
    if hint is str:
        return text(data)
    if hint is bool:
        return truth(data)
    if hint is int:
        return data if type(data) is int and _LEAST <= data < -_LEAST else refuse()
    if hint is Fraction:
        value = Fraction(data) if isinstance(data, str) and _RATIONAL.fullmatch(data) else refuse()
        return value if str(value) == data else refuse()
    if hint is NoneType:
        return None if data is None else refuse()
    return hint(data) if isinstance(hint, type) and issubclass(hint, Enum) else refuse()


def name_of(kind: type) -> str:
    """The name of a dataclass in JSON.

    >>> class LocSig: ...
    >>> name_of(LocSig)
    'loc_sig'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def _is_record(hint: Any) -> bool:
    """Whether a type is a dataclass."""
    return isinstance(hint, type) and is_dataclass(hint)


@lru_cache(maxsize=256)
def _hints(kind: Any) -> dict[str, Any]:
    """The fields of a dataclass and their types."""
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


@lru_cache(maxsize=256)
def _defaults(kind: Any) -> dict[str, Any]:
    """The default of each optional field of a dataclass."""
    return {each.name: each.default for each in fields(kind) if each.metadata == OPTIONAL}


def _left_out(kind: Any, name: str, value: Any) -> bool:
    """Whether a field of a dataclass has the default with which it is left out."""
    defaults = _defaults(kind)
    return name in defaults and getattr(value, name) == defaults[name]


def _members(arguments: tuple[Any, ...], length: int) -> tuple[Any, ...]:
    """The types of the members of a tuple of this length."""
    return (arguments[0],) * length if arguments[1:] == (...,) else arguments


def _tagged(arguments: tuple[Any, ...]) -> bool:
    """Whether a union has several dataclasses."""
    return sum(map(_is_record, arguments)) > 1


def _class(hint: Any) -> Any:
    """The class of a hint's values."""
    origin = get_origin(hint) or hint
    return type(get_args(hint)[0]) if origin is Literal else origin


def _of_json(arguments: tuple[Any, ...], data: Any) -> Any:
    """The member of a union that JSON belongs to; texts, numbers, lists and objects tell members apart."""
    if _tagged(arguments) and isinstance(data, dict):
        return next((each for each in arguments if _is_record(each) and name_of(each) == data[KIND]), None) or refuse()
    return next((each for each in arguments if isinstance(data, _json_type(each))), None) or refuse()


def _json_type(hint: Any) -> type:
    """The type of the JSON of a hint."""
    origin = _class(hint)
    if origin in (tuple, frozenset):
        return list
    if _is_record(origin) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return dict
    return origin if origin in (bool, int, NoneType) else str


def _list(data: Any) -> list[Any]:
    return data if isinstance(data, list) else refuse()


def text(value: object) -> str:
    """A text that may be shown, or none; else ValueError."""
    return value if isinstance(value, str) and (not value or name_problem(value) is None) else refuse()


def truth(value: object) -> bool:
    """True or false, or ValueError."""
    return value if isinstance(value, bool) else refuse()


def refuse() -> Never:
    """Raises ValueError."""
    raise ValueError


def plain(value: Any) -> Any:
    """Dataclasses, fractions, sets and named values as what JSON has.

    >>> plain([Fraction(1, 3), frozenset("ba"), None])
    ['1/3', ['a', 'b'], None]
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {
            each.name: plain(getattr(value, each.name))
            for each in fields(value)
            if not _left_out(type(value), each.name, value)
        }
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, Fraction | Enum) else value


def digest(public: Mapping[str, Any]) -> str:
    """SHA-256 of public choices by their names, hexadecimal; their order does not matter."""
    named = {name: plain(value) for name, value in public.items()}
    return hashlib.sha256(json.dumps(named, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
