"""A margin of error as a promise: which published number, of which groups, within how much, how surely. And whether noise keeps it.

A promise speaks of the noise in a number, over all groups of its class, before suppression, as the published intervals do.

Which draws are in a number. A total is the sum of the cells that its group is published by: 1, 8, 18 or 46 independent draws; a sex
marginal has half of them; a cell and a bare total one. A bare total by plan, and the total that decides the detail, are measured apart.
(This is without reuse of the first total; with it, see the end.)

Classes. By detail (bare total, 4, 9, 23 ages) the number of draws is known. Without a class a promise holds in every class; the one
with most draws is the worst: adding an independent draw never makes a sum of symmetric unimodal draws likelier to be near 0 (Anderson).

By true size. A group of N persons is taken to have reached every threshold at or below N, and each one above N with the exact chance
that the deciding total is lifted there; the error is that of the mix. Near a threshold from above the group may get less detail, hence
less error, so this is on the safe side. It falls as the budget grows, where the plain mix need not: both families of laws are more
peaked about 0 the more they cost, sums of symmetric log-concave draws keep that order, so every tail falls and every lift gets rarer.

Where the plan combines both stages, what is promised is the error of what is published: of totals, sexes and cells that have their part of
the stage-1 total, by their exact joint distribution (combined_stages.py). Of a group of N persons each branch counts with those outcomes
that lead to it, above and below. Of sexes and cells the worst of a group decides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Final, Literal, TypeAlias

from starling.privacy.distributions.discrete import Distribution
from starling.privacy.distributions.tails import ball, tail_ball
from starling.privacy.precision import precision
from starling.tables.plan import cells
from starling.tables.plan.stages import StageLaws

Number: TypeAlias = Literal["cell", "sex total", "total", "bare total", "total only", "deciding total"]
NUMBERS: Final[tuple[Number, ...]] = ("cell", "sex total", "total", "bare total", "total only", "deciding total")
AGES: Final = tuple(len(bands) for bands in cells.BRANCH_BANDS)
"""Age bands of each branch: 0 (a bare total), 4, 9, 23."""
CONFIDENCE: Final = Fraction(95, 100)
"""Of a promise that states none."""

WIDEST_LISTED: Final = 2**13
"""Standard deviation of a total whose exact law is asked for, in persons; privacy/distributions/probability_mass.py lists no more."""

_CELLS: Final = cells.BRANCH_CELLS
_DRAWS: Final[dict[Number, tuple[int, ...]]] = {
    "total": _CELLS,
    "sex total": (0, *(size // cells.SEXES for size in _CELLS[1:])),
    "cell": (0, *(1 for _ in _CELLS[1:])),
}
"""Draws in a number of each branch; 0 where the branch has no such number."""
_BITS: Final = (128, 512)


@dataclass(frozen=True, slots=True)
class Lift:
    """A tabulation that a group may be lifted to.

    Attributes:
        reach: The deciding total's noise must be at least this, in persons.
        draws: In the number there.
    """

    reach: int
    draws: int


@dataclass(frozen=True, slots=True)
class Promise:
    """A margin of error that a level keeps.

    Attributes:
        number: What is promised: "cell", "sex total", "total" of groups measured in two stages; "bare total" below the first
            threshold; "total only" by plan; "deciding total", which is not published and chooses the detail.
        within: The error is beyond this with a chance of at most 1 - confidence: persons (int, above 0), or a share of `persons`
            (Fraction, above 0).
        ages: 4, 9 or 23: of groups published by so many age bands; None for every class.
        persons: Of groups of this true size; None for every size.
        confidence: In (0, 1), exact.
    """

    number: Number
    within: int | Fraction
    ages: int | None = None
    persons: int | None = None
    confidence: Fraction = CONFIDENCE

    @property
    def margin(self) -> int:
        """In persons. An error is a whole number, so it is within a share of N when it is within the floor of that."""
        return self.within if isinstance(self.within, int) else floor(self.within * (self.persons or 0))

    @property
    def missing(self) -> Fraction:
        """The chance that is left to a larger error."""
        return 1 - self.confidence

    @property
    def staged(self) -> bool:
        """Whether it speaks of groups measured in two stages."""
        return self.number != "total only"

    def wider(self, factor: Fraction) -> "Promise":
        """The same with its margin times `factor` (above 0); persons rounded down, at least 1."""
        if isinstance(self.within, int):
            return replace(self, within=max(1, floor(self.within * factor)))
        return replace(self, within=self.within * factor)

    def law(self, laws: StageLaws) -> Distribution:
        """Of each draw in the number."""
        return {"total only": laws.total_only, "deciding total": laws.stage1}.get(self.number, laws.stage2)

    def draws(self, thresholds: Sequence[int]) -> tuple[int, tuple[Lift, ...]]:
        """Draws in the number, and where the group may be lifted to, ascending."""
        if self.number not in _DRAWS:
            return 1, ()
        counts = _DRAWS[self.number]
        if self.persons is None:
            return counts[-1 if self.ages is None else AGES.index(self.ages)], ()
        # Branch = thresholds at or below the total.
        branch = sum(threshold <= self.persons for threshold in thresholds)
        above = zip(thresholds[branch:], counts[branch + 1 :], strict=True)
        return counts[branch], tuple(Lift(threshold - self.persons, draws) for threshold, draws in above)

    def kept(self, laws: StageLaws, thresholds: Sequence[int], *, both_stages: bool = False) -> bool:
        """Whether noise of these laws keeps the promise, by exact probabilities; False also where no bound can tell.

        Args:
            laws: Of one group of the level.
            thresholds: Of the level, ascending.
            both_stages: Whether the first total is used again.
        """
        if both_stages and self.reused:
            return _kept_reused(self, laws, tuple(thresholds))
        return _kept(self, laws, tuple(thresholds))

    @property
    def reused(self) -> bool:
        """Whether the first total, where it is used again, is in the number."""
        return self.number not in ("total only", "deciding total")

    def cells(self, branch: int) -> int:
        """That the number is a sum of, in a group of a branch; 0 where there is no such number in it."""
        if self.number == "bare total":
            return 1 if branch == 0 else 0
        return _DRAWS[self.number][branch]

    def __str__(self) -> str:
        """In words.

        >>> print(Promise("total", Fraction(1, 100), persons=10_000))
        total of 10,000 persons within 1 %
        >>> print(Promise("cell", 11, ages=23, confidence=Fraction(99, 100)))
        cell of 23 ages within 11 at 99 %
        """
        kind = f" of {self.ages} ages" if self.ages is not None else ""
        kind += f" of {self.persons:,} persons" if self.persons is not None else ""
        sure = "" if self.confidence == CONFIDENCE else f" at {percent(self.confidence)}"
        return f"{self.number}{kind} within {self.reach}{sure}"

    @property
    def reach(self) -> str:
        """Its `within` in words: "11", "1 %"."""
        return f"{self.within:,}" if isinstance(self.within, int) else percent(self.within)


@lru_cache(maxsize=4096)
def _kept(promise: Promise, laws: StageLaws, thresholds: tuple[int, ...]) -> bool:
    draws, lifts = promise.draws(thresholds)
    law = promise.law(laws)
    for bits in _BITS:
        with precision(bits):
            missed, before, limit = tail_ball(law, promise.margin, draws), draws, ball(promise.missing)
            for lift in lifts:
                # P(noise >= reach) is half of P(|noise| > reach - 1), by symmetry.
                chance = tail_ball(laws.stage1, lift.reach - 1, 1) / 2
                more = tail_ball(law, promise.margin, lift.draws) - tail_ball(law, promise.margin, before)
                missed, before = missed + chance * more, lift.draws
            if missed <= limit:
                return True
            if missed > limit:
                return False
    return False


@lru_cache(maxsize=4096)
def _kept_reused(promise: Promise, laws: StageLaws, thresholds: tuple[int, ...]) -> bool:
    # Numba takes a second to import, and few plans ask for it.
    from starling.tables.plan.combined_stages import beyond, runs

    if laws.widest_total > WIDEST_LISTED:
        return False
    branches = [branch for branch, size in enumerate(_CELLS) if promise.cells(branch)]

    def missed(branch: int, low: int | None = None, high: int | None = None) -> float:
        size = _CELLS[branch]
        return max(beyond(laws, run, promise.margin, low, high) for run in runs(size, promise.cells(branch)))

    limit = float(promise.missing)
    if promise.persons is None:
        asked = branches if promise.ages is None else [AGES.index(promise.ages)]
        return all(missed(branch) <= limit for branch in reversed(asked))
    edges = (None, *(threshold - promise.persons for threshold in thresholds), None)
    return sum(missed(branch, edges[branch], edges[branch + 1]) for branch in branches) <= limit


def percent(share: Fraction) -> str:
    """A share as a percentage of at most twelve digits.

    >>> percent(Fraction(95, 100)), percent(Fraction(1, 300))
    ('95 %', '0.333333333333 %')
    """
    return f"{float(100 * share):.12g} %"
