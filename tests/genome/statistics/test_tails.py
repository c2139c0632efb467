"""Tails of the chi-squared distributions against mpmath, and Fisher's tails against exact fractions, within their stated error."""

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.genome.statistics.tails import chi_squared_log_tail, fisher_tails


@pytest.mark.parametrize("statistic", [0.0, 1e-9, 0.5, 3.84, 30.0, 700.0, 1249.0, 1250.0, 1251.0, 5e5, 1e12])
def test_log_tails_of_chi_squared(statistic: float) -> None:
    one = float(mpmath.log(mpmath.erfc(mpmath.sqrt(mpmath.mpf(statistic) / 2))))
    assert chi_squared_log_tail(np.array([statistic]), 1)[0] == pytest.approx(one, rel=1e-12, abs=1e-15)
    assert chi_squared_log_tail(np.array([statistic]), 2)[0] == -statistic / 2


def exact_tails(a: int, b: int, c: int, d: int) -> tuple[Fraction, Fraction]:
    """P(X >= a) and P(X <= a) by counting."""
    first, second, column = a + b, c + d, a + c
    ways = {
        x: comb(first, x) * comb(second, column - x) for x in range(max(0, column - second), min(first, column) + 1)
    }
    whole = sum(ways.values())
    return (
        Fraction(sum(way for x, way in ways.items() if x >= a), whole),
        Fraction(sum(way for x, way in ways.items() if x <= a), whole),
    )


def check(a: int, b: int, c: int, d: int) -> None:
    """Within the error that the docstring states."""
    upper, lower, shift = fisher_tails(a, b, c, d)
    error = Fraction(16 * (a + b + c + d), 2**53)
    exact = exact_tails(a, b, c, d)
    wanted = min(exact)
    least, other = Fraction(min(upper, lower)) / 2 ** (900 * shift), Fraction(max(upper, lower))
    assert abs(least - wanted) <= wanted * error
    assert abs(other - max(exact)) <= error


@given(st.lists(st.integers(0, 60), min_size=4, max_size=4).filter(any))
def test_fisher_tails_are_within_their_error(table: list[int]) -> None:
    a, b, c, d = table
    check(a, b, c, d)


@pytest.mark.series(2)
@pytest.mark.parametrize(
    "table", [(1, 1500, 1400, 0), (700, 0, 0, 800), (3000, 20, 15, 1), (0, 5, 700, 900), (1200, 1200, 1200, 1200)]
)
def test_fisher_tails_of_large_tables(table: tuple[int, int, int, int]) -> None:
    check(*table)


def test_a_vanishing_tail_is_shifted() -> None:
    assert fisher_tails(3000, 0, 0, 3000)[2] > 1
