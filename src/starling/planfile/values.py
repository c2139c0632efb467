"""A plan as values of Python: from a mapping to what the reader of a plan file checks, and from a mapping to the text of a file.

Both say the same keys, so that a plan made in a session is refused with the problems that its file would be refused with. Exact numbers
may be texts, integers, fractions or decimals; a float of Python is as little the decimal that it looks like as one of TOML.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from starling.errors import OutputError, PlanError
from starling.planfile.toml import Float, Section
from starling.privacy.budget import without_exponent

PLAN: Final = "plan"
"""What stands in place of a file's name in a message."""
MOST_DEEP: Final = 16
_MOST_PLACES: Final = 40
"""Decimal places that an exact number may have where it is read."""
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def section_of(values: object) -> Section:
    """The top of a plan that is given as a mapping with the keys of a plan file; a key whose value is None is left out.

    Raises:
        PlanError: it is no mapping of texts to values, or holds itself.
    """
    if not isinstance(values, Mapping):
        fix = "give a dict with the keys of a plan file"
        raise PlanError(PLAN, "is no mapping of keys to values", fix)
    return Section(PLAN, "", _plain(values, 0), (), [])


def _plain(value: Any, depth: int) -> Any:
    """As it would be read from a file; what has no such form is left as it is, and refused by whoever reads it."""
    if depth > MOST_DEEP:
        raise PlanError(PLAN, "is nested too deeply", "give the keys of a plan file")
    if isinstance(value, Mapping):
        if not all(isinstance(key, str) for key in value):
            raise PlanError(PLAN, "has a key that is no text", "write the keys of a plan file")
        return {key: _plain(each, depth + 1) for key, each in value.items() if each is not None}
    if isinstance(value, list | tuple):
        return [_plain(each, depth + 1) for each in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(each, depth + 1) for each in value), key=str)
    if isinstance(value, float):
        return Float(repr(value))
    if isinstance(value, Fraction | Decimal):
        return without_exponent(str(value))  # Python itself writes a small Decimal with an exponent.
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def exact_text(number: Fraction) -> str:
    """A number as the text that is read back exactly: a decimal where it is one of few digits, else a ratio.

    >>> exact_text(Fraction("0.159")), exact_text(Fraction(20)), exact_text(Fraction(1, 3)), exact_text(Fraction("-0.5"))
    ('0.159', '20', '1/3', '-0.5')
    """
    places = next((places for places in range(_MOST_PLACES + 1) if 10**places % number.denominator == 0), None)
    if places is None:
        return str(number)
    digits, sign = f"{abs(int(number * 10**places)):0{places + 1}d}", "-" if number < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"


def toml_of(values: Mapping[str, Any]) -> str:
    """The text of a plan file (TOML) that says these values: texts, integers, truth values, lists of them, and tables.

    >>> print(toml_of({"title": "a", "privacy": {"unit": "person"}, "levels": [{"margins": [{"within": 11}]}]}), end="")
    title = "a"
    <BLANKLINE>
    [privacy]
    unit = "person"
    <BLANKLINE>
    [[levels]]
    margins = [{ within = 11 }]
    """
    return "\n\n".join("\n".join(part) for part in _parts(values) if part) + "\n"


def _parts(values: Mapping[str, Any]) -> Iterator[list[str]]:
    tables = {key: value for key, value in values.items() if _is_table(value)}
    yield [_line(key, value) for key, value in values.items() if key not in tables]
    for key, value in tables.items():
        several = isinstance(value, list)
        for table in value if several else [value]:
            header = f"[[{_key(key)}]]" if several else f"[{_key(key)}]"
            yield [header, *(_line(name, each) for name, each in table.items())]


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def _line(key: str, value: Any) -> str:
    return f"{_key(key)} = {_value(value)}"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(_line(key, each) for key, each in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    # For printable text, integers and truth values TOML and JSON are the same.
    return json.dumps(value, ensure_ascii=False)


def plan_path(path: str | Path) -> Path:
    """Where a plan file is to be made; raises OutputError where it does not end in .toml."""
    if Path(path).suffix != ".toml":
        raise OutputError(str(path), "does not end in .toml", "name it like plan.toml")
    return Path(path)


def write_new(path: Path, text: str) -> None:
    """Write a file that was not there; raises OutputError where it was, or cannot be written."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise OutputError(str(path), "exists", "name a new file; none is overwritten") from None
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise OutputError(str(path), problem, "name a file in a place that you may write") from None
