"""From a code book and budgets to the population group levels of a plan: the same rules for every format of plan file."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from starling.errors import PlanError, Problem
from starling.tables.plan.codebook import ITERATION_LEVELS, Definitions, GeographyLevel
from starling.tables.plan.model import Level
from starling.tables.plan.stability import stability

Thresholds: TypeAlias = tuple[int, int, int]
LevelKey: TypeAlias = tuple[GeographyLevel, int]
"""A geography level and an iteration level."""


def all_levels(*, us: bool, pr: bool) -> Iterator[LevelKey]:
    """Geography and iteration levels that a run of the United States and/or Puerto Rico has, in plan order."""
    for geography in GeographyLevel:
        if pr if geography.puerto_rico else us:
            for level in ITERATION_LEVELS:
                yield geography, level


@contextmanager
def within(file: str) -> Iterator[None]:
    """Name the file in problems of the plan as a whole, which have none."""
    try:
        yield
    except PlanError as error:
        problems = [problem if problem.file else replace(problem, file=file) for problem in error.problems]
        raise PlanError(problems=problems) from None


def population_levels(
    definitions: Definitions,
    budgets: Mapping[LevelKey, Fraction],
    thresholds: Mapping[LevelKey, Thresholds],
    max_race_codes: int,
) -> tuple[Level, ...]:
    """The levels with a budget above 0, in plan order, each with its stability.

    Args:
        definitions: The code book.
        budgets: Epsilon or rho of each level; absent or 0 switches it off.
        thresholds: For each level with a budget.
        max_race_codes: Race columns read of a record.

    Raises:
        PlanError: when no level has a budget, or a level with one has groups that nobody can be in; all such levels at once.
    """
    levels: list[Level] = []
    problems: list[Problem] = []
    for geography, level in all_levels(us=True, pr=True):
        budget = budgets.get((geography, level), Fraction(0))
        if budget == 0:
            continue
        iterations = definitions.tabulated(geography, level)
        try:
            bound = stability(iterations, max_race_codes)
        except PlanError as error:
            problems += [Problem(f"({geography}, {level}) {p.field}", p.problem, p.fix) for p in error.problems]
            continue
        levels.append(Level(geography, level, budget, thresholds[geography, level], iterations, bound))
    if not levels and not problems:
        problems.append(Problem("budgets", "are 0 everywhere, so nothing would be tabulated", "give a level a budget"))
    if problems:
        raise PlanError(problems=problems)
    return tuple(levels)
