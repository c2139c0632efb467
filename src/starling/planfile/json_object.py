"""A JSON object as the top of a plan: decimals are kept as they are written, and a fault knows its line."""

import json
import re
from typing import Any, Final, Never

from starling.errors import PlanError, Problem
from starling.planfile.toml import Float, Section

_TEXT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:\s*(\{?))?')
"""A text, which a colon makes a key; one after the other, so that none begins within another."""
LONGEST_INTEGER: Final = 18
"""Characters of an integer; a longer one is kept as it is written, as decimals are."""


def parse_object(text: str, file: str) -> Section:
    """The top of a JSON file; numbers with a point, an exponent or too many digits are `Float`.

    Raises:
        PlanError: it is not one JSON object, or has a key twice.
    """

    def refuse(problem: str, fix: str, line: int | None = None) -> PlanError:
        return PlanError(problems=[Problem("file", problem, fix, file, line)])

    try:
        values = json.loads(
            text, parse_float=Float, parse_int=_integer, parse_constant=_refuse_constant, object_pairs_hook=_once
        )
    except json.JSONDecodeError as error:
        raise refuse(f"is not JSON ({error.msg})", "correct the syntax", error.lineno) from None
    except ValueError as error:
        raise refuse(f"is not acceptable JSON ({error})", "remove it") from None
    except RecursionError:
        raise refuse("is nested too deeply", "write one flat object") from None
    if not isinstance(values, dict):
        raise refuse("is not a JSON object", 'write {"key": value, ...}')
    return Section(file, "", values, _lines(text), [])


def _integer(text: str) -> int | Float:
    return int(text) if len(text) <= LONGEST_INTEGER else Float(text)


def _refuse_constant(text: str) -> Never:
    raise ValueError(f"{text} is not a JSON number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)} is there twice")
    return values


def _lines(text: str) -> tuple[tuple[int, str], ...]:
    """The line of every key, as a line of TOML that sets it; an object begins a table there."""
    lines, number, before = [], 1, 0
    for key in _TEXT.finditer(text):
        if key[2] is None:
            continue
        number, before = number + text.count("\n", before, key.start()), key.start()
        lines += [(number, f"[{key[1]}]")] if key[3] else []
        lines.append((number, f"{key[1]} ="))
    return tuple(lines)
