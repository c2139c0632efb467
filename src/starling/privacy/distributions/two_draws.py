"""Margins of a weighted sum of two independent draws of one noise, however wide: of a sum or a mean that follows from two noisy numbers.

Margins of a Z + c Z' come from the continuous distributions. A discrete Laplace draw lies within 3/2 of a continuous one of its scale
under the coupling of their quantiles, since P(|X| >= k + 1/2) <= P(|Z| >= k) <= P(|X| >= k - 1/2); a discrete Gaussian draw of sigma at
least 1 lies within 1, but for a probability below 10^-8. The margins are widened by as much, which is little beside noise of the width of
the numbers.
"""

from fractions import Fraction
from statistics import NormalDist
from typing import Final

import numpy as np

from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution

_STEPS: Final = 60
"""Halvings that find a margin."""
_SLACK: Final = {DiscreteLaplace: 1.5, DiscreteGaussian: 1.0}
"""How far a discrete draw can be from a continuous one."""
_UNCOUPLED: Final = 1e-7
"""More than the probability that it is not."""
_ROUNDING: Final = 2.0**-48
"""A bound on the relative errors of doubles."""


def weighted_margin(noise: Distribution, one: float, other: float, missing: Fraction) -> float:
    """An M with P(|one Z + other Z'| > M) <= missing, Z and Z' independent draws of the noise."""
    large, small = sorted((abs(one), abs(other)), reverse=True)
    if small == 0:
        return large * margin(noise, missing)
    if isinstance(noise, DiscreteGaussian):
        if noise.sigma_squared < 1:
            return (large + small) * margin(noise, missing / 2)
        chance = (float(missing) - _UNCOUPLED) / 2
        reach = -NormalDist().inv_cdf(chance) * noise.width * float(np.hypot(large, small))
    else:
        reach = _laplace_margin(large, small, float(missing) - _UNCOUPLED) * noise.width
    return (reach + _SLACK[type(noise)] * (large + small)) * (1 + _ROUNDING)


def _laplace_margin(large: float, small: float, missing: float) -> float:
    """The margin of large X + small Y, X and Y of a continuous Laplace distribution of scale 1.

    P(|large X + small Y| > t) = (large^2 e^(-t/large) - small^2 e^(-t/small)) / (large^2 - small^2), and (1 + t / (2 large)) e^(-t/large)
    where both are equal, which bounds it where they nearly are.
    """
    equal = large - small < 1e-4 * large

    def tail(t: float) -> float:
        if equal:
            return float((1 + t / (2 * large)) * np.exp(-t / large))
        parts = large**2 * np.exp(-t / large) - small**2 * np.exp(-t / small)
        return float(parts / (large**2 - small**2))

    low, high = 0.0, large
    while tail(high) > missing:
        low, high = high, 2 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > missing else (low, middle)
    return high
