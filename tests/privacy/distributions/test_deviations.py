"""Deviations that hold enough of every distribution of their kind."""

from fractions import Fraction
from math import exp, fsum, log, prod, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.deviations import (
    STEP,
    UNIT,
    laplace_deviations,
    log_concave_deviations,
    normal_deviations,
    twin_variance,
)
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from tests.privacy.distributions.enumerated import masses

ALPHAS = st.fractions(Fraction(1, 10**6), Fraction(9, 10))


@pytest.mark.examples(20)
@given(ALPHAS)
def test_so_many_hold_the_normal_distribution(alpha: Fraction) -> None:
    deviations = normal_deviations(alpha)
    assert 2 * NormalDist().cdf(-deviations) <= float(alpha) * (1 + 1e-9) < 2 * NormalDist().cdf(-deviations + 0.011)


@pytest.mark.examples(20)
@given(ALPHAS)
def test_so_many_hold_symmetric_log_concave_distributions(alpha: Fraction) -> None:
    """Laplace, logistic, normal, triangular and uniform."""
    p = float(alpha)
    quantiles = {
        "Laplace": log(1 / p) / sqrt(2),
        "logistic": log(2 / p - 1) * sqrt(3) / 3.141592653589793,
        "normal": -NormalDist().inv_cdf(p / 2),
        "triangular": (1 - sqrt(p)) * sqrt(6),
        "uniform": (1 - p) * sqrt(3),
    }
    for name, quantile in quantiles.items():
        assert quantile <= log_concave_deviations(alpha) + 1e-9, name


def test_those_of_95_percent_are_as_published() -> None:
    assert (normal_deviations(Fraction(1, 20)), log_concave_deviations(Fraction(1, 20))) == (1.96, 2.37)
    assert log_concave_deviations(Fraction(1, 20)) == pytest.approx(
        -log(0.05) / sqrt(2 * (0.95 + 0.05 * log(0.05))), abs=0.01
    )


def tail(scales: list[float], t: float) -> float:
    """P(|X| > t) of a sum of Laplace draws of these scales, no two alike, by partial fractions; exact."""
    return fsum(
        exp(-t / one) * prod(one * one / (one * one - other * other) for other in scales if other != one)
        for one in scales
    )


@given(
    st.lists(st.integers(1, 60), min_size=1, max_size=6, unique=True),
    st.sampled_from([Fraction(1, 20), Fraction(1, 100), Fraction(1, 4)]),
)
def test_so_many_hold_sums_of_laplace_draws(weights: list[int], alpha: Fraction) -> None:
    scales = [sqrt(each / (2 * sum(weights))) for each in weights]
    draws = sum(weights) // max(weights)
    assert tail(scales, laplace_deviations(alpha, draws)) <= float(alpha) * (1 + 1e-6)
    assert laplace_deviations(alpha, draws) <= laplace_deviations(alpha, 1)


def test_many_draws_need_hardly_more_than_a_normal_number_and_one_hardly_more_than_it_does() -> None:
    alpha = Fraction(1, 20)
    assert [laplace_deviations(alpha, draws) for draws in (1, 3, 4, 64, 10**6)] == [2.17, 2.08, 2.02, 1.97, 1.97]
    assert log(20) / sqrt(2) == pytest.approx(2.118, abs=0.001)
    # The mutant: so many deviations as a normal number has are too few of one draw.
    assert tail([sqrt(0.5)], normal_deviations(alpha)) > 0.06


WEIGHTS = [(1.0,), (1.0, 0.1), (1.0, 0.3), (1.0, 0.5), (1.0, 0.7), (1.0, 1.0), (1.0, 1.0, 1.0), (1.0, 0.5, 0.5)]
SCALES = [Fraction(each, 24) for each in (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 21, 24, 30)]


def missed(
    noise: Distribution, weights: tuple[float, ...], alpha: Fraction, step: float, of_one: float | None = None
) -> float:
    """How often, as a part of `alpha`, a weighted sum of draws is beyond its interval; by enumeration."""
    values, chances = masses(noise)
    sums, of_sums = np.zeros(1), np.ones(1)
    for weight in weights:
        sums = np.add.outer(sums, weight * values).ravel()
        of_sums = np.multiply.outer(of_sums, chances).ravel()
    times = laplace_deviations(alpha, 1) if isinstance(noise, DiscreteLaplace) else normal_deviations(alpha)
    half = times * sqrt(
        (twin_variance(noise) if of_one is None else of_one) * sum(each * each for each in weights)
    ) + step * max(weights)
    return float(of_sums[np.abs(sums) > half + 1e-9].sum() / float(alpha))


@pytest.mark.parametrize("alpha", [Fraction(1, 10), Fraction(1, 20), Fraction(1, 1000), Fraction(1, 10**6)])
@pytest.mark.parametrize("kind", [DiscreteLaplace, DiscreteGaussian])
def test_whole_draws_miss_no_more_often_with_a_step(kind: type[Distribution], alpha: Fraction) -> None:
    """Of one to three draws, from noise that hardly is there to some of a deviation of 1.8: and without the step they do."""
    noises = [kind(scale if kind is DiscreteLaplace else scale * scale * 2) for scale in SCALES]
    found = [missed(noise, weights, alpha, STEP) for noise in noises for weights in WEIGHTS]
    assert max(found) <= 1
    assert max(missed(noise, (1.0,), alpha, 0.0) for noise in noises) > 1.1


@pytest.mark.parametrize("alpha", [Fraction(1, 10), Fraction(1, 20)])
@pytest.mark.parametrize("kind", [DiscreteLaplace, DiscreteGaussian])
def test_whole_draws_miss_no_more_often_with_a_unit_and_their_own_variance(
    kind: type[Distribution], alpha: Fraction
) -> None:
    """The same where twins are not looked at."""
    scales = (Fraction(each, 240) for each in range(20, 300, 8))
    noises = [kind(scale if kind is DiscreteLaplace else scale * scale * 2) for scale in scales]
    own = [(noise, standard_deviation(noise) ** 2) for noise in noises]
    assert max(missed(noise, each, alpha, UNIT, variance) for noise, variance in own for each in WEIGHTS[:6]) <= 1
    assert max(missed(noise, each, alpha, 0.0, variance) for noise, variance in own for each in WEIGHTS[:1]) > 1.1


def test_a_step_is_too_little_of_the_variance_of_the_draws_themselves() -> None:
    noise = DiscreteGaussian(Fraction(14, 100))
    assert missed(noise, (1.0,), Fraction(1, 20), STEP, standard_deviation(noise) ** 2) > 1.05
