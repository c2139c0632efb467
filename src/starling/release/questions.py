"""Questions as JSON of people: what they may leave out, how they write amounts, and the JSON Schema that tells them.

A question is a dataclass, declared once. `codec` has its one JSON form, in which a bundle states it; here is what a person may send
in its place. What comes out of `read` is the dataclass's own value, checked by its class.
"""

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from starling.errors import ParameterError
from starling.privacy.budget import exact
from starling.release.codec import KIND, OPTIONAL, Json, decode, encode, name_of

_FIX: Final = "see the schema of the questions: GET /v1/datasets/NAME"


def read(hint: Any, question: Any, defaults: Mapping[str, Any] | None = None) -> Any:
    """The question that JSON of people asks.

    Args:
        hint: A dataclass, or a union of some.
        question: Parsed JSON: an object with the question's name under `kind`. Fields that have a default may be left out; an amount is a
            text, a decimal or a fraction, and numbers in lists, which are coordinates, may be numbers of JSON.
        defaults: JSON of fields that have a default here and none in their class, by their names.

    Raises:
        ParameterError: it is none of these questions; or by the question's class.
    """
    member = _member(hint, question)
    chosen = {name: value for name, value in question.items() if name != KIND}
    return decode(member, _filled(member, chosen, "question", defaults or {}))


def _filled(member: Any, stated: Mapping[Any, Any], place: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """JSON of all fields of a dataclass as `codec` writes it, from JSON of some as people write it; `place` names it in an error."""
    hints, known = get_type_hints(member), {field.name: field for field in fields(member)}
    for name in stated:
        if name not in known:
            raise ParameterError(f"{place}.{str(name)[:40]}", f"is nothing that {name_of(member)} asks for", _FIX)
    full: dict[str, Any] = {}
    for name, field in known.items():
        if field.metadata == OPTIONAL and (name not in stated or stated[name] == encode(hints[name], field.default)):
            continue
        if name in stated:
            full[name] = _exactly(hints[name], stated[name], f"{place}.{name}")
        elif field.default is not MISSING:
            full[name] = encode(hints[name], field.default)
        elif name in defaults:
            full[name] = defaults[name]
        else:
            raise ParameterError(f"{place}.{name}", "is missing", _FIX)
    for name, value in full.items():
        try:
            decode(hints[name], value)
        except (ValueError, KeyError, TypeError, AttributeError):
            written = ', as a text such as "0.5"' if _is_amount(hints[name]) else ""
            raise ParameterError(f"{place}.{name}", f"is not what it should be{written}", _FIX) from None
    return full


def _is_amount(hint: Any) -> bool:
    """Whether it is of exact amounts, or of those or nothing."""
    return hint is Fraction or (get_origin(hint) in (Union, UnionType) and Fraction in get_args(hint))


def _exactly(hint: Any, value: Any, field: str, *, listed: bool = False) -> Any:
    """JSON in which every rational number is written as `codec` writes it; what is none is left for `decode` to refuse."""
    if is_dataclass(hint) and isinstance(value, dict):
        return _filled(hint, value, field, {})
    if _is_amount(hint):
        number = listed and type(value) in (int, float)
        return str(exact(str(value), field=field, exponent=True)) if number or isinstance(value, str) else value
    arguments = get_args(hint)
    if get_origin(hint) is not tuple or not isinstance(value, list):
        return value
    kinds = arguments[:1] * len(value) if arguments[1:] == (...,) else arguments
    if len(kinds) != len(value):
        return value
    return [_exactly(kind, each, field, listed=True) for kind, each in zip(kinds, value, strict=True)]


def _member(hint: Any, value: Any) -> Any:
    members = {name_of(each): each for each in get_args(hint) or (hint,)}
    kind = value.get(KIND) if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in members:
        raise ParameterError(f"question.{KIND}", f"is not one of {', '.join(members)}", _FIX)
    return members[kind]


def schema(
    hint: Any,
    defaults: Mapping[str, Any] | None = None,
    details: Mapping[str, Mapping[str, Json]] | None = None,
) -> dict[str, Json]:
    """The JSON Schema of what `read` takes, by the types, defaults and docstrings of the dataclasses.

    Args:
        hint: A dataclass, or a union of some.
        defaults: As `read` takes them.
        details: What the schema says besides of a field, by its name: a title for people, values that it can have, a first example.
    """
    members = get_args(hint) or (hint,)
    return {"oneOf": [_object(member, defaults or {}, details or {}, (KIND,)) for member in members]}


def attributes_of(documented: type) -> dict[str, str]:
    """What the docstring of a class says of each of its attributes, on one line each."""
    _, _, listed = cleandoc(documented.__doc__ or "").partition("Attributes:\n")
    entries = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}


def _object(
    member: Any,
    defaults: Mapping[str, Any],
    details: Mapping[str, Mapping[str, Json]],
    tag: tuple[str, ...] = (),
) -> dict[str, Json]:
    """The schema of a dataclass, whose name stands under the `tag`, if any."""
    hints, documented = get_type_hints(member), attributes_of(member)
    properties: dict[str, Json] = {key: {"const": name_of(member)} for key in tag}
    required: list[Json] = [*tag]
    for field in fields(member):
        described = {**_described(hints[field.name]), **details.get(field.name, {})}
        if field.name in documented:
            described["description"] = documented[field.name]
        if field.default is not MISSING:
            described["default"] = encode(hints[field.name], field.default)
        elif field.name not in defaults:
            required.append(field.name)
        properties[field.name] = described
    return {
        "type": "object",
        "title": name_of(member),
        "description": (member.__doc__ or "").split("\n\n", maxsplit=1)[0],
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _described(hint: Any, *, listed: bool = False) -> dict[str, Json]:
    """The schema of a field's type, or of what stands in a list."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return {"anyOf": [_described(each) for each in arguments]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is tuple and arguments[1:] == (...,):
        return {"type": "array", "items": _described(arguments[0], listed=True)}
    if origin is tuple:
        items: list[Json] = [_described(each, listed=True) for each in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    return _object(hint, {}, {}) if is_dataclass(hint) else _simple(hint, listed=listed)


def _simple(hint: Any, *, listed: bool) -> dict[str, Json]:
    """The schema of a type without parts."""
    if hint is Fraction:
        words = 'An exact amount, such as "0.5" or "1/3".'
        return {"type": ["string", "number"] if listed else "string", "description": words}
    names: dict[Any, str] = {str: "string", int: "integer", bool: "boolean", NoneType: "null"}
    return {"type": names[hint]}
