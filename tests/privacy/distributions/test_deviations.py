"""Deviations that hold enough of every distribution of their kind."""

from fractions import Fraction
from math import exp, fsum, log, prod, sqrt
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.distributions.deviations import laplace_deviations, log_concave_deviations, normal_deviations

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
