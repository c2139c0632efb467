"""From margins of error to the least budget that keeps them, and back. Everything is public: no data, no randomness.

A level's budget is the largest that one of its promises needs; each need is the least decimal of DIGITS significant digits with which
the promise is kept by the exact tails of its law. Rounding up comes first and the check after it, so what is paid for is kept.

The law of a total-only group has 1/s of the level's budget, that of a deciding total gamma/s, that of a second measurement (1 - gamma)/s,
s the stability. SafeTab 2022, Appendix F.1, prints 1/gamma for what its own Table 4 computes as 1/(1 - gamma).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Final

from starling.errors import ParameterError, PlanError
from starling.privacy.budget import Exact, Measure, positive
from starling.privacy.distributions.accuracy import Kind, distribution_for_margin, margin, smallest
from starling.privacy.events import noise_event
from starling.tables.plan.accuracy_targets import Promise
from starling.tables.plan.model import LARGEST_BUDGET, SMALLEST_SHARE, Level, Plan
from starling.tables.plan.stages import StageLaws, stage_laws

DIGITS: Final = 6
"""Significant decimal digits of a budget that was found for a margin of error; rounded up."""
GAMMAS: Final = tuple(Fraction(hundredth, 100) for hundredth in range(1, 100))
"""Shares of stage 1 among which the cheapest is chosen."""
SCALE_PLACES: Final = 3
"""Decimals of the factor on all margins that a total budget pays for."""
LARGEST_SCALE: Final = 10**6
_WIDER: Final = Fraction(6, 5)
"""How much a promise is relaxed to see what that would save; at least one person."""


def rounded_up(number: Fraction, digits: int) -> Fraction:
    """The least decimal of `digits` significant digits that is not below `number`, which is above 0.

    >>> rounded_up(Fraction(1, 3), 3), rounded_up(Fraction(1234), 2), rounded_up(Fraction("0.5"), 6)
    (Fraction(167, 500), Fraction(1300, 1), Fraction(1, 2))
    """
    unit = last_digit(number, digits)
    return ceil(number / unit) * unit


def last_digit(number: Fraction, digits: int = DIGITS) -> Fraction:
    """The unit of the last of `digits` significant digits of `number`, which is above 0.

    >>> last_digit(Fraction("0.0123"), 3), last_digit(Fraction(100000)), last_digit(Fraction("99999.95"))
    (Fraction(1, 10000), Fraction(1, 1), Fraction(1, 10))
    """
    places = digits
    while number * Fraction(10) ** places >= 10**digits:
        places -= 1
    while number * Fraction(10) ** places < 10 ** (digits - 1):
        places += 1
    return 1 / Fraction(10) ** places


@dataclass(frozen=True, slots=True)
class Setting:
    """What a level's promises are priced by, apart from its budget.

    Attributes:
        measure: Of the plan.
        gamma: Of the plan.
        stability: Of the level.
        thresholds: Of the level.
        both_stages: Of the plan.
    """

    measure: Measure
    gamma: Fraction
    stability: int
    thresholds: tuple[int, int, int]
    both_stages: bool = False

    def laws(self, budget: Fraction) -> StageLaws:
        """Of one group of the level, with that budget of the level."""
        return stage_laws(self.measure, budget / self.stability, self.gamma)

    def keeps(self, promise: Promise, budget: Fraction) -> bool:
        """Whether that budget of the level keeps a promise."""
        return promise.kept(self.laws(budget), self.thresholds, both_stages=self.both_stages)

    def need(self, promise: Promise) -> Fraction | None:
        """The least budget of the level that keeps one promise; None where none up to LARGEST_BUDGET does."""
        return _need(self, promise)

    def budget(self, promises: Sequence[Promise]) -> Fraction | None:
        """The least budget of the level that keeps all of them (at least one); None where there is none."""
        needs = [self.need(promise) for promise in promises]
        known = [need for need in needs if need is not None]
        return max(known) if len(known) == len(needs) else None


@lru_cache(maxsize=4096)
def _need(setting: Setting, promise: Promise) -> Fraction | None:
    draws, lifts = promise.draws(setting.thresholds)
    reused = setting.both_stages and promise.reused
    if reused:
        # Two measurements are no better than one with the budget of both, and here one draw stands for any number.
        draws = 1
    kind: Kind = "discrete_laplace" if setting.measure == "epsilon" else "discrete_gaussian"
    cost = noise_event(distribution_for_margin(kind, promise.margin, promise.missing, draws)).cost.amount
    part = {"total only": Fraction(1), "deciding total": setting.gamma}.get(promise.number, 1 - setting.gamma)
    part = Fraction(1) if reused else part
    # Below the second, the noise of a draw nears the range of a count, and the plan would be refused.
    drawable = SMALLEST_SHARE * setting.stability / min(setting.gamma, 1 - setting.gamma)
    least = rounded_up(max(cost * setting.stability / part, drawable), DIGITS)
    if least > LARGEST_BUDGET:
        return None
    if not (lifts or reused) or setting.keeps(promise, least):
        return least
    return _searched(lambda budget: setting.keeps(promise, budget), least)


def _searched(keeps: Callable[[Fraction], bool], above: Fraction) -> Fraction | None:
    """The least decimal above `above`, itself one that is not enough, that is; for a predicate that holds from some budget on."""
    while above <= LARGEST_BUDGET:
        # Within a decade the unit of the last digit stays.
        unit = last_digit(above)
        left = 10**DIGITS - int(above / unit)
        if keeps(above + left * unit):
            return above + smallest(lambda steps: keeps(above + steps * unit), 1) * unit  # noqa: B023 - called here
        above += left * unit
    return None


def cheapest_gamma(
    settings: Sequence[Setting], promises: Sequence[Sequence[Promise]], total: Callable[[Sequence[Fraction]], Fraction]
) -> Fraction | None:
    """The share of stage 1, in hundredths, with which the least budgets have the least total; None where none keeps them.

    Args:
        settings: Of each level; their gamma is not looked at.
        promises: Of each level, at least one.
        total: The cost of the whole from the budgets of these levels.
    """
    found = []
    for gamma in GAMMAS:
        budgets = [
            replace(setting, gamma=gamma).budget(stated) for setting, stated in zip(settings, promises, strict=True)
        ]
        known = [budget for budget in budgets if budget is not None]
        if len(known) == len(budgets):
            found.append((total(known), gamma))
    return min(found)[1] if found else None


@dataclass(frozen=True, slots=True)
class Price:
    """What one promise of a plan costs.

    Attributes:
        level: Its level.
        promise: The promise.
        given: Margin, in persons, that the level's budget gives at the promise's confidence; at most the promised one.
        need: Budget of the level that this promise alone needs.
        binding: Whether the level's budget is this need: relaxing any other promise saves nothing here.
        relaxed: The same promise, a fifth wider and at least by one person.
        saving: Part of the plan's whole cost that is saved when it is relaxed; 0 where it does not bind.
    """

    level: Level
    promise: Promise
    given: int
    need: Fraction
    binding: bool
    relaxed: Promise
    saving: Fraction


def prices(plan: Plan) -> tuple[Price, ...]:
    """Every promise of a plan with what it costs, in plan order; none where all levels state budgets."""
    return tuple(_price(plan, level, promise) for level in plan.levels for promise in level.promises)


def _price(plan: Plan, level: Level, promise: Promise) -> Price:
    setting = _setting(plan, level)
    need = setting.need(promise) or level.budget
    relaxed = promise.wider(_WIDER)
    if relaxed.margin == promise.margin and isinstance(promise.within, int):
        relaxed = replace(promise, within=promise.within + 1)
    saving = Fraction(0)
    if need >= level.budget:
        others = tuple(relaxed if each == promise else each for each in level.promises)
        saving = 1 - _with(plan, {level.name: others}).cost.amount / plan.cost.amount
    return Price(level, promise, _given(plan, level, promise), need, need >= level.budget, relaxed, saving)


def _given(plan: Plan, level: Level, promise: Promise) -> int:
    """The smallest margin that is kept."""
    laws, thresholds = plan.laws(level), level.thresholds
    draws, lifts = promise.draws(thresholds)
    alone = margin(promise.law(laws), promise.missing, draws)
    if not lifts and not (plan.variants.both_stages and promise.reused):
        return alone

    def holds(persons: int) -> bool:
        return replace(promise, within=persons).kept(laws, thresholds, both_stages=plan.variants.both_stages)

    return smallest(holds, alone)


def solve(plan: Plan, *, scale: Exact = 1) -> Plan:
    """The same plan with every promised margin times `scale`, at the least budgets that keep them; stated budgets stay.

    Margins in persons are rounded down, and are at least 1.

    Args:
        plan: With a promise in at least one level.
        scale: Above 0, exact: "1.5" for margins half as wide again.

    Raises:
        ParameterError: where the plan promises nothing, or the scale is not above 0 and at most a million.
        PlanError: where no budget keeps the margins.

    >>> from starling.tables.plan.accuracy_targets import Promise
    >>> Promise("cell", 11).wider(Fraction("1.5"))
    Promise(number='cell', within=16, ages=None, persons=None, confidence=Fraction(19, 20))
    """
    factor = positive(scale, field="scale")
    if factor > LARGEST_SCALE:
        raise ParameterError(field="scale", problem=f"is above {LARGEST_SCALE}", fix="give less")
    _promising(plan)
    return _with(
        plan, {level.name: tuple(promise.wider(factor) for promise in level.promises) for level in plan.levels}
    )


def afford(plan: Plan, total: Exact) -> tuple[Fraction, Plan]:
    """What a whole cost of at most `total` gives: the least factor on all promised margins, and the plan with it.

    Args:
        plan: With a promise in at least one level.
        total: Epsilon or rho of the whole, as the plan counts, above 0, exact.

    Returns:
        The factor, in thousandths, and the solved plan, whose cost is at most `total`.

    Raises:
        ParameterError: where the plan promises nothing, or not even margins a million times as wide are paid for.
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
        stated = " (levels that state a budget keep it)" if any(not level.promises for level in plan.levels) else ""
        raise ParameterError(
            field="total",
            problem=f"pays for no margins, were they a million times as wide{stated}",
            fix=f"give more; the plan as it stands costs {plan.cost}",
        )
    factor = smallest(paid, 10**SCALE_PLACES) * unit
    return factor, solve(plan, scale=factor)


def _promising(plan: Plan) -> None:
    if not any(level.promises for level in plan.levels):
        raise ParameterError(
            field="plan",
            problem="promises no margin: every level states a budget",
            fix="write margins in place of budgets; preview says what margins the budgets give",
        )


def _setting(plan: Plan, level: Level) -> Setting:
    return Setting(plan.measure, plan.gamma, level.stability, level.thresholds, plan.variants.both_stages)


def _with(plan: Plan, promises: dict[str, tuple[Promise, ...]]) -> Plan:
    """The plan with other promises in some levels, at the least budgets."""
    levels = []
    for level in plan.levels:
        stated = promises.get(level.name, ())
        if not stated:
            levels.append(level)
            continue
        budget = _setting(plan, level).budget(stated)
        if budget is None:
            problem = f"promises what no budget up to {LARGEST_BUDGET} keeps"
            raise PlanError(field=level.name, problem=problem, fix="give wider margins")
        levels.append(replace(level, budget=budget, promises=stated))
    return replace(plan, levels=tuple(levels))
