"""Which detail the groups of a level will get, averaged over sizes that are assumed: exact chances of both draws of noise."""

from collections.abc import Mapping
from dataclasses import dataclass

from starling.errors import PlanError
from starling.planfile.spelling import did_you_mean
from starling.tables.inference.combined import at_least
from starling.tables.inference.totals import suppression_quantile
from starling.tables.labels import level_words
from starling.tables.plan import Level, Plan
from starling.tables.preview.errors import branch_chances
from starling.tables.preview.sizes import Sizes, assumed


@dataclass(frozen=True, slots=True)
class Fate:
    """Of the groups of a level that are measured in two stages.

    Attributes:
        level: The level.
        given: Whether the sizes were given; otherwise assumed.
        suppressed: Part that is left out of the tables.
        branches: Parts published as a bare total, with 4, 9 and 23 ages; with `suppressed` they add up to 1.
    """

    level: Level
    given: bool
    suppressed: float
    branches: tuple[float, float, float, float]


def fates(plan: Plan, given: Mapping[str, Sizes] | None = None) -> tuple[Fate, ...]:
    """What becomes of the groups, by level in plan order; levels of bare totals by plan are left out.

    Args:
        plan: To be released.
        given: Sizes by level, named as "COUNTY detailed", or under the empty name for all; without it they are assumed.

    Raises:
        PlanError: where sizes are given for a level that the plan does not have.
    """
    sizes = given or {}
    names = {level_words(level): level for level in plan.levels}
    for name in sizes:
        if name and name not in names:
            raise PlanError(field="level", problem=f"{name[:40]!r} is not in the plan", fix=did_you_mean(name, names))
    return tuple(
        _fate(plan, level, sizes.get(name, sizes.get("")))
        for name, level in names.items()
        if not level.total_only.all()
    )


def _fate(plan: Plan, level: Level, given: Sizes | None) -> Fate:
    second, bar = plan.noise(level), suppression_quantile(plan, level)
    suppressed, branches = 0.0, [0.0] * 4
    for persons, part in given or assumed(level):
        chances = list(branch_chances(plan, level, persons))
        dropped = 0.0 if bar is None else chances[0] * (1 - at_least(second, bar + 1 - persons))
        suppressed += part * dropped
        chances[0] -= dropped
        branches = [whole + part * chance for whole, chance in zip(branches, chances, strict=True)]
    return Fate(level, given is not None, suppressed, (branches[0], branches[1], branches[2], branches[3]))
