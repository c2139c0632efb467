"""Where the sorted values of k independent uniform numbers lie: the j-th smallest has the law Beta(j, k + 1 - j).

Written here, because SciPy is no dependency.
"""

from math import exp, lgamma, log, log1p
from typing import Final

_STEPS: Final = 60
"""Halvings of the range of ln x; with the first range of 800 they leave less than 1e-15."""
_TERMS: Final = 10_000
_TINY: Final = 1e-300
_CLOSE: Final = 1e-13


def expected(rank: int, count: int) -> float:
    """The mean of the `rank`-th smallest of `count` uniform numbers."""
    return rank / (count + 1)


def quantile(probability: float, rank: int, count: int) -> float:
    """The value that the `rank`-th smallest of `count` uniform numbers is below with a probability.

    Args:
        probability: In (0, 1).
        rank: From 1 to `count`.
        count: k.

    >>> round(quantile(0.95, 1, 1), 6), round(quantile(0.5, 1, 2), 6)
    (0.95, 0.292893)
    """
    low, high = -800.0, 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _below(exp(middle), float(rank), float(count + 1 - rank)) < probability:
            low = middle
        else:
            high = middle
    return exp(high)


def _below(x: float, a: float, b: float) -> float:
    """The distribution function of Beta(a, b) at x, by the continued fraction that converges there."""
    if x >= 1:
        return 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Abramowitz and Stegun 26.5.8, evaluated from the front (Lentz): terms until one changes nothing."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < _CLOSE:
            break
    return value


def _away(number: float) -> float:
    """Not 0, so that it can be divided by."""
    return number if abs(number) > _TINY else _TINY
