"""The noise of one population group, by what it may spend, and the variants of a plan: what it makes of its measurements.

A plan without variants publishes the stage-2 measurement of each group. A variant changes the estimates, their intervals or, for a top-up,
what is measured. The table REFUSED says which variants, and which other choices of a plan, have no joint theory here.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from fractions import Fraction
from functools import lru_cache
from math import inf, sqrt
from typing import Final, TypeAlias

from starling.errors import Problem
from starling.privacy.budget import Measure
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.release.codec import OPTIONAL

LARGEST_BUDGET: Final = 10**12
"""Epsilon or rho of a level; beyond it there is no noise to speak of."""
SMALLEST_SHARE: Final = Fraction(1, 2**40)
"""Epsilon or rho of one draw; below it the noise of a count nears the range of a 64-bit integer."""

WIDEST_LISTED: Final = 2**13
"""Standard deviation of a total whose exact distribution is listed, in persons; privacy/distributions/probability_mass.py lists no more."""


@dataclass(frozen=True, slots=True)
class CombinedStageNoise:
    """The noise of a number that was measured before and re-measured, and combined by inverse variance (inference/combined.py).

    Attributes:
        earlier: The noise of the number as it was published: of one draw, or of two combined in their turn.
    """

    earlier: "Noise"
    later: Distribution


Noise: TypeAlias = Distribution | CombinedStageNoise
"""The noise of a number before it is post-processed: of one draw, or of several combined, one after the other."""


@dataclass(frozen=True, slots=True)
class StageNoise:
    """The noise of one group of a level: on the total of a total-only group, on the deciding total, on each stage-2 value."""

    total_only: Distribution
    stage1: Distribution
    stage2: Distribution

    def widest_total(self, cells: int) -> float:
        """The standard deviation of the deciding total, or of the sum of so many stage-2 values; for Laplace a little more."""
        return sqrt(max(_variance(self.stage1), cells * _variance(self.stage2)))

    @property
    def widest_value(self) -> float:
        """The standard deviation of a published value before any sum; for Laplace a little more."""
        return sqrt(max(_variance(self.total_only), _variance(self.stage2)))


@lru_cache(maxsize=1024)
def noise_of_stages(measure: Measure, share: Fraction, gamma: Fraction) -> StageNoise:
    """The noise of a group (SafeTab 2022, Algorithm 2).

    Args:
        measure: "epsilon": discrete Laplace of scale 1/epsilon (Lemma 6); "rho": discrete Gaussian of sigma^2 = 1/(2 rho) (Lemma 7).
        share: What one group of the level spends: budget / stability, above 0.
        gamma: Part of it that stage 1 takes, in (0, 1).

    >>> noise_of_stages("epsilon", Fraction(1, 9), Fraction(1, 10)).stage2
    DiscreteLaplace(scale=Fraction(10, 1))
    """
    return StageNoise(*(noise_of(measure, part * share) for part in (Fraction(1), gamma, 1 - gamma)))


def noise_of(measure: Measure, budget: Fraction, sensitivity: int = 1) -> Distribution:
    """The distribution of one measurement of this sensitivity, L1 or L2, that spends `budget`, above 0."""
    if measure == "epsilon":
        return DiscreteLaplace(sensitivity / budget)
    return DiscreteGaussian(sensitivity**2 / (2 * budget))


def _variance(distribution: Distribution) -> Fraction:
    """At most a little above the variance of the discrete distribution."""
    return 2 * distribution.scale**2 if isinstance(distribution, DiscreteLaplace) else distribution.sigma_squared


EVENLY: Final = "evenly"
"""As `add-up` of a plan: totals add up, and are rounded evenly."""
MOST_RELEASES: Final = 8
"""Releases that one release may add to, one on top of the other: the distribution of each number is combined so many times."""
WIDEST_CONDITIONED: Final = 2**9
"""Standard deviation, in persons, of a total whose interval is asked for given what is published, which takes time with the square of
it, some 100 s a level at the most; and of a value that is combined with another one, whose joint distribution is listed."""


@dataclass(frozen=True, slots=True)
class TopUp:
    """The earlier release that a plan spends more on: of the same plan, but for its budgets, in all or some of its levels.

    Attributes:
        manifest: SHA-256 of the manifest of the earlier release, hexadecimal.
        ledger: Id of the ledger that paid for the earlier release; empty where that release brought a ledger of its own.
        cost: Epsilon or rho that was charged for the earlier release, all its levels together.
        budgets: Epsilon or rho that the earlier release gave to each level of the plan.
        measurements: SHA-256 of the file of the earlier measurements of each level of the plan, hexadecimal.
        earlier: The release that the earlier release added to in its turn; None where it stood alone.
    """

    manifest: str
    request_id: str
    ledger: str
    cost: Fraction
    budgets: tuple[Fraction, ...]
    measurements: tuple[str, ...]
    earlier: "TopUp | None" = None

    def only(self, positions: Sequence[int]) -> "TopUp":
        """A top-up of some of the levels, given by their positions."""
        return replace(
            self,
            budgets=tuple(self.budgets[position] for position in positions),
            measurements=tuple(self.measurements[position] for position in positions),
            earlier=None if self.earlier is None else self.earlier.only(positions),
        )


class Choice(Enum):
    """A choice of a plan that excludes another one: its variants, and what else of it stands in the table REFUSED."""

    BOTH_STAGES = auto()
    ADD_UP = auto()
    PUBLISHED_INTERVALS = auto()
    TOP_UP = auto()
    NO_NEGATIVE_COUNTS = auto()
    ACCURACY_TARGETS = auto()


_TOP_UP_ALONE: Final = (
    "cannot be combined with totals of both stages, totals that add up, or intervals given what is published"
)
_NO_CLAMPING: Final = "publish negative counts, or let totals stand as measured"
_NOT_KNOWN: Final = "given what is published are not known of totals that add up"
REFUSED: Final = (
    (
        Choice.TOP_UP,
        {Choice.BOTH_STAGES, Choice.ADD_UP, Choice.PUBLISHED_INTERVALS},
        Problem("top-up", _TOP_UP_ALONE, "top up a release of a plan without these"),
    ),
    (
        Choice.TOP_UP,
        {Choice.ACCURACY_TARGETS},
        Problem("top-up", "has accuracy targets, which are of one release", "state budgets"),
    ),
    (
        Choice.ADD_UP,
        {Choice.NO_NEGATIVE_COUNTS},
        Problem("add-up", "cannot be kept where negative counts are raised to 0", _NO_CLAMPING),
    ),
    (
        Choice.ADD_UP,
        {Choice.PUBLISHED_INTERVALS},
        Problem("intervals", _NOT_KNOWN, 'let intervals be of "all groups"'),
    ),
)
"""A choice, the choices of which it goes with none, and the problem of a plan that has both."""


@dataclass(frozen=True, slots=True)
class Variants:
    """What a plan makes of its measurements.

    Attributes:
        both_stages: Whether the stage-1 total of a group is weighted into its published total (inference/combined.py).
        add_up: Whether totals are made to add up over regions and families of iterations (inference/consistency.py).
        evenly: Whether these are rounded so that any run of neighbours is moved by less than a person (inference/trees.py); else by
            largest remainders, as plans were that say `add-up = true`.
        given_published: Whether intervals of totals hold given that and how the group is published (inference/distribution.py), not
            over all groups.
        top_up: The release that the plan spends more on; None for a release that stands alone.
    """

    both_stages: bool = False
    add_up: bool = False
    given_published: bool = False
    top_up: TopUp | None = None
    evenly: bool = field(default=False, metadata=OPTIONAL)

    @property
    def releases(self) -> tuple[TopUp, ...]:
        """The releases that the plan adds to, the last first; none for a release that stands alone."""
        chain, last = [], self.top_up
        while last is not None:
            chain.append(last)
            last = last.earlier
        return tuple(chain)

    @property
    def widest_total(self) -> float:
        """The largest standard deviation of a total, in persons, for which the plan's estimates and intervals are computed."""
        return WIDEST_CONDITIONED if self.given_published else WIDEST_LISTED if self.both_stages else inf

    def refused(self, others: Collection[Choice]) -> list[Problem]:
        """What of the table REFUSED a plan with these variants and these other choices has, and too long a chain of releases."""
        chosen = {
            Choice.BOTH_STAGES: self.both_stages,
            Choice.ADD_UP: self.add_up,
            Choice.PUBLISHED_INTERVALS: self.given_published,
            Choice.TOP_UP: self.top_up is not None,
        }
        choices = {choice for choice, is_made in chosen.items() if is_made} | set(others)
        problems = [problem for one, excluded, problem in REFUSED if one in choices and excluded & choices]
        if self.evenly and not self.add_up:
            problem = "says how totals are rounded that add up, and none do"
            problems.append(Problem("add-up", problem, f'write add-up = "{EVENLY}", or leave it out'))
        if len(self.releases) > MOST_RELEASES:
            problem = f"comes after {MOST_RELEASES} releases, one on top of the other, and no more are combined"
            problems.append(Problem("top-up", problem, "release anew with the whole budget"))
        return problems
