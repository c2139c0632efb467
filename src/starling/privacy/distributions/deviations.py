"""How many standard deviations hold a sum of very many draws: where its distribution is not listed, but what kind it is of is known."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, log, sqrt
from statistics import NormalDist
from typing import Final

from starling.privacy.budget import Measure


def normal_deviations(alpha: Fraction) -> float:
    """Deviations that hold all but `alpha` of a normal distribution, as sums of many discrete Gaussian draws have; in hundredths, upwards.

    >>> normal_deviations(Fraction(1, 20))
    1.96
    """
    return _hundredths(-NormalDist().inv_cdf(float(alpha) / 2))


def log_concave_deviations(alpha: Fraction) -> float:
    """Deviations that hold all but `alpha` of any symmetric distribution with log-concave density; in hundredths, upwards.

    P(|X| > t) = p implies a variance of at least 2 (1 - p + p ln p) t^2 / (ln p)^2, since P(|X| > u) >= p^(u/t) for u <= t.

    >>> log_concave_deviations(Fraction(1, 20))
    2.37
    """
    p = float(alpha)
    return _hundredths(-log(p) / sqrt(2 * (1 - p + p * log(p))))


def _hundredths(number: float) -> float:
    return ceil(100 * number) / 100


DEVIATIONS: Final[dict[Measure, Callable[[Fraction], float]]] = {
    "rho": normal_deviations,
    "epsilon": log_concave_deviations,
}
"""Margin of what was made to add up, in standard deviations: under pure epsilon one of its draws may be nearly all of its noise."""
