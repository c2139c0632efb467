"""Deviations that hold enough of every distribution of their kind."""

from fractions import Fraction
from math import log, sqrt
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.privacy.distributions.deviations import log_concave_deviations, normal_deviations

ALPHAS = st.fractions(Fraction(1, 10**6), Fraction(9, 10))


@given(ALPHAS)
def test_so_many_hold_the_normal_distribution(alpha: Fraction) -> None:
    deviations = normal_deviations(alpha)
    assert 2 * NormalDist().cdf(-deviations) <= float(alpha) * (1 + 1e-9) < 2 * NormalDist().cdf(-deviations + 0.011)


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
