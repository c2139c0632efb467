"""Invented noise has the distributions that it is named after, and follows from its seed."""

from fractions import Fraction

import numpy as np
import pytest

from starling.places.generate.noise import laplace, normal
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace


@pytest.mark.statistical
@pytest.mark.parametrize("scale", [0.5, 7.0, 1000.0])
def test_laplace_noise_has_its_distribution(scale: float) -> None:
    """Of 40,000 draws of a fixed seed the standard deviation is within 5 %, mean and share of 0 within 5 standard errors."""
    drawn = laplace(np.full(40_000, scale), 3, 0)
    deviation = standard_deviation(DiscreteLaplace(Fraction(scale)))
    assert drawn.std() == pytest.approx(deviation, rel=0.05)
    assert abs(drawn.mean()) < 5 * deviation / 200
    q = np.exp(-1 / scale)
    zero = (1 - q) / (1 + q)
    assert abs((drawn == 0).mean() - zero) < 5 * np.sqrt(zero * (1 - zero)) / 200


def test_normal_noise_has_its_distribution() -> None:
    drawn = normal(40_000, 3, 0)
    assert abs(drawn.mean()) < 5 / 200
    assert drawn.std() == pytest.approx(1, rel=0.05)


def test_noise_follows_from_its_seed_and_number() -> None:
    scales = np.full(50, 9.0)
    assert laplace(scales, 1, 0).tolist() == laplace(scales, 1, 0).tolist()
    assert laplace(scales, 1, 0).tolist() != laplace(scales, 1, 1).tolist()
    assert laplace(scales, 2, 0).tolist() != laplace(scales, 1, 0).tolist()
    assert normal(9, 1, 0).tolist() == normal(9, 1, 0).tolist()
    assert normal(9, 1, 0).tolist() != normal(9, 1, 1).tolist()
