"""Accuracy targets: which published number, of which groups, within how much, how surely. And whether noise keeps it.

A target is about the noise in a number, over all groups of its class, before suppression, as the published intervals do.

Which draws are in a number. A total is the sum of the cells that its group is published by: 1, 8, 18 or 46 independent draws; a sex
marginal has half of them; a cell and a bare total one. A bare total by plan, and the total that decides the detail, are measured apart.
(This is where stages are not combined; the end says what holds where they are.)

Classes. By detail (bare total, 4, 9, 23 ages) the number of draws is known. Without a class a target holds in every class; the one
with most draws is the worst: adding an independent draw never makes a sum of symmetric unimodal draws likelier to be near 0 (Anderson).

By true size. A group of N persons is taken to have reached every threshold at or below N, and each one above N with the exact chance
that the deciding total is lifted there; the error is that of the mix. Near a threshold from above the group may get less detail, hence
less error, so this is on the safe side. It falls as the budget grows, where the plain mix need not: both families of distributions are more
peaked about 0 the more they cost, sums of symmetric log-concave draws keep that order, so every tail falls and every lift gets rarer.

Where the plan combines both stages, a target is about the error of what is published: of totals, sexes and cells that have their part of
the stage-1 total, by their exact joint distribution (combined_stages.py). Of a group of N persons each branch counts with those outcomes
that lead to it, above and below. Of sexes and cells the worst of a group decides.

From margins of error to the least budget that keeps them. A level's budget is the largest that one of its targets needs; each need is the
least decimal of DIGITS significant digits with which the target is kept by the exact tails of its distribution. Rounding up comes first
and the check after it, so what is paid for is kept. The distribution of a total-only group has 1/s of the level's budget, that of a
deciding total gamma/s, that of a stage-2 measurement (1 - gamma)/s, s the stability. SafeTab 2022, Appendix F.1, prints 1/gamma for what
its own Table 4 computes as 1/(1 - gamma).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Final, Literal, TypeAlias, get_args

from starling.privacy.budget import Measure
from starling.privacy.distributions.accuracy import Kind, distribution_for_margin, smallest
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.distributions.tails import ball, tail_ball
from starling.privacy.events import noise_event
from starling.privacy.precision import precision
from starling.tables.plan.detail import Detail
from starling.tables.plan.sex_by_age import SEX_BY_AGE
from starling.tables.plan.variants import LARGEST_BUDGET, SMALLEST_SHARE, WIDEST_LISTED, StageNoise, noise_of_stages

Number: TypeAlias = Literal["cell", "sex total", "total", "bare total", "total only", "deciding total"]
NUMBERS: Final[tuple[Number, ...]] = get_args(Number)
CONFIDENCE: Final = Fraction(95, 100)
"""The confidence of a target that states none."""

DIGITS: Final = 6
"""Significant decimal digits of a budget that was found for a margin of error; rounded up."""
GAMMAS: Final = tuple(Fraction(hundredth, 100) for hundredth in range(1, 100))
"""Shares of stage 1 among which the cheapest is chosen."""


def ages(detail: Detail) -> tuple[int, ...]:
    """Classes of the last attribute in each branch: 0 (a bare total), 4, 9, 23 of the Census's detail."""
    return tuple(len(partition[-1]) for partition in detail.partitions)


def _draws(number: Number, detail: Detail) -> tuple[int, ...]:
    """Draws in a number of each branch; 0 where the branch has no such number; none at all where no branch has it."""
    of_cells = (0, *(1 for _ in detail.sizes[1:]))
    return {"total": detail.sizes, "sex total": detail.widths, "cell": of_cells}.get(number, ())


Lift: TypeAlias = tuple[int, int]
"""A tabulation that a group may be lifted to: the least noise of the deciding total, in persons, and the draws in the number there."""


@dataclass(frozen=True, slots=True)
class AccuracyTarget:
    """A margin of error that a level keeps.

    Attributes:
        number: The number that it is about: "cell", "sex total", "total" of groups measured in two stages; "bare total" below the first
            threshold; "total only" by plan; "deciding total", which is not published and chooses the detail.
        within: The error is beyond this with a chance of at most 1 - confidence: persons (int, above 0), or a share of `persons`
            (Fraction, above 0).
        ages: By how many age bands the groups are published: 4, 9 or 23; None for every class.
        persons: The true size of the groups; None for every size.
        confidence: The chance that the error is within the margin, in (0, 1), exact.
    """

    number: Number
    within: int | Fraction
    ages: int | None = None
    persons: int | None = None
    confidence: Fraction = CONFIDENCE

    @property
    def margin(self) -> int:
        """The margin in persons. An error is a whole number, so it is within a share of N when it is within the floor of that."""
        return self.within if isinstance(self.within, int) else floor(self.within * (self.persons or 0))

    @property
    def missing(self) -> Fraction:
        """The chance that is left to a larger error."""
        return 1 - self.confidence

    @property
    def staged(self) -> bool:
        """Whether it speaks of groups measured in two stages."""
        return self.number != "total only"

    def wider(self, factor: Fraction) -> "AccuracyTarget":
        """A target with its margin times `factor` (above 0); persons rounded down, at least 1."""
        if isinstance(self.within, int):
            return replace(self, within=max(1, floor(self.within * factor)))
        return replace(self, within=self.within * factor)

    def distribution(self, stage_noise: StageNoise) -> Distribution:
        """The distribution of each draw in the number."""
        others = {"total only": stage_noise.total_only, "deciding total": stage_noise.stage1}
        return others.get(self.number, stage_noise.stage2)

    def draws(self, detail: Detail, thresholds: Sequence[int]) -> tuple[int, tuple[Lift, ...]]:
        """Draws in the number, and where the group may be lifted to, ascending."""
        counts = _draws(self.number, detail)
        if not counts:
            return 1, ()
        if self.persons is None:
            return counts[-1 if self.ages is None else ages(detail).index(self.ages)], ()
        # Branch = thresholds at or below the total.
        branch = sum(threshold <= self.persons for threshold in thresholds)
        above = zip(thresholds[branch:], counts[branch + 1 :], strict=True)
        return counts[branch], tuple((threshold - self.persons, draws) for threshold, draws in above)

    def is_met(
        self, stage_noise: StageNoise, detail: Detail, thresholds: Sequence[int], *, both_stages: bool = False
    ) -> bool:
        """Whether this noise keeps the target, by exact probabilities; False also where no bound can tell."""
        if both_stages and self.reused:
            return _is_met_reused(self, stage_noise, detail, tuple(thresholds))
        return _is_met(self, stage_noise, detail, tuple(thresholds))

    @property
    def reused(self) -> bool:
        """Whether the stage-1 total, where stages are combined, is in the number."""
        return self.number not in ("total only", "deciding total")

    def cells(self, detail: Detail, branch: int) -> int:
        """That the number is a sum of, in a group of a branch; 0 where there is no such number in it."""
        if self.number == "bare total":
            return 1 if branch == 0 else 0
        return _draws(self.number, detail)[branch]

    def __str__(self) -> str:
        """The target as text.

        >>> print(AccuracyTarget("total", Fraction(1, 100), persons=10_000))
        total of 10,000 persons within 1 %
        >>> print(AccuracyTarget("cell", 11, ages=23, confidence=Fraction(99, 100)))
        cell of 23 ages within 11 at 99 %
        """
        kind = f" of {self.ages} ages" if self.ages is not None else ""
        kind += f" of {self.persons:,} persons" if self.persons is not None else ""
        sure = "" if self.confidence == CONFIDENCE else f" at {percent(self.confidence)}"
        return f"{self.number}{kind} within {self.reach}{sure}"

    @property
    def reach(self) -> str:
        """Its `within` as text: "11", "1 %"."""
        return f"{self.within:,}" if isinstance(self.within, int) else percent(self.within)


@lru_cache(maxsize=4096)
def _is_met(target: AccuracyTarget, stage_noise: StageNoise, detail: Detail, thresholds: tuple[int, ...]) -> bool:
    draws, lifts = target.draws(detail, thresholds)
    distribution = target.distribution(stage_noise)
    for bits in (128, 512):
        with precision(bits):
            missed, before, limit = tail_ball(distribution, target.margin, draws), draws, ball(target.missing)
            for reach, many in lifts:
                # P(noise >= reach) is half of P(|noise| > reach - 1), by symmetry.
                chance = tail_ball(stage_noise.stage1, reach - 1, 1) / 2
                more = tail_ball(distribution, target.margin, many)
                missed += chance * (more - tail_ball(distribution, target.margin, before))
                before = many
            if missed <= limit:
                return True
            if missed > limit:
                return False
    return False


@lru_cache(maxsize=4096)
def _is_met_reused(
    target: AccuracyTarget, stage_noise: StageNoise, detail: Detail, thresholds: tuple[int, ...]
) -> bool:
    # Numba takes a second to import, and few plans ask for it.
    from starling.tables.plan.combined_stages import beyond, runs

    if stage_noise.widest_total(detail.finest) > WIDEST_LISTED:
        return False
    branches = [branch for branch in range(len(detail.sizes)) if target.cells(detail, branch)]

    def missed(branch: int, low: int | None = None, high: int | None = None) -> float:
        every = runs(detail.sizes[branch], target.cells(detail, branch))
        return max(beyond(stage_noise, run, target.margin, low, high) for run in every)

    limit = float(target.missing)
    if target.persons is None:
        chosen = branches if target.ages is None else [ages(detail).index(target.ages)]
        return all(missed(branch) <= limit for branch in reversed(chosen))
    edges = (None, *(threshold - target.persons for threshold in thresholds), None)
    return sum(missed(branch, edges[branch], edges[branch + 1]) for branch in branches) <= limit


def percent(share: Fraction) -> str:
    """A share as a percentage of at most twelve digits.

    >>> percent(Fraction(95, 100)), percent(Fraction(1, 300))
    ('95 %', '0.333333333333 %')
    """
    return f"{float(100 * share):z.12g} %"


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
    """What a level's targets are priced by, apart from its budget.

    Attributes:
        degree: What divides the budget of the level for one group (`Choices.degree`).
    """

    measure: Measure
    gamma: Fraction
    degree: int
    thresholds: tuple[int, ...]
    both_stages: bool = False
    detail: Detail = SEX_BY_AGE

    def stage_noise(self, budget: Fraction) -> StageNoise:
        """The noise of one group of the level, with that budget of the level."""
        return noise_of_stages(self.measure, budget / self.degree, self.gamma)

    def keeps(self, target: AccuracyTarget, budget: Fraction) -> bool:
        """Whether that budget of the level keeps a target."""
        return target.is_met(self.stage_noise(budget), self.detail, self.thresholds, both_stages=self.both_stages)

    def need(self, target: AccuracyTarget) -> Fraction | None:
        """The least budget of the level that keeps one target; None where none up to LARGEST_BUDGET does."""
        return _need(self, target)

    def budget(self, targets: Sequence[AccuracyTarget]) -> Fraction | None:
        """The least budget of the level that keeps all of them (at least one); None where there is none."""
        needs = [self.need(target) for target in targets]
        known = [need for need in needs if need is not None]
        return max(known) if len(known) == len(needs) else None


@lru_cache(maxsize=4096)
def _need(setting: Setting, target: AccuracyTarget) -> Fraction | None:
    draws, lifts = target.draws(setting.detail, setting.thresholds)
    reused = setting.both_stages and target.reused
    if reused:
        # Two measurements are no better than one with the budget of both, and here one draw stands for any number.
        draws = 1
    kind: Kind = "discrete_laplace" if setting.measure == "epsilon" else "discrete_gaussian"
    cost = noise_event(distribution_for_margin(kind, target.margin, target.missing, draws)).cost.amount
    part = {"total only": Fraction(1), "deciding total": setting.gamma}.get(target.number, 1 - setting.gamma)
    part = Fraction(1) if reused else part
    # Below the second, the noise of a draw nears the range of a count, and the plan would be refused.
    drawable = SMALLEST_SHARE * setting.degree / min(setting.gamma, 1 - setting.gamma)
    least = rounded_up(max(cost * setting.degree / part, drawable), DIGITS)
    if least > LARGEST_BUDGET:
        return None
    if not (lifts or reused) or setting.keeps(target, least):
        return least
    while least <= LARGEST_BUDGET:
        # It is kept from some budget on. Within a decade the unit of the last digit stays.
        unit, below = last_digit(least), least
        left = 10**DIGITS - int(below / unit)
        if setting.keeps(target, below + left * unit):
            return below + smallest(lambda steps: setting.keeps(target, below + steps * unit), 1) * unit  # noqa: B023
        least += left * unit
    return None


def cheapest_gamma(
    settings: Sequence[Setting],
    targets: Sequence[Sequence[AccuracyTarget]],
    total: Callable[[Sequence[Fraction]], Fraction],
) -> Fraction | None:
    """The share of stage 1, in hundredths, with which the least budgets have the least total; None where none keeps them.

    Args:
        settings: The setting of each level; its gamma is not looked at.
        targets: The targets of each level, at least one.
        total: The cost of the whole from the budgets of these levels.
    """
    totals = []
    for gamma in GAMMAS:
        budgets = [
            replace(setting, gamma=gamma).budget(stated) for setting, stated in zip(settings, targets, strict=True)
        ]
        known = [budget for budget in budgets if budget is not None]
        if len(known) == len(budgets):
            totals.append((total(known), gamma))
    return min(totals)[1] if totals else None
