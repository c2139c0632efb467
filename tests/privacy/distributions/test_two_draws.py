"""Margins of two draws hold, summed over all of their noise, and are little wider than they must be."""

from fractions import Fraction

import numpy as np
import pytest

from starling.privacy.distributions.accuracy import margin
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.distributions.two_draws import weighted_margin
from tests.tables.inference.test_pairs import NOISES, all_noise


@pytest.mark.parametrize("noise", NOISES, ids=["laplace", "gaussian", "narrow gaussian"])
@pytest.mark.parametrize("weights", [(1, 0), (0.5, 0.5), (1, 0.5), (0.99995, 1), (0.3, -0.7)])
def test_margins_of_two_draws_hold(weights: tuple[float, float], noise: Distribution) -> None:
    pairs, chance = all_noise(0, 0, noise)
    off = np.abs(pairs @ np.array(weights))
    for missing in (Fraction(1, 20), Fraction(1, 100)):
        reach = weighted_margin(noise, *weights, missing)
        assert chance[off > reach + 1e-9].sum() <= float(missing) + 1e-9
        assert reach <= weighted_margin(noise, *weights, missing / 2)


@pytest.mark.parametrize("noise", [DiscreteLaplace(Fraction(10**9)), DiscreteGaussian(Fraction(10**18))])
def test_wide_noise_has_margins_too(noise: Distribution) -> None:
    missing = Fraction(1, 20)
    alone, both = margin(noise, missing), weighted_margin(noise, 1, 1, missing)
    assert weighted_margin(noise, 1, 0, missing) == alone
    assert 1.3 < both / alone < 1.42
    # Weights that are nearly equal have nearly the same margin.
    assert weighted_margin(noise, 1, 0.9999, missing) == pytest.approx(both, rel=1e-3)
