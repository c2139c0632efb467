"""The law of the difference of two independent noises, each a sum of draws of one law, as a table of tails.

Two discrete Gaussian sums of parameters s and t, both from NARROW on: the convolution at x is e^(-x^2/(2 (s + t))) times a sum over
integers of a Gaussian of parameter s t/(s + t), at least half of the smaller, about a centre that depends on x; by Poisson that sum is
constant in x up to a factor 1 +- 2.01 e^(-pi^2 min(s, t)) < 1 +- 10^-16. So the difference is one draw of parameter s + t, as sums of
equal parameters are (privacy/distributions/tails.py). All other pairs are convolved, entry by entry.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from starling.privacy.distributions.discrete import DiscreteGaussian, Law
from starling.privacy.distributions.probability_mass import masses
from starling.privacy.distributions.tails import NARROW
from starling.tables.inference.combined import listed_noise
from starling.tables.plan import Noise

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of independent draws.

    Attributes:
        law: Of each.
        terms: How many.
    """

    law: Noise
    terms: int


@dataclass(frozen=True, slots=True, eq=False)
class Tails:
    """Of a symmetric law on the integers.

    Attributes:
        beyond: P(|D| >= d) for d = 0, 1, ..., float64; what lies beyond its end has less than 10^-30.
    """

    beyond: Float64

    def chance(self, difference: Int64) -> Float64:
        """P(|D| >= |difference|) of each."""
        found: Float64 = self.beyond[np.minimum(np.abs(difference), len(self.beyond) - 1)]
        return found

    def margin(self, alpha: float) -> int:
        """The smallest M with P(|D| > M) <= alpha."""
        return int(np.searchsorted(-self.beyond[1:], -alpha, side="left"))


@lru_cache(maxsize=1024)
def difference(one: Sum, other: Sum) -> Tails:
    """Of a draw of `one` less a draw of `other`; both are symmetric, so also of their sum.

    Raises:
        ParameterError: a noise has a standard deviation beyond some thousand persons.

    >>> from starling.privacy.distributions.discrete import DiscreteLaplace
    >>> noise = Sum(DiscreteLaplace(Fraction(10)), 1)
    >>> tails = difference(noise, noise)
    >>> tails.margin(0.05), round(float(tails.beyond[41]), 4)
    (41, 0.0526)
    """
    joint = _gaussian(one, other)
    if joint is not None:
        half = masses(joint).above
        above = half[len(half) // 2 + 1 :]
    else:
        first, second = (listed_noise(each.law, each.terms) for each in (one, other))
        mass = np.convolve(first.mass, second.mass)
        above = np.cumsum(mass[: len(mass) // 2 : -1])[::-1]
    return Tails(np.concatenate((np.ones(1), np.minimum(2 * above, 1.0))))


def _gaussian(one: Sum, other: Sum) -> Law | None:
    """The one law that a difference of Gaussian noises has."""
    parameters: list[Fraction] = []
    for noise in (one, other):
        if not isinstance(noise.law, DiscreteGaussian) or noise.law.sigma_squared < NARROW:
            return None
        parameters.append(noise.terms * noise.law.sigma_squared)
    return DiscreteGaussian(sum(parameters, Fraction(0)))
