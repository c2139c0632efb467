"""A Census configuration folder said in our own plan file, budgets exact; read back, it is the same plan.

The definitions stay where they are: the file names their folder relative to itself.
"""

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Final

from starling.errors import OutputError, PlanError
from starling.tables.plan.census import CONFIG, read_census
from starling.tables.plan.groups import LEVELS
from starling.tables.plan.model import Level, Plan
from starling.tables.plan.readable import read_toml
from starling.tables.plan.states import STATES

_MOST_PLACES: Final = 40
"""Decimal places that an exact number may have where it is read."""


def convert(folder: Path, out: Path) -> Plan:
    """Write the plan of a Census configuration folder as a plan file.

    Args:
        folder: With config.json and the four definition files.
        out: Plan file to make, ending in .toml; must not exist.

    Returns:
        The plan, as read from either.

    Raises:
        PlanError: the folder holds no plan, or one that a plan file cannot say (a threshold beyond 10^12); nothing is left behind.
        OutputError: the file is there, or cannot be written.
    """
    if not (folder / CONFIG).is_file():
        fix = "give a folder with config.json and the definition files; a plan file needs no conversion"
        raise PlanError(field="plan", problem=f"{folder.name!r} is no Census configuration folder", fix=fix)
    if out.suffix != ".toml":
        raise OutputError(field=str(out), problem="does not end in .toml", fix="name it like plan.toml")
    plan = read_census(folder)
    text = plan_file(plan, definitions=os.path.relpath(folder.resolve(), out.resolve().parent))
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise OutputError(field=str(out), problem="exists", fix="name a new file; none is overwritten") from None
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise OutputError(field=str(out), problem=problem, fix="name a file in a place that you may write") from None
    try:
        _same(plan, read_toml(out))
    except PlanError:
        out.unlink()
        raise
    return plan


def _same(plan: Plan, again: Plan) -> None:
    if again != plan:
        raise PlanError(field="definitions", problem="changed while they were read", fix="run it again")


def plan_file(plan: Plan, definitions: str) -> str:
    """The text of a plan file (TOML) that says `plan`.

    Args:
        plan: As a Census folder says it: definitions from a folder, no promises, plain estimates.
        definitions: That folder, from the place of the plan file.

    Raises:
        PlanError: the path of the definitions holds characters that cannot be printed.
    """
    if not definitions.isprintable():
        fix = "rename the folder"
        raise PlanError(field="definitions", problem="lie in a folder whose name cannot be printed", fix=fix)
    area = []
    if plan.states:
        area.append(f"states = {_text('all') if plan.states == STATES.keys() else _list(sorted(plan.states))}")
    if plan.puerto_rico:
        area.append("puerto-rico = true")
    publication = [f"negative-counts = {str(plan.allow_negative).lower()}"]
    if plan.suppression:
        publication.append(f"suppression = {_exact(plan.suppression)}")
    privacy = [
        'unit = "person"',
        'neighbours = "add-remove"',
        f'measure = "{plan.measure}"',
        f"stage-1-share = {_exact(plan.gamma)}",
    ]
    parts = [
        [f"title = {_text(plan.title)}", f"definitions = {_text(definitions)}"],
        ["[privacy]", *privacy],
        ["[records]", f"race-codes = {plan.max_race_codes}"],
        ["[area]", *area],
        ["[publication]", *publication],
        *(["[[levels]]", *_level(level)] for level in plan.levels),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _level(level: Level) -> list[str]:
    (groups,) = [word for word, number in LEVELS.items() if number == level.iteration_level]
    return [
        f'geography = "{level.geography}"',
        f'groups = "{groups}"',
        f"budget = {_exact(level.budget)}",
        f"thresholds = {list(level.thresholds)}",
    ]


def _exact(number: Fraction) -> str:
    """A number as the string that is read back exactly: a decimal where it is one of few digits, else a ratio.

    >>> _exact(Fraction("0.159")), _exact(Fraction(20)), _exact(Fraction(1, 3))
    ('"0.159"', '"20"', '"1/3"')
    """
    places = next((places for places in range(_MOST_PLACES + 1) if 10**places % number.denominator == 0), None)
    if places is None:
        return f'"{number}"'
    digits = f"{int(number * 10**places):0{places + 1}d}"
    return f'"{digits[:-places]}.{digits[-places:]}"' if places else f'"{digits}"'


def _text(text: str) -> str:
    """A TOML string: for printable text the same as a JSON one."""
    return json.dumps(text, ensure_ascii=False)


def _list(texts: list[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"
