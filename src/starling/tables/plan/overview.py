"""A plan at a glance, as plain values for the command line, the report and the preview: costs, laws, stability, groups."""

from dataclasses import dataclass

from starling.privacy.accounting.conversion import DELTA, Approximate, approximate
from starling.privacy.budget import Cost, Epsilon, Rho
from starling.tables.plan.geography import Geography
from starling.tables.plan.model import Level, Plan
from starling.tables.plan.stability import stability_by_codes
from starling.tables.plan.stages import StageLaws


@dataclass(frozen=True, slots=True)
class LevelOverview:
    """One population group level.

    Attributes:
        level: The level itself.
        cost: Of the level.
        by_codes: The bound on the groups of one person that looks at one code at a time; at least the stability that is used.
        share: What one of its groups spends: cost / stability.
        laws: Noise of one group.
        iterations: Tabulated iterations.
        total_only: Those of them that are bare totals by plan.
        regions: Regions in the geography; None without one.
        groups: Population groups, regions times iterations; None without a geography.
    """

    level: Level
    cost: Cost
    by_codes: int
    share: Cost
    laws: StageLaws
    iterations: int
    total_only: int
    regions: int | None
    groups: int | None


@dataclass(frozen=True, slots=True)
class Overview:
    """A plan at a glance.

    Attributes:
        title: For people.
        relation: Neighbours and protected unit, in words.
        cost: Of the whole release.
        united_states: Cost of its part; None if it is not tabulated.
        puerto_rico: Likewise. A person pays for one of the two parts.
        levels: In plan order.
        groups: Population groups of all levels; None without a geography.
        adds_to: Requests of the earlier releases that the plan adds to, the last first; none for one that stands alone.
        together: Cost of the release and of all that it adds to.
        approximate: The same in the terms of (epsilon, delta)-DP at the delta of `privacy.accounting.conversion.DELTA`.
    """

    title: str
    relation: str
    cost: Cost
    united_states: Cost | None
    puerto_rico: Cost | None
    levels: tuple[LevelOverview, ...]
    groups: int | None
    adds_to: tuple[str, ...]
    together: Cost
    approximate: Approximate


def describe(plan: Plan, geography: Geography | None = None) -> Overview:
    """What `plan` costs and holds; with a geography, how many groups."""
    kind = Epsilon if plan.measure == "epsilon" else Rho
    guarantee, us, pr = plan.guarantee, plan.guarantee_us, plan.guarantee_pr
    levels = []
    for level in plan.levels:
        regions = None if geography is None else len(geography.regions[level.geography])
        levels.append(
            LevelOverview(
                level=level,
                cost=kind(level.budget),
                by_codes=stability_by_codes(level.iterations, plan.max_race_codes),
                share=kind(level.budget / level.stability),
                laws=plan.laws(level),
                iterations=len(level.iterations),
                total_only=int(level.total_only.sum()),
                regions=regions,
                groups=None if regions is None else regions * len(level.iterations),
            )
        )
    return Overview(
        title=plan.title,
        relation=str(guarantee.relation),
        cost=guarantee.cost,
        united_states=None if us is None else us.cost,
        puerto_rico=None if pr is None else pr.cost,
        levels=tuple(levels),
        groups=None if geography is None else sum(level.groups or 0 for level in levels),
        adds_to=tuple(each.request_id for each in plan.variants.releases),
        together=plan.together.cost,
        approximate=approximate(plan.together, DELTA),
    )
