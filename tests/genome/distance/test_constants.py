"""Thresholds and entropies against mpmath; what is no threshold is refused."""

from fractions import Fraction
from math import inf, nextafter

import mpmath
import numpy as np
import pytest

from starling.errors import ParameterError
from starling.genome.distance.constants import LARGEST_P, SMALLEST_P, entropies, log_factorials, quantile, threshold_p


@pytest.mark.parametrize("degrees", [1, 2])
@pytest.mark.parametrize("p", [LARGEST_P, Fraction(1, 20), Fraction(1, 2_000_000), Fraction(5, 10**8), SMALLEST_P])
def test_quantile_is_the_nearest_double(p: Fraction, degrees: int) -> None:
    found = quantile(p, degrees)

    def tail(statistic: mpmath.mpf) -> mpmath.mpf:
        return mpmath.erfc(mpmath.sqrt(statistic / 2)) if degrees == 1 else mpmath.exp(-statistic / 2)

    with mpmath.workprec(2000):
        wanted = mpmath.mpf(p.numerator) / p.denominator
        half_up = (mpmath.mpf(found) + mpmath.mpf(nextafter(found, inf))) / 2
        half_down = (mpmath.mpf(found) + mpmath.mpf(nextafter(found, -inf))) / 2
        assert tail(half_up) < wanted < tail(half_down)


@pytest.mark.parametrize("n", [1, 2, 3, 25, 1138, 70_000])
def test_entropies_are_within_their_error(n: int) -> None:
    found = entropies(n)
    chosen = np.unique(np.linspace(0, n, 200).astype(np.int64))
    with mpmath.workprec(200):
        for x in chosen.tolist():
            wanted = x * mpmath.log(x) * 2**found.shift if x else mpmath.mpf(0)
            assert abs(int(found.table[x]) - wanted) <= found.error
    assert found.table.max() < 1 << 61


@pytest.mark.parametrize("n", [1, 2, 3, 25, 1138, 70_000, 1 << 20])
def test_log_factorials_are_within_their_error(n: int) -> None:
    found = log_factorials(n)
    with mpmath.workprec(200):
        for x in np.unique(np.linspace(0, n, 200).astype(np.int64)).tolist():
            assert abs(int(found.table[x]) - mpmath.loggamma(x + 1) * 2**found.shift) <= found.error
    assert found.table.max() < 1 << 60
    assert 9 * found.error / 2**found.shift < 1e-8


def test_entropies_of_the_largest_study_fit() -> None:
    found = entropies(1 << 20)
    x = 999_983
    with mpmath.workprec(200):
        assert abs(int(found.table[x]) - x * mpmath.log(x) * 2**found.shift) <= found.error
    assert 9 * found.error / 2**found.shift < 1e-8


@pytest.mark.parametrize(
    ("value", "p"),
    [
        (0.05, Fraction(1, 20)),
        (0.05 / 1e5, Fraction(1, 2_000_000)),
        ("5e-8", Fraction(1, 20_000_000)),
        (Fraction(1, 7),) * 2,
    ],
)
def test_a_float_stands_for_the_decimal_it_prints_as(value: float | str | Fraction, p: Fraction) -> None:
    assert float(threshold_p(value)) == float(p)


@pytest.mark.parametrize(
    "value", [0, 0.0, -0.1, 0.3000001, 1, 0.31, "nan", float("inf"), float("nan"), "x", None, "1/0", "1e-251"]
)
def test_no_threshold_is_refused(value: float) -> None:
    with pytest.raises(ParameterError, match="p_threshold"):
        threshold_p(value)
