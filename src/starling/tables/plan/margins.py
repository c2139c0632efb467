"""Margins of error of a level in place of its budget, such as `margins = [{ number = "cell", within = 11 }]`.

A target for nothing, or one that no noise could keep, is refused at its line.
"""

import re
from dataclasses import replace
from fractions import Fraction
from typing import Final

from starling.errors import ParameterError
from starling.planfile.grammar import Key, Kind, Table, Values
from starling.planfile.kinds import aside, choice, exact, tables, whole
from starling.planfile.spelling import did_you_mean
from starling.planfile.toml import Float, Section
from starling.planfile.values import exact_text
from starling.privacy.budget import exact as exact_number
from starling.tables.plan.accuracy_targets import CONFIDENCE, NUMBERS, AccuracyTarget, Number, ages
from starling.tables.plan.sex_by_age import SEX_BY_AGE

LARGEST_MARGIN: Final = 10**6
"""Persons."""
LARGEST_SIZE: Final = 10**12
"""Persons."""
MOST_SURE: Final = 1 - Fraction(1, 10**12)
EXAMPLE: Final = 'margins = [{ number = "cell", within = 11 }]'
_CLASSED: Final = ("cell", "sex total", "total")
"""Numbers that groups of several classes have."""
_PERCENT: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*%")


def _read_number(section: Section, key: str, _: Values) -> Number | None:
    value = section.values.get(key)
    if value in NUMBERS:
        number: Number = value
        return number
    fix = f"write one of {', '.join(NUMBERS)}"
    if isinstance(value, str) and did_you_mean(value, NUMBERS) != "remove it":
        fix = did_you_mean(value, NUMBERS)
    section.refuse(key, "is missing" if value is None else "is no number of the tables", fix)
    return None


def _read_ages(section: Section, key: str, _: Values) -> int | None:
    value = section.values[key]
    if type(value) is int and value in ages(SEX_BY_AGE)[1:]:
        return value
    section.refuse(key, "is no number of age bands", 'write 4, 9 or 23; for groups without ages, number = "bare total"')
    return None


def _within(section: Section, persons: int | None) -> int | Fraction | None:
    value = section.values.get("within")
    fix = 'write persons, such as within = 11, or beside persons a percentage, such as within = "1 %"'
    share = _percentage(value)
    if value is None:
        problem = "is missing"
    elif isinstance(value, str) and share is None:
        problem = "is a text that is no percentage"
    elif share is not None and "persons" not in section.values:
        problem, fix = "is a percentage of a size that is not stated", "add persons = 10000, or the size that you mean"
    elif share is not None and not 0 < share <= 100:
        problem, fix = "is not above 0 % and at most 100 %", 'write it like within = "1 %"'
    elif share is not None and persons is not None and share * persons < 100:
        problem = f"is less than one person of {persons:,}, and no noise is that small"
        fix = f'write within = "{-(-100 // persons)} %" or more, or a margin in persons'
    elif share is not None:
        return share / 100
    elif isinstance(value, Float) or type(value) is not int:
        problem = "is not a whole number of persons"
    elif value < 1:
        problem, fix = "is below 1: a number without error has no privacy", "write 1 or more"
    elif value > LARGEST_MARGIN:
        problem, fix = f"is above {LARGEST_MARGIN} persons", "write less"
    else:
        return value
    section.refuse("within", problem, fix)
    return None


_CONFIDENCE: Final = exact(
    'write the chance that the margin holds, such as "0.95"',
    lambda chance: not Fraction(1, 2) <= chance <= MOST_SURE,
    "is not from 0.5 to 0.999999999999",
    'write a chance such as "0.95"',
)


def _read_confidence(section: Section, key: str, values: Values) -> Fraction | None:
    share = _percentage(section.values[key])
    if share is None:
        chance: Fraction | None = _CONFIDENCE.read(section, key, values)
        return chance
    section.refuse(key, "is a percentage", f'write the chance: confidence = "{float(share / 100):g}"')
    return None


def _percentage(value: object) -> Fraction | None:
    """The number before the sign of a percentage; None for whatever is none."""
    written = _PERCENT.fullmatch(value.strip()) if isinstance(value, str) else None
    try:
        return exact_number(written[1], field="number") if written else None
    except ParameterError:
        return None


CONFIDENCE_KEY: Final = Key(
    "The least chance that the error is within.",
    replace(_CONFIDENCE, read=_read_confidence),
    default=CONFIDENCE,
    value=lambda target: None if target.confidence == CONFIDENCE else target.confidence,
)


def _check_target(section: Section, values: Values) -> None:
    number, persons = values["number"], values["persons"]
    if number not in _CLASSED:
        for key in ("ages", "persons"):
            if number is not None and key in section.values:
                fix = "leave it out, or write cell, sex total or total"
                section.refuse(key, f"is no class of a {number}, which has one distribution for all groups", fix)
    if "ages" in section.values and "persons" in section.values:
        section.refuse("persons", "stands beside ages", "say the class one way: the size decides the detail")
    values["within"] = _within(section, persons if persons == section.values.get("persons") else None)


_MARGIN: Final = Table(
    {
        "number": Key(
            "Which number: a cell is one sex at one age; a bare total is below the first threshold, a total only by plan.",
            replace(choice(NUMBERS), read=_read_number),
        ),
        "within": Key(
            'Persons, at least 1; or beside `persons` a percentage of them, such as `"1 %"`.',
            aside("whole number, or percentage", {"type": ["string", "integer"]}),
            value=lambda target: (
                target.within if isinstance(target.within, int) else f"{exact_text(100 * target.within)} %"
            ),
        ),
        "ages": Key(
            "In groups that are published by so many age bands.",
            Kind("4, 9 or 23", {"type": "integer"}, _read_ages),
            default=None,
        ),
        "persons": Key("In groups of this true size.", whole(1, LARGEST_SIZE), default=None),
        "confidence": CONFIDENCE_KEY,
    },
    make=AccuracyTarget,
    check=_check_target,
)


def _read_margins(section: Section, key: str, values: Values) -> list[tuple[Section, AccuracyTarget]]:
    """The accuracy targets of a level, each with its place in the file; those that are wrong in themselves are refused."""
    read = [(each, _MARGIN.parse(each, values)) for each in section.inline(key, EXAMPLE)]
    return [(each, target) for each, target in read if target is not None]


MARGINS: Final = replace(tables(_MARGIN, EXAMPLE), read=_read_margins)
