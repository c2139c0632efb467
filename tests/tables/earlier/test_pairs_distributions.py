"""The law of a difference is the convolution of both laws, entry by entry, and its margin the smallest that keeps its promise."""

from fractions import Fraction

import numpy as np
import pytest

from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
from starling.tables.earlier.pairs import Float64, Sum, difference
from starling.tables.plan import CombinedStageNoise

NOISES = (
    Sum(DiscreteLaplace(Fraction(3, 2)), 1),
    Sum(DiscreteLaplace(Fraction(4)), 8),
    Sum(DiscreteGaussian(Fraction(1, 2)), 3),
    Sum(DiscreteGaussian(Fraction(9)), 1),
    Sum(DiscreteGaussian(Fraction(25, 4)), 18),
)


def by_hand(noise: Sum) -> Float64:
    """The law of the sum on -400..400, by repeated convolution."""
    x = np.arange(-400, 401, dtype=np.float64)
    distribution = noise.distribution
    assert not isinstance(distribution, CombinedStageNoise)
    exponent = (
        np.abs(x) / float(distribution.scale)
        if isinstance(distribution, DiscreteLaplace)
        else x**2 / float(2 * distribution.sigma_squared)
    )
    single = np.exp(-exponent) / np.exp(-exponent).sum()
    power: Float64 = np.eye(1, 801, 400)[0]
    for _ in range(noise.terms):
        power = np.convolve(power, single)[400:1201]
    return power


@pytest.mark.parametrize("one", NOISES)
@pytest.mark.parametrize("other", NOISES)
def test_tails_are_those_of_the_convolution(one: Sum, other: Sum) -> None:
    distribution = np.convolve(by_hand(one), by_hand(other))[400:1201]
    expected = [distribution[np.abs(np.arange(-400, 401)) >= distance].sum() for distance in range(200)]
    tails = difference(one, other)
    np.testing.assert_allclose(tails.chance(np.arange(200)), expected, rtol=1e-9, atol=1e-13)
    np.testing.assert_array_equal(tails.chance(-np.arange(200)), tails.chance(np.arange(200)))


@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-6])
def test_the_margin_is_the_smallest_that_holds(alpha: float) -> None:
    tails = difference(NOISES[0], NOISES[3])
    margin = tails.margin(alpha)
    assert tails.chance(np.array([margin + 1]))[0] <= alpha < tails.chance(np.array([margin]))[0]


def test_far_beyond_the_law_nothing_is_likely() -> None:
    assert difference(NOISES[3], NOISES[3]).chance(np.array([10**12]))[0] < 1e-30
