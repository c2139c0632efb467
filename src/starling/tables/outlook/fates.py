"""Which detail the groups of a level will get, averaged over sizes that are assumed: exact chances of both draws of noise."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from starling.errors import PlanError
from starling.planfile.spelling import did_you_mean
from starling.tables.inference.totals import suppression_quantile
from starling.tables.labels import level_words
from starling.tables.outlook.sizes import Sizes, assumed
from starling.tables.plan import Level, Noise, Plan
from starling.tables.preview import at_least


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
    first, second = plan.laws(level).stage1, plan.noise(level)
    bar = suppression_quantile(plan, level)
    suppressed, branches = 0.0, [0.0] * 4
    for persons, part in given or assumed(level):
        # Branch b or a later one when persons + noise >= threshold b.
        reached = [1.0, *(_at_least(first, threshold - persons) for threshold in level.thresholds), 0.0]
        chances = [reached[branch] - reached[branch + 1] for branch in range(4)]
        dropped = 0.0 if bar is None else chances[0] * (1 - _at_least(second, bar + 1 - persons))
        suppressed += part * dropped
        chances[0] -= dropped
        branches = [whole + part * chance for whole, chance in zip(branches, chances, strict=True)]
    return Fate(level, given is not None, suppressed, (branches[0], branches[1], branches[2], branches[3]))


@lru_cache(maxsize=65536)
def _at_least(law: Noise, value: int) -> float:
    return at_least(law, value)
