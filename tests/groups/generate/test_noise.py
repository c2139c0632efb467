"""Invented noise: the same from the same seed, and as wide as a release's."""

from fractions import Fraction

import numpy as np
import pytest

from starling.groups.generate.noise import inventing
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution


@pytest.mark.parametrize(
    "noise", [DiscreteLaplace(Fraction(3)), DiscreteLaplace(Fraction(1, 3)), DiscreteGaussian(Fraction(50))]
)
def test_it_is_as_wide_as_the_noise_of_a_release(noise: Distribution) -> None:
    counts = np.full(200_000, 7)
    drawn = inventing(1)(counts, noise) - counts
    assert np.array_equal(inventing(1)(counts, noise) - counts, drawn)
    assert abs(drawn.mean()) < 0.1
    assert drawn.std() == pytest.approx(standard_deviation(noise), rel=0.02)
