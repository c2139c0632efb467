"""TOML, read so that a plan is refused precisely: floats stay apart from decimals, and a fault knows its line.

A TOML float is a binary float by its standard, and 0.1 would not be 1/10. So exact numbers are written as strings, and a float
is refused with that reason.
"""

import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from starling.errors import ParameterError, PlanError, Problem
from starling.planfile.foreign import content
from starling.planfile.spelling import did_you_mean, name_problem, shown
from starling.privacy.budget import exact, without_exponent

_HEADER: Final = re.compile(r"[ \t]*\[\[?[ \t]*([^\[\]#]*?)[ \t]*\]\]?")
LONGEST_PLAN: Final = 4 * 2**20
"""Bytes of a plan file."""
MOST_PARTS: Final = 16
"""Parts of a dotted key. The parser of the standard library takes time that grows with the square of them; no plan has more than two."""
_PART: Final = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_DEEP: Final = re.compile(rf"(?<![A-Za-z0-9_-])(?:{_PART}\.[ \t]*+){{{MOST_PARTS}}}")
MOST_UNKNOWN: Final = 100
"""Unknown keys of one table that are named one by one."""


@dataclass(frozen=True, slots=True)
class Float:
    """A TOML float, as written."""

    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the file, read key by key; what is wrong is collected and a stand-in returned.

    Attributes:
        name: The name of the table, with its number in a list: "levels[3]"; empty for the top.
        values: The parsed values by their keys.
        lines: The lines of the table, each by its number and its text.
        problems: The problems found so far, one list for all sections of a file.
    """

    file: str
    name: str
    values: Mapping[str, Any]
    lines: tuple[tuple[int, str], ...]
    problems: list[Problem]

    def refuse(self, key: str, problem: str, fix: str) -> None:
        """Collect one problem, with the line of the key, or of the table where the key is missing."""
        sets = _key(key)
        line = next((number for number, text in self.lines if sets.match(text)), None)
        if line is None and self.lines and self.name:
            line = self.lines[0][0]
        field = f"{self.name}.{key}" if self.name and key else self.name or key or '""'
        self.problems.append(Problem(shown(field), problem, fix, self.file, line))

    def _wrong(self, key: str, problem: str, fix: str) -> None:
        """Collect that a value is missing, or what is wrong with it."""
        self.refuse(key, problem if key in self.values else "is missing", fix)

    def only(self, known: Collection[str]) -> None:
        """Refuse every other key."""
        unknown = [key for key in self.values if key not in known]
        for key in unknown[:MOST_UNKNOWN]:
            self.refuse(key, "is an unknown key", did_you_mean(key, known))
        if len(unknown) > MOST_UNKNOWN:
            self.refuse("", f"has {len(unknown) - MOST_UNKNOWN} more unknown keys", "remove them")

    def text(self, key: str, fix: str) -> str:
        """The string under `key`, which must be there and not empty."""
        value = self.values.get(key)
        if not isinstance(value, str):
            self._wrong(key, "is not a text", fix)
            return ""
        if (problem := name_problem(value)) is not None:
            self.refuse(key, problem, fix)
            return ""
        return value

    def choice(self, key: str, choices: Collection[str], fix: str) -> str:
        """One of `choices`, the first of them after a refusal."""
        value = self.values.get(key)
        if not isinstance(value, str) or value not in choices:
            self._wrong(key, f"is not {' or '.join(choices)}", fix)
            return next(iter(choices))
        return value

    def flag(self, key: str, fix: str) -> bool:
        """True or false."""
        value = self.values.get(key)
        if not isinstance(value, bool):
            self._wrong(key, "is not true or false", fix)
        return value is True

    def number(self, key: str, fix: str) -> Fraction | None:
        """An exact number: a string or an integer; None after a refusal."""
        value = self.values.get(key)
        if value is None:
            self.refuse(key, "is missing", fix)
        elif isinstance(value, Float):
            reason = "is a float, and a binary float is not the decimal it looks like (0.1 is not 1/10)"
            self.refuse(key, reason, f'put it in quotes: {key} = "{shown(without_exponent(value.text))}"')
        elif isinstance(value, bool) or not isinstance(value, int | str):
            self.refuse(key, "is not a number", fix)
        else:
            try:
                return exact(value, field=key)
            except ParameterError as error:
                plain = without_exponent(value) if isinstance(value, str) else value
                fix = fix if plain == value else f'write {key} = "{plain}"'
                self.refuse(key, error.problems[0].problem, fix)
        return None

    def whole(self, key: str, low: int, high: int) -> int:
        """An integer from `low` to `high`; `low` after a refusal."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            fix = f"write an integer from {low} to {high}, without quotes"
            self._wrong(key, f"is not an integer from {low} to {high}", fix)
            return low
        return value

    def texts(self, key: str, fix: str) -> list[str]:
        """A list of strings; empty after a refusal."""
        value = self.values.get(key)
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self._wrong(key, "is not a list of strings", fix)
            return []
        # An empty one may be a value; what it means is for its key to say.
        if problem := next((problem for one in value if one and (problem := name_problem(one))), None):
            self.refuse(key, f"has a text that {problem}", fix)
            return []
        return value

    def numbers(self, key: str, count: int, problem: str, fix: str) -> tuple[Fraction, ...]:
        """A list of so many exact numbers; none after a refusal, which is `problem` where there are more or fewer."""
        values = self.values.get(key)
        if not isinstance(values, list) or len(values) != count:
            self._wrong(key, problem, fix)
            return ()
        try:
            stated: list[Any] = [0.5 if isinstance(each, Float) else each for each in values]
            return tuple(exact(each, field=key) for each in stated)
        except ParameterError as error:
            self.refuse(key, error.problems[0].problem, fix)
            return ()

    def table(self, key: str) -> "Section":
        """The table `[key]`; an empty one after a refusal."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            self._wrong(key, "is not a table", f"write [{key}]")
            value = {}
        return Section(self.file, key, value, next(self._parts(key), ()), self.problems)

    def tables(self, key: str) -> list["Section"]:
        """The tables `[[key]]`, numbered from 1; none after a refusal."""
        value = self.values.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
            self._wrong(key, "is not a list of tables", f"write [[{key}]]")
            return []
        parts = self._parts(key)
        return [
            Section(self.file, f"{key}[{number}]", one, next(parts, ()), self.problems)
            for number, one in enumerate(value, start=1)
        ]

    def inline(self, key: str, example: str) -> list["Section"]:
        """The inline tables `key = [{...}, ...]`, numbered from 1, each with its own line; none after a refusal."""
        value = self.values.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
            self._wrong(key, "is not a list of inline tables", f"write it like {example}")
            return []
        start = next((at for at, (_, text) in enumerate(self.lines) if _key(key).match(text)), 0)
        braces = [line for line in self.lines[start:] for _ in range(_code(line[1]).count("{"))]
        # A line is a help, never a reason to refuse: where the braces are not as many as the tables, all stand at the key.
        places = (
            [(line,) for line in braces] if len(braces) == len(value) else [self.lines[start : start + 1]] * len(value)
        )
        return [
            Section(self.file, f"{self.name}.{key}[{number}]", one, place, self.problems)
            for number, (one, place) in enumerate(zip(value, places, strict=True), start=1)
        ]

    def _parts(self, key: str) -> Iterator[tuple[tuple[int, str], ...]]:
        """The lines under each header `key`, in the order of the file."""
        headers = [(at, match[1]) for at, (_, text) in enumerate(self.lines) if (match := _HEADER.match(text))]
        ends = [*(at for at, _ in headers[1:]), len(self.lines)]
        return (self.lines[at:end] for (at, name), end in zip(headers, ends, strict=False) if name == key)


def _key(key: str) -> re.Pattern[str]:
    """The beginning of a line that sets `key`."""
    return re.compile(rf"[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=")


def _code(text: str) -> str:
    """A line without its strings and its comment."""
    return re.sub(r'"[^"]*"|\'[^\']*\'', "", text).partition("#")[0]


def parse(text: str, file: str) -> Section:
    """The top of a TOML file; raises PlanError when it is not TOML."""
    if _DEEP.search(text):
        problem = f"has a key of more than {MOST_PARTS} parts, and a plan's have one or two"
        raise PlanError(problems=[Problem("file", problem, "correct it", file)])
    try:
        values = tomllib.loads(text, parse_float=Float)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"\(at line (\d+)", str(error))
        message = shown(re.sub(r" \(at .*\)$", "", str(error)))
        line = int(at[1]) if at else max(len(text.splitlines()), 1)
        raise PlanError(problems=[Problem("file", f"is not TOML: {message}", "correct it", file, line)]) from None
    except (ValueError, RecursionError):
        # Integers of thousands of digits, and nesting of thousands of brackets.
        raise PlanError(problems=[Problem("file", "is not TOML of a plan", "correct it", file)]) from None
    return Section(file, "", values, tuple(enumerate(text.splitlines(), start=1)), [])


def read_file(path: Path, parse: Callable[[str, str], Section] = parse) -> Section:
    """The top of a plan file, as `parse` reads its text.

    Raises:
        PlanError: when it cannot be read, is no regular file, is longer than LONGEST_PLAN, or is not TOML in UTF-8.
    """
    try:
        return parse(content(path, LONGEST_PLAN).decode("utf-8"), path.name)
    except OSError as error:
        problem = Problem("file", f"cannot be read ({error.strerror})", "check the path", path.name)
    except UnicodeDecodeError:
        problem = Problem("file", "is not UTF-8", "save it as UTF-8", path.name)
    raise PlanError(problems=[problem])
