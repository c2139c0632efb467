"""Public choices as canonical text, so that the same request is the same text, and as one digest."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any


def plain(value: Any) -> Any:
    """Dataclasses, fractions, sets and named values as what JSON has.

    >>> plain([Fraction(1, 3), frozenset("ba"), None])
    ['1/3', ['a', 'b'], None]
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return str(value) if isinstance(value, Fraction | Enum) else value


def digest(public: Mapping[str, Any]) -> str:
    """SHA-256 of public choices by their names, hexadecimal; their order does not matter."""
    named = {name: plain(value) for name, value in public.items()}
    return hashlib.sha256(json.dumps(named, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
