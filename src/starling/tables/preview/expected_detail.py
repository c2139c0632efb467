"""Which detail the groups of a level will get, averaged over sizes that are assumed in public or given in a file; never read from records.

The assumption. Of the groups of a level, a part 1/(1 + x/m) has at least x persons: half of them at least m, one in a hundred about a
hundred times m (a Pareto tail of exponent 1, as of city sizes), up to LARGEST. The medians m are round numbers of ours, chosen by
how finely a level cuts the population; they are no result of any census. Of custom records the median group has an equal part of
as many records as the plan expects. Who knows better gives a file. Given the size of a group, the
chances of its detail are exact, of both draws of noise.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import Final, TypeAlias

from starling.errors import PlanError, Problem
from starling.planfile.foreign import content
from starling.planfile.spelling import did_you_mean
from starling.tables.inference.combined import at_least
from starling.tables.inference.totals import suppression_quantile
from starling.tables.plan import Level, Plan
from starling.tables.plan.labels import level_text
from starling.tables.preview.levels import branch_chances

LARGEST: Final = 3 * 10**8
"""Persons in the largest group that is assumed."""

MOST_LINES: Final = 100_000
LONGEST_FILE: Final = 1 << 24
"""Bytes of a file of sizes."""
MOST_DIGITS: Final = 12
COLUMNS: Final = ("size", "groups")
LEVEL: Final = "level"

Sizes: TypeAlias = tuple[tuple[int, float], ...]
"""True sizes in persons, ascending, and the part of the groups that has each; the parts add up to 1."""


def assumed(plan: Plan, level: Level) -> Sizes:
    """The assumption for a level: sizes up to 9 one by one, then in steps of about a fifth, each step by its geometric mean."""
    median = plan.records.median(level, plan.regions)

    def reach(persons: int) -> float:
        return 1 / (1 + persons / median) if persons <= LARGEST else 0.0

    return tuple((isqrt(low * (high - 1)), reach(low) - reach(high)) for low, high in _steps())


def _steps() -> Iterator[tuple[int, int]]:
    low = 0
    while low <= LARGEST:
        high = low + 1 if low < 10 else min(low * 6 // 5, LARGEST + 1)
        yield low, high
        low = high


def read_sizes(path: Path) -> Mapping[str, Sizes]:
    """Sizes of groups from a CSV file: `size,groups`, or `level,size,groups` with levels as "COUNTY detailed".

    The file is public. Gives sizes by level; under the empty name for every level, where the file names none.

    Raises:
        PlanError: for anything else, with file and line.
    """
    try:
        text = content(path, LONGEST_FILE).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise PlanError(problems=[Problem("file", "cannot be read as UTF-8", "check the path", path.name)]) from None
    lines = list(csv.reader(text.splitlines()[: MOST_LINES + 1]))
    header = tuple(lines[0]) if lines else ()
    if header not in (COLUMNS, (LEVEL, *COLUMNS)):
        fix = "begin with the line size,groups or level,size,groups"
        raise PlanError(problems=[Problem("header", "is not known", fix, path.name, 1)])
    counted: dict[str, dict[int, int]] = {}
    problems = []
    for number, line in enumerate(lines[1:], start=2):
        *named, size, groups = line if len(line) == len(header) else ("", "", "")
        if not (_whole(size) and _whole(groups)):
            fix = f"write whole numbers of at most {MOST_DIGITS} digits: persons, then how many groups have so many"
            problems.append(Problem("line", "is not a size and a number of groups", fix, path.name, number))
            continue
        of_level = counted.setdefault(named[0].strip() if len(header) > len(COLUMNS) else "", {})
        of_level[int(size)] = of_level.get(int(size), 0) + int(groups)
    if not problems and not any(sum(of_level.values()) for of_level in counted.values()):
        problems = [Problem("groups", "are none", "give at least one size with groups", path.name)]
    PlanError.check(problems)
    return {name: _parts(of_level) for name, of_level in counted.items() if sum(of_level.values())}


def _whole(text: str) -> bool:
    return text.strip().isascii() and text.strip().isdigit() and len(text.strip()) <= MOST_DIGITS


def _parts(counted: Mapping[int, int]) -> Sizes:
    whole = sum(counted.values())
    return tuple((size, groups / whole) for size, groups in sorted(counted.items()) if groups)


@dataclass(frozen=True, slots=True)
class ExpectedDetail:
    """The detail that the groups of a level that are measured in two stages will get.

    Attributes:
        stated: Whether the sizes were given; otherwise assumed.
        suppressed: Part that is left out of the tables.
        branches: Parts published by each partition, the bare total first; with `suppressed` they add up to 1.
    """

    level: Level
    stated: bool
    suppressed: float
    branches: tuple[float, ...]


def expect_detail(plan: Plan, stated: Mapping[str, Sizes] | None = None) -> tuple[ExpectedDetail, ...]:
    """What becomes of the groups, by level in plan order; levels of bare totals by plan are left out.

    Args:
        plan: The plan to be released.
        stated: Sizes by level, named as "COUNTY detailed", or under the empty name for all; without it they are assumed.

    Raises:
        PlanError: where sizes are given for a level that the plan does not have.
    """
    sizes = stated or {}
    names = {level_text(plan, level): level for level in plan.levels}
    for name in sizes:
        if name and name not in names:
            raise PlanError("level", f"{name[:40]!r} is not in the plan", did_you_mean(name, names))
    return tuple(
        _expected_detail(plan, level, sizes.get(name, sizes.get("")))
        for name, level in names.items()
        if not level.single_stage
    )


def _expected_detail(plan: Plan, level: Level, sizes: Sizes | None) -> ExpectedDetail:
    second, bar = plan.noise(level), suppression_quantile(plan, level)
    suppressed, branches = 0.0, [0.0] * len(plan.detail.sizes)
    for persons, part in sizes or assumed(plan, level):
        chances = list(branch_chances(plan, level, persons))
        dropped = 0.0 if bar is None else chances[0] * (1 - at_least(second, bar + 1 - persons))
        suppressed += part * dropped
        chances[0] -= dropped
        branches = [whole + part * chance for whole, chance in zip(branches, chances, strict=True)]
    return ExpectedDetail(level, sizes is not None, suppressed, tuple(branches))
