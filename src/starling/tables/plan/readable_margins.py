"""Margins of error in a plan file: `margins = [{ number = "cell", within = 11 }, ...]` of a level, read and checked.

A target for nothing, or one that no noise could keep, is refused at its line.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from starling.errors import ParameterError
from starling.planfile.spelling import did_you_mean
from starling.planfile.toml import Float, Section
from starling.privacy.budget import exact
from starling.tables.plan.accuracy_targets import AGES, CONFIDENCE, NUMBERS, AccuracyTarget, Number
from starling.tables.plan.codebook import Iteration

EXAMPLE: Final = 'margins = [{ number = "cell", within = 11 }]'
LARGEST_MARGIN: Final = 10**6
"""Persons."""
LARGEST_SIZE: Final = 10**12
"""Persons."""
MOST_SURE: Final = 1 - Fraction(1, 10**12)

_KEYS: Final = ("number", "within", "ages", "persons", "confidence")
_CLASSED: Final = ("cell", "sex total", "total")
"""Numbers that groups of several classes have."""
_PERCENT: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*%")


def read_targets(level: Section) -> list[tuple[Section, AccuracyTarget]]:
    """The accuracy targets of a level, each with its place in the file; those that are wrong in themselves are refused."""
    found = []
    for section in level.inline("margins", EXAMPLE):
        before = len(section.problems)
        target = _target(section)
        if target is not None and len(section.problems) == before:
            found.append((section, target))
    return found


def check_targets(
    targets: Sequence[tuple[Section, AccuracyTarget]], iterations: Sequence[Iteration], thresholds: Sequence[int]
) -> None:
    """Refuse targets for numbers that no group of the level has; a level without groups is refused as such elsewhere."""
    if not iterations:
        return
    staged = any(not iteration.total_only for iteration in iterations)
    bare = any(iteration.total_only for iteration in iterations)
    for section, target in targets:
        if target.staged and not staged:
            fix = 'write number = "total only", or leave it out'
            section.refuse("number", "is of groups in two stages, and all groups of this level are totals by plan", fix)
        elif not target.staged and not bare:
            fix = 'write number = "bare total" for those below the first threshold'
            section.refuse("number", "is of groups that are totals by plan, and this level has none", fix)
        elif target.number in ("cell", "sex total") and target.persons is not None and target.persons < thresholds[0]:
            fix = f"write {thresholds[0]} or more, or a number that they have"
            section.refuse(
                "persons", f"is below the first threshold: such groups have a bare total, no {target.number}", fix
            )


def _target(section: Section) -> AccuracyTarget | None:
    section.only(_KEYS)
    number = _number(section)
    if number not in _CLASSED:
        for key in ("ages", "persons"):
            if number is not None and key in section.values:
                fix = "leave it out, or write cell, sex total or total"
                section.refuse(key, f"is no class of a {number}, which has one distribution for all groups", fix)
    if "ages" in section.values and "persons" in section.values:
        section.refuse("persons", "stands beside ages", "say the class one way: the size decides the detail")
    ages = _ages(section) if "ages" in section.values else None
    before = len(section.problems)
    persons = section.whole("persons", 1, LARGEST_SIZE) if "persons" in section.values else None
    within = _within(section, persons if len(section.problems) == before else None)
    sure = _confidence(section)
    if number is None or within is None or sure is None:
        return None
    return AccuracyTarget(number, within, ages, persons, sure)


def _number(section: Section) -> Number | None:
    value = section.values.get("number")
    for known in NUMBERS:
        if value == known:
            return known
    fix = f"write one of {', '.join(NUMBERS)}"
    if isinstance(value, str) and did_you_mean(value, NUMBERS) != "remove it":
        fix = did_you_mean(value, NUMBERS)
    section.refuse("number", "is missing" if "number" not in section.values else "is no number of the tables", fix)
    return None


def _ages(section: Section) -> int | None:
    value = section.values["ages"]
    if type(value) is int and value in AGES[1:]:
        return value
    fix = 'write 4, 9 or 23; for groups without ages, number = "bare total"'
    section.refuse("ages", "is no number of age bands", fix)
    return None


def _within(section: Section, persons: int | None) -> int | Fraction | None:
    """Persons, or a share of `persons`."""
    value = section.values.get("within")
    fix = 'write persons, such as within = 11, or beside persons a percentage, such as within = "1 %"'
    if value is None:
        section.refuse("within", "is missing", fix)
    elif isinstance(value, str):
        found = _PERCENT.fullmatch(value.strip())
        share = _exact(found[1]) if found else None
        if share is None:
            section.refuse("within", "is a text that is no percentage", fix)
        elif "persons" not in section.values:
            fix = "add persons = 10000, or the size that you mean"
            section.refuse("within", "is a percentage of a size that is not stated", fix)
        elif not 0 < share <= 100:
            section.refuse("within", "is not above 0 % and at most 100 %", 'write it like within = "1 %"')
        elif persons is not None and share * persons < 100:
            fix = f'write within = "{-(-100 // persons)} %" or more, or a margin in persons'
            section.refuse("within", f"is less than one person of {persons:,}, and no noise is that small", fix)
        else:
            return share / 100
    elif isinstance(value, Float) or type(value) is not int:
        section.refuse("within", "is not a whole number of persons", fix)
    elif value < 1:
        section.refuse("within", "is below 1: a number without error has no privacy", "write 1 or more")
    elif value > LARGEST_MARGIN:
        section.refuse("within", f"is above {LARGEST_MARGIN} persons", "write less")
    else:
        return value
    return None


def _confidence(section: Section) -> Fraction | None:
    value = section.values.get("confidence")
    if value is None and "confidence" not in section.values:
        return CONFIDENCE
    found = _PERCENT.fullmatch(value.strip()) if isinstance(value, str) else None
    share = _exact(found[1]) if found else None
    if share is not None:
        fix = f'write the chance: confidence = "{float(share / 100):g}"'
        section.refuse("confidence", "is a percentage", fix)
        return None
    sure = section.number("confidence", 'write the chance that the margin holds, such as "0.95"')
    if sure is not None and not Fraction(1, 2) <= sure <= MOST_SURE:
        section.refuse("confidence", "is not from 0.5 to 0.999999999999", 'write a chance such as "0.95"')
        return None
    return sure


def _exact(text: str) -> Fraction | None:
    try:
        return exact(text, field="number")
    except ParameterError:
        return None
