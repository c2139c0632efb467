"""The noise of one population group: which distribution each of its measurements has, from what the group may spend."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Final, TypeAlias

from starling.privacy.budget import Measure
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.tables.plan.cells import CELLS

LARGEST_BUDGET: Final = 10**12
"""Epsilon or rho of a level; beyond it there is no noise to speak of."""
SMALLEST_SHARE: Final = Fraction(1, 2**40)
"""Epsilon or rho of one draw; below it the noise of a count nears the range of a 64-bit integer."""


@dataclass(frozen=True, slots=True)
class Twice:
    """The noise of a number that was measured before and re-measured, and combined by inverse variance (inference/combined.py).

    Attributes:
        earlier: The noise of the number as it was published: of one draw, or of two combined in their turn.
        later: The noise of the new measurement.
    """

    earlier: "Noise"
    later: Distribution


Noise: TypeAlias = Distribution | Twice
"""The noise of a number before it is post-processed: of one draw, or of several combined, one after the other."""


@dataclass(frozen=True, slots=True)
class StageNoise:
    """The noise of one group of a level: on the total of a total-only group, on the deciding total, on each stage-2 value."""

    total_only: Distribution
    stage1: Distribution
    stage2: Distribution

    @property
    def widest_total(self) -> float:
        """The standard deviation of the deciding total, or of the sum of most stage-2 values; for Laplace a little more."""
        return sqrt(max(_variance(self.stage1), CELLS * _variance(self.stage2)))

    @property
    def widest_value(self) -> float:
        """The standard deviation of a published value before any sum; for Laplace a little more."""
        return sqrt(max(_variance(self.total_only), _variance(self.stage2)))


def noise_of_stages(measure: Measure, share: Fraction, gamma: Fraction) -> StageNoise:
    """The noise of a group (SafeTab 2022, Algorithm 2).

    Args:
        measure: "epsilon": discrete Laplace of scale 1/epsilon (Lemma 6); "rho": discrete Gaussian of sigma^2 = 1/(2 rho) (Lemma 7).
        share: What one group of the level spends: budget / stability, above 0.
        gamma: Part of it that stage 1 takes, in (0, 1).

    >>> stage_laws("epsilon", Fraction(1, 9), Fraction(1, 10)).stage2
    DiscreteLaplace(scale=Fraction(10, 1))
    """
    return StageNoise(*(noise_of(measure, part * share) for part in (Fraction(1), gamma, 1 - gamma)))


def noise_of(measure: Measure, budget: Fraction) -> Distribution:
    """The distribution of one measurement of sensitivity 1 that spends `budget`, above 0."""
    return DiscreteLaplace(1 / budget) if measure == "epsilon" else DiscreteGaussian(1 / (2 * budget))


def _variance(distribution: Distribution) -> Fraction:
    """At most a little above the variance of the discrete distribution."""
    return 2 * distribution.scale**2 if isinstance(distribution, DiscreteLaplace) else distribution.sigma_squared
