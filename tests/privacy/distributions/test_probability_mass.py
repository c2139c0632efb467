"""Listed probabilities against the certified tails, and sums against convolution done by hand."""

from fractions import Fraction

import numpy as np
import pytest

from starling.errors import ParameterError
from starling.privacy.distributions.accuracy import standard_deviation, tail
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.distributions.probability_mass import probability_mass

DISTRIBUTIONS: tuple[Distribution, ...] = (
    DiscreteLaplace(Fraction(1, 3)),
    DiscreteLaplace(Fraction(21)),
    DiscreteGaussian(Fraction(1, 5)),
    DiscreteGaussian(Fraction(2)),
    DiscreteGaussian(Fraction(625)),
)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
@pytest.mark.parametrize("terms", [1, 2, 8, 46])
def test_tails_and_variance_are_the_certified_ones(distribution: Distribution, terms: int) -> None:
    found = probability_mass(distribution, terms)
    spread = standard_deviation(distribution) * terms**0.5
    for m in {0, 1, round(spread), round(2 * spread), round(5 * spread)}:
        # Sums of Gaussian draws are one draw of the summed parameter up to 2e-13.
        assert 2 * found.above[found.last + m + 1] == pytest.approx(tail(distribution, m, terms), rel=1e-11)
    squares = np.arange(-found.last, found.last + 1.0) ** 2
    assert squares @ found.mass == pytest.approx(spread**2, rel=1e-9)
    assert found.mass.sum() == pytest.approx(1, abs=1e-12)
    assert np.array_equal(found.mass, found.mass[::-1])


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_a_sum_is_the_convolution(distribution: Distribution) -> None:
    one, three = probability_mass(distribution), probability_mass(distribution, 3)
    by_hand = np.convolve(np.convolve(one.mass, one.mass), one.mass)
    middle = len(by_hand) // 2
    reach = min(three.last, middle)
    np.testing.assert_allclose(
        three.mass[three.last - reach : three.last + reach + 1],
        by_hand[middle - reach : middle + reach + 1],
        atol=1e-14,
    )


def test_what_is_left_out_is_negligible() -> None:
    for distribution in DISTRIBUTIONS:
        assert tail(distribution, probability_mass(distribution).last) < 1e-30


def test_a_law_too_wide_is_refused() -> None:
    with pytest.raises(ParameterError, match="standard deviation beyond"):
        probability_mass(DiscreteGaussian(Fraction(10**8)))
