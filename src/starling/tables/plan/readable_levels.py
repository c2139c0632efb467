"""The levels of a plan file: `[[levels]]` with budgets, or with margins of error such as `margins = [{ number = "cell", within = 11 }]`.

A target for nothing, or one that no noise could keep, is refused at its line. Where a level has margins, its budget is the least that keeps
them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, TypeVar

from starling.errors import ParameterError
from starling.planfile.spelling import did_you_mean
from starling.planfile.toml import Float, Section
from starling.planfile.values import exact_text
from starling.privacy.budget import Measure, exact
from starling.tables.plan.accuracy_targets import (
    CONFIDENCE,
    NUMBERS,
    AccuracyTarget,
    Number,
    Setting,
    ages,
    cheapest_gamma,
)
from starling.tables.plan.choices import LevelKey
from starling.tables.plan.codebook import GeographyLevel, Iteration
from starling.tables.plan.definitions import LEVELS
from starling.tables.plan.detail import Detail
from starling.tables.plan.levels import Level, Thresholds
from starling.tables.plan.region_levels import RegionLevels
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.variants import LARGEST_BUDGET

Key = TypeVar("Key", bound=tuple[str, int])
"""A level of regions and a family of groups."""
LARGEST_THRESHOLD: Final = 10**12
_COUNTS: Final = {1: "one", 2: "two", 3: "three", 4: "four"}
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


@dataclass(frozen=True, slots=True)
class Stated:
    """What the file says of a level.

    Attributes:
        budget: Exact; None where targets are given instead.
        targets: Each with its place in the file.
        thresholds: The thresholds of the level.
    """

    budget: Fraction | None
    targets: list[tuple[Section, AccuracyTarget]]
    thresholds: Thresholds


def read_levels(sections: list[Section], *, us: bool, puerto_rico: bool) -> dict[LevelKey, Stated]:
    """Budget or margins, and thresholds, of each level."""
    stated: dict[LevelKey, Stated] = {}
    geographies = tuple(geography.value for geography in GeographyLevel)
    for section in sections:
        section.only(("geography", "groups", "budget", "margins", "thresholds"))
        before = len(section.problems)
        geography = GeographyLevel(section.choice("geography", geographies, f"write one of {', '.join(geographies)}"))
        key = (geography, LEVELS[section.choice("groups", tuple(LEVELS), "write regional or detailed")])
        if len(section.problems) == before:
            if key in stated:
                section.refuse("geography", f"{geography} is there with these groups already", "give each level once")
            if not (puerto_rico if geography.puerto_rico else us):
                section.refuse("geography", f"{geography} is outside the area", "add it to [area], or leave it out")
        stated[key] = Stated(*read_price(section), read_thresholds(section, SEX_BY_AGE))
    return stated


def read_price(section: Section) -> tuple[Fraction | None, list[tuple[Section, AccuracyTarget]]]:
    """The budget of a level, or the margins that it promises, each with its place in the file."""
    promised = "margins" in section.values
    if promised == ("budget" in section.values):
        problem = "stands beside margins" if promised else "is missing"
        section.refuse("budget", problem, "give either budget or margins")
    budget = read_budget(section) if "budget" in section.values else None
    return budget, _targets(section) if promised else []


def read_budget(section: Section) -> Fraction | None:
    """The budget that a level or an aggregate states; None after a refusal."""
    budget = section.number("budget", 'write it like "0.159"')
    if budget is not None and not 0 < budget <= LARGEST_BUDGET:
        fix = "leave the level out to switch it off"
        section.refuse("budget", f"is not above 0 and at most {LARGEST_BUDGET}", fix)
    return budget


def solved(
    top: Section,
    stated: Mapping[Key, Stated],
    bounds: Mapping[Key, int],
    measure: Measure,
    gamma: Fraction | None,
    *,
    both_stages: bool,
    detail: Detail,
    regions: RegionLevels,
) -> tuple[Fraction, dict[Key, Fraction]]:
    """The share of stage 1 and the budget of each level, given or the least that keeps the level's targets."""
    half = Fraction(1, 2)
    settings = {
        key: Setting(measure, gamma or half, bounds[key], each.thresholds, both_stages, detail)
        for key, each in stated.items()
    }
    budgets = {key: each.budget for key, each in stated.items() if each.budget is not None}
    promising = [key for key in stated if key not in budgets]

    def total(solved: Sequence[Fraction]) -> Fraction:
        # As the plan's guarantee composes them: Puerto Rico beside the United States.
        whole = list((budgets | dict(zip(promising, solved, strict=True))).items())
        parts = regions.parts(key[0] for key, _ in whole)
        return max(sum((whole[place][1] for place in places), Fraction(0)) for places in parts.values())

    if gamma is None:
        targets = [[target for _, target in stated[key].targets] for key in promising]
        if not any(target.number == "deciding total" for each in targets for target in each):
            fix = 'give a margin of number = "deciding total" in a level, or write a share such as "0.1"'
            top.table("privacy").refuse(
                "stage-1-share", "is the cheapest, and with no target for the deciding total that is none at all", fix
            )
            return half, {}
        gamma = cheapest_gamma([settings[key] for key in promising], targets, total) or half
    needs: dict[Key, Fraction] = {}
    for key in promising:
        setting = replace(settings[key], gamma=gamma)
        for section, target in stated[key].targets:
            need = setting.need(target)
            if need is None:
                fix = "write a wider margin, or one that needs to hold less surely"
                section.refuse("within", f"cannot be kept: it would need a budget above {LARGEST_BUDGET}", fix)
            else:
                needs[key] = max(need, needs.get(key, need))
    return gamma, budgets | needs


def read_thresholds(section: Section, detail: Detail) -> Thresholds:
    """One threshold for each step of the detail."""
    cuts = section.values.get("thresholds")
    numbers = [cut for cut in cuts if type(cut) is int] if isinstance(cuts, list) else []
    ascending = all(low < high for low, high in pairwise((0, *numbers, LARGEST_THRESHOLD + 1)))
    if isinstance(cuts, list) and len(cuts) == len(numbers) == detail.steps and ascending:
        return tuple(numbers)
    missing = "thresholds" not in section.values
    problem = (
        "is missing"
        if missing
        else f"is not {_COUNTS.get(detail.steps, detail.steps)} strictly increasing positive integers"
    )
    section.refuse("thresholds", problem, f"write the noisy totals from which there are {_finer(detail)}")
    return tuple(range(1, detail.steps + 1))


def _finer(detail: Detail) -> str:
    if detail == SEX_BY_AGE:
        return "4, 9 and 23 age bands"
    return f"{', then '.join(detail.names[branch] for branch in range(1, detail.steps + 1))}"


def _targets(level: Section) -> list[tuple[Section, AccuracyTarget]]:
    """The accuracy targets of a level, each with its place in the file; those that are wrong in themselves are refused."""
    targets = []
    for section in level.inline("margins", EXAMPLE):
        before = len(section.problems)
        target = _target(section)
        if target is not None and len(section.problems) == before:
            targets.append((section, target))
    return targets


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
    if type(value) is int and value in ages(SEX_BY_AGE)[1:]:
        return value
    fix = 'write 4, 9 or 23; for groups without ages, number = "bare total"'
    section.refuse("ages", "is no number of age bands", fix)
    return None


def _within(section: Section, persons: int | None) -> int | Fraction | None:
    """Persons, or a share of `persons`."""
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


def _confidence(section: Section) -> Fraction | None:
    if "confidence" not in section.values:
        return CONFIDENCE
    share = _percentage(section.values["confidence"])
    if share is not None:
        section.refuse("confidence", "is a percentage", f'write the chance: confidence = "{float(share / 100):g}"')
        return None
    sure = section.number("confidence", 'write the chance that the margin holds, such as "0.95"')
    if sure is not None and not Fraction(1, 2) <= sure <= MOST_SURE:
        section.refuse("confidence", "is not from 0.5 to 0.999999999999", 'write a chance such as "0.95"')
        return None
    return sure


def _percentage(value: object) -> Fraction | None:
    """The number before the sign of a percentage; None for whatever is none."""
    written = _PERCENT.fullmatch(value.strip()) if isinstance(value, str) else None
    try:
        return exact(written[1], field="number") if written else None
    except ParameterError:
        return None


def level_values(level: Level) -> dict[str, Any]:
    """The values that say a level."""
    (groups,) = [word for word, number in LEVELS.items() if number == level.iteration_level]
    return {
        "geography": str(level.geography),
        "groups": groups,
        **price_values(level),
        "thresholds": list(level.thresholds),
    }


def price_values(level: Level) -> dict[str, Any]:
    """The budget of a level, or the margins that it was found for."""
    if level.targets:
        return {"margins": [_target_values(target) for target in level.targets]}
    return {"budget": exact_text(level.budget)}


def _target_values(target: AccuracyTarget) -> dict[str, Any]:
    within = target.within
    stated = {
        "number": target.number,
        "within": within if isinstance(within, int) else f"{exact_text(100 * within)} %",
        "ages": target.ages,
        "persons": target.persons,
        "confidence": None if target.confidence == CONFIDENCE else exact_text(target.confidence),
    }
    return {key: value for key, value in stated.items() if value is not None}
