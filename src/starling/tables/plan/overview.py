"""A plan at a glance, as plain values for the command line, the report and the preview: costs, noise, stability, groups."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final

from starling.errors import ParameterError, PlanError
from starling.privacy.accounting.conversion import Approximate, approximate
from starling.privacy.budget import Cost, Exact, positive
from starling.privacy.distributions.accuracy import margin, smallest
from starling.tables.plan.accuracy_targets import AccuracyTarget, Setting
from starling.tables.plan.blocks import Geography
from starling.tables.plan.choices import cost_of
from starling.tables.plan.cross_solving import widened
from starling.tables.plan.levels import Level
from starling.tables.plan.model import Plan
from starling.tables.plan.stability import stability_by_codes
from starling.tables.plan.variants import LARGEST_BUDGET, StageNoise


@dataclass(frozen=True, slots=True)
class LevelOverview:
    """One population group level.

    Attributes:
        by_codes: The bound on the groups of one person that looks at one code at a time; at least the stability that is used.
        degree: What divides the budget: the stability, times k or k squared where up to k records of a person are counted.
        regions: Regions in the geography; None without one.
    """

    level: Level
    cost: Cost
    by_codes: int
    degree: int
    stage_noise: StageNoise
    regions: int | None

    @property
    def share(self) -> Cost:
        """What one of its groups spends on one record: cost / degree."""
        return replace(self.cost, amount=self.cost.amount / self.degree)

    @property
    def iterations(self) -> int:
        """How many iterations are tabulated."""
        return len(self.level.iterations)

    @property
    def total_only(self) -> int:
        """How many of the tabulated iterations are bare totals by plan."""
        return int(self.level.total_only.sum())

    @property
    def groups(self) -> int | None:
        """Population groups, regions times iterations; None without a geography."""
        return None if self.regions is None else self.regions * self.iterations


@dataclass(frozen=True)
class Overview:
    """A plan at a glance.

    Attributes:
        groups: Population groups of all levels; None without a geography.
    """

    plan: Plan
    levels: tuple[LevelOverview, ...]
    groups: int | None

    @property
    def relation(self) -> str:
        """Neighbours and protected unit, as text."""
        return str(self.plan.guarantee.relation)

    @property
    def adds_to(self) -> tuple[str, ...]:
        """Requests of the earlier releases that the plan adds to, the last first; none for one that stands alone."""
        return tuple(each.request_id for each in self.plan.variants.releases)

    @cached_property
    def approximate(self) -> Approximate:
        """What the plan and all that it adds to cost in the terms of (epsilon, delta)-DP, at the delta of the plan."""
        return approximate(self.plan.joint_guarantee, self.plan.delta)


def describe(plan: Plan, geography: Geography | None = None) -> Overview:
    """What `plan` costs and holds; with a geography, how many groups."""
    levels = tuple(
        LevelOverview(
            level,
            cost_of(plan.measure, level.budget),
            stability_by_codes(level.iterations, plan.attributes),
            plan.degree(level),
            plan.stage_noise(level),
            None if geography is None else len(geography.regions[level.geography]),
        )
        for level in plan.levels
    )
    return Overview(plan, levels, None if geography is None else plan.cells(geography))


SCALE_PLACES: Final = 3
"""Decimals of the factor on all margins that a total budget pays for."""
LARGEST_SCALE: Final = 10**6
_WIDER: Final = Fraction(6, 5)
"""How much a target is relaxed to see what that would save; at least one person."""


@dataclass(frozen=True, slots=True)
class Price:
    """What one accuracy target of a plan costs.

    Attributes:
        gives: Margin, in persons, that the level's budget gives at the target's confidence; at most the target's.
        need: Budget of the level that this target alone needs.
        binding: Whether the level's budget is this need: relaxing any other target saves nothing here.
        relaxed: The target a fifth wider, and at least by one person.
        saving: Part of the plan's whole cost that is saved when it is relaxed; 0 where it does not bind.
    """

    level: Level
    target: AccuracyTarget
    gives: int
    need: Fraction
    binding: bool
    relaxed: AccuracyTarget
    saving: Fraction


def prices(plan: Plan) -> tuple[Price, ...]:
    """Every accuracy target of a plan with what it costs, in plan order; none where all levels state budgets."""
    return tuple(_price(plan, level, target) for level in plan.levels for target in level.targets)


def _price(plan: Plan, level: Level, target: AccuracyTarget) -> Price:
    setting = _setting(plan, level)
    need = setting.need(target) or level.budget
    relaxed = target.wider(_WIDER)
    if relaxed.margin == target.margin and isinstance(target.within, int):
        relaxed = replace(target, within=target.within + 1)
    saving = Fraction(0)
    if need >= level.budget:
        others = tuple(relaxed if each == target else each for each in level.targets)
        saving = 1 - with_targets(plan, {level.name: others}).cost.amount / plan.cost.amount
    return Price(level, target, least_margin(plan, level, target), need, need >= level.budget, relaxed, saving)


def least_margin(plan: Plan, level: Level, target: AccuracyTarget) -> int:
    """The least margin, in persons, that the level's budget keeps of the number of a target, at its confidence."""
    stage_noise, thresholds = plan.stage_noise(level), level.thresholds
    draws, lifts = target.draws(plan.detail, thresholds)
    alone = margin(target.distribution(stage_noise), target.missing, draws)
    if not lifts and not (plan.variants.both_stages and target.reused):
        return alone

    def holds(persons: int) -> bool:
        wider, both = replace(target, within=persons), plan.variants.both_stages
        return wider.is_met(stage_noise, plan.detail, thresholds, both_stages=both)

    return smallest(holds, alone)


def solve(plan: Plan, *, scale: Exact = 1) -> Plan:
    """A plan with the margin of every target times `scale`, at the least budgets that keep them; stated budgets stay.

    Margins in persons are rounded down, and are at least 1.

    Args:
        plan: A plan with a target in at least one level.
        scale: Above 0, exact: "1.5" for margins half as wide again.

    Raises:
        ParameterError: where the plan has no target, or the scale is not above 0 and at most a million.
        PlanError: where no budget keeps the margins.

    >>> from starling.tables.plan.accuracy_targets import AccuracyTarget, Setting
    >>> AccuracyTarget("cell", 11).wider(Fraction("1.5"))
    AccuracyTarget(number='cell', within=16, ages=None, persons=None, confidence=Fraction(19, 20))
    """
    factor = positive(scale, field="scale")
    if factor > LARGEST_SCALE:
        raise ParameterError("scale", f"is above {LARGEST_SCALE}", "give less")
    _promising(plan)
    if plan.cross is not None:
        return replace(plan, cross=widened(plan.cross, plan.cross_shape, plan.records_of_one, factor))
    wider = {level.name: tuple(target.wider(factor) for target in level.targets) for level in plan.levels}
    return with_targets(plan, wider)


def afford(plan: Plan, total: Exact) -> tuple[Fraction, Plan]:
    """What a whole cost of at most `total` gives: the least factor on the margins of all targets, and the plan with it.

    Args:
        plan: A plan with a target in at least one level.
        total: Epsilon or rho of the whole, as the plan counts, above 0, exact.

    Returns:
        The factor, in thousandths, and the solved plan, whose cost is at most `total`.

    Raises:
        ParameterError: where the plan has no target, or not even margins a million times as wide are paid for.
    """
    most = positive(total, field="total")
    _promising(plan)
    unit = Fraction(1, 10**SCALE_PLACES)

    def paid(steps: int) -> bool:
        try:
            return steps > 0 and solve(plan, scale=steps * unit).cost.amount <= most
        except PlanError:
            return False  # no budget keeps margins that narrow

    if not paid(LARGEST_SCALE * 10**SCALE_PLACES):
        stated = " (levels that state a budget keep it)" if any(not level.targets for level in plan.levels) else ""
        problem = f"pays for no margins, were they a million times as wide{stated}"
        raise ParameterError("total", problem, f"give more; the plan as it stands costs {plan.cost}")
    factor = smallest(paid, 10**SCALE_PLACES) * unit
    return factor, solve(plan, scale=factor)


def _promising(plan: Plan) -> None:
    promised = [plan.cross.margins] if plan.cross is not None else [level.targets for level in plan.levels]
    if not any(promised):
        fix = "write margins in place of budgets; preview says what margins the budgets give"
        raise ParameterError("plan", "promises no margin: it states budgets", fix)


def _setting(plan: Plan, level: Level) -> Setting:
    return Setting(
        plan.measure, plan.gamma, plan.degree(level), level.thresholds, plan.variants.both_stages, plan.detail
    )


def with_targets(plan: Plan, targets: dict[str, tuple[AccuracyTarget, ...]]) -> Plan:
    """The plan with other targets in some levels, at the least budgets."""

    def priced(level: Level) -> Level:
        if not (stated := targets.get(level.name)):
            return level
        budget = _setting(plan, level).budget(stated)
        if budget is None:
            raise PlanError(level.name, f"promises what no budget up to {LARGEST_BUDGET} keeps", "give wider margins")
        return replace(level, budget=budget, targets=stated)

    return replace(plan, levels=tuple(map(priced, plan.levels)))
