"""Invented noise: the same from the same seed, and as wide as a release's."""

from fractions import Fraction

import numpy as np
import pytest

from starling.groups.generate import inventing
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


@pytest.mark.parametrize("kind", [DiscreteLaplace, DiscreteGaussian])
def test_plans_of_one_seed_meet_the_same_chance(kind: type[DiscreteLaplace] | type[DiscreteGaussian]) -> None:
    counts, wide, narrow = np.zeros((30, 8), dtype=np.int64), kind(Fraction(400)), kind(Fraction(100))
    whole, add = inventing(3)(counts, wide), inventing(3)
    # Sizes that are cut into bands take the same draws; a narrower distribution scales them.
    parts = [add(counts[:, :3], wide), add(counts[:, 3:4], narrow), add(counts[:, 4:], wide)]
    assert np.array_equal(parts[0], whole[:, :3])
    assert np.array_equal(parts[2], whole[:, 4:])
    ratio = 4 if kind is DiscreteLaplace else 2
    assert np.abs(ratio * parts[1] - whole[:, 3:4]).max() <= 2 * ratio
