"""Margins of error from distributions, and distributions from margins of error: exact probabilities, no randomness, no data.

Every answer is on the safe side: a margin covers at least what it promises, a quantile is reached with at least its probability, a
distribution found for a margin keeps it. Where an answer needs a search, a search in floating point proposes and a certified
probability (`tails.py`) decides.

Where the paper is corrected. SafeTab 2022, Lemma 13 and equation 36, give floor(b ln(40/(1 + e^(1/b)))) as the 95 % margin of
geometric noise, and Corollary 2 the scale (MOE + 1)/ln 20. The smallest M with P(|X| > M) <= 5 % is a ceiling there, not a floor,
and under Corollary 2 P(|X| > MOE) = 0.1/(1 + e^(-epsilon)), above 5 % for every MOE: 6.05 % at 6, 5.62 % at 11, 5.15 % at 50. For the
discrete Gaussian the floor(1.96 sigma) of Corollary 3 misses where 1.96 sigma is well above its floor (11.7 % at sigma 1, 5.12 % at
sigma 10); Corollary 4, rho = 1.92/MOE^2, keeps every whole margin, and spends more than it must.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import erfc, exp, frexp, inf, log, log1p, nextafter, pi, sqrt
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
from flint import arb

from starling.errors import ParameterError
from starling.privacy.budget import Exact, chance
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution
from starling.privacy.distributions.tails import WIDE, ball, tail_ball
from starling.privacy.precision import precision

Kind: TypeAlias = Literal["discrete_laplace", "discrete_gaussian"]

MOST_TERMS = 4096
"""The most draws of a sum whose margin is asked for."""
_BITS = (128, 512)
_LEAST = -1100
"""An exponent of two: below 2^-1100 no number is nearer to the least float than to 0."""
_SIGNIFICANT = 40
"""Significant bits of the cost of a distribution that was found for a margin."""


@lru_cache(maxsize=4096)
def standard_deviation(distribution: Distribution, terms: int = 1) -> float:
    """The standard deviation of the sum of `terms` independent draws: the float nearest to it, so the same on every machine.

    It is at most sigma sqrt(terms) for the discrete Gaussian.

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace
    >>> standard_deviation(DiscreteGaussian(Fraction(100))), round(standard_deviation(DiscreteLaplace(Fraction(100))), 4)
    (10.0, 141.4208)
    """
    _check_terms(terms)
    low, high = 0.0, inf
    for bits in _BITS:
        if low != high:
            with precision(bits):
                deviation = (terms * _variance(distribution)).sqrt()
                # Of very wide noise 1 - q needs more bits.
                if deviation.is_finite():
                    low, high = _nearest(deviation.lower()), _nearest(deviation.upper())
    return high


def _nearest(number: arb) -> float:
    """The float nearest to an exact ball; Arb's own conversion does not promise which neighbour it gives."""
    mantissa, exponent = map(int, number.man_exp())
    if mantissa.bit_length() + exponent < _LEAST:
        return 0.0
    return float(mantissa * Fraction(2) ** exponent)


def _variance(distribution: Distribution) -> arb:
    """The variance of one draw, at the working precision."""
    if isinstance(distribution, DiscreteLaplace):
        # 2q/(1 - q)^2 with q = e^(-1/b).
        q = (-1 / ball(distribution.scale)).exp()
        return 2 * q / (1 - q) ** 2
    t = 1 / (2 * distribution.sigma_squared)
    if t >= 1:
        return _theta_variance(ball(t))
    # Differentiate ln Z = ln sqrt(pi/t) + ln theta(pi^2/t): s2 (1 - 2 c V(c)), c = pi^2/t, V the variance at parameter c.
    dual = arb.pi() ** 2 / ball(t)
    return ball(distribution.sigma_squared) * (1 - 2 * dual * _theta_variance(dual))


def _theta_variance(t: arb) -> arb:
    """The variance of the distribution proportional to e^(-t x^2), t >= 1: 32 terms of each sum, and a bound for the others.

    From x >= 1 each term of either sum is below 4 e^(-3) < 1/5 of the one before, so all after the last are below it.
    """
    weights = [(x * x, (-t * x * x).exp()) for x in range(1, 33)]
    square, last = weights[-1]
    beyond = arb(0, (square * last).upper())
    return (
        2
        * (sum(square * weight for square, weight in weights) + beyond)
        / (1 + 2 * (sum(weight for _, weight in weights) + beyond))
    )


def tail(distribution: Distribution, m: int, terms: int = 1) -> float:
    """P(|S| > m), rounded up, for the sum S of `terms` independent draws.

    The bound is the probability to float precision, but for a discrete Gaussian of sigma above 2,048 (up to 1/(8 sigma^2) above it).

    >>> from starling.privacy.distributions.discrete import DiscreteLaplace
    >>> round(tail(DiscreteLaplace(Fraction(1)), 2), 6)
    0.072795
    """
    _check_terms(terms)
    if m < 0:
        return 1.0
    with precision(_BITS[0]):
        upper = tail_ball(distribution, m, terms).upper()
    return min(nextafter(float(upper), inf), 1.0)


def margin(distribution: Distribution, alpha: Exact, terms: int = 1) -> int:
    """The smallest M with P(|S| > M) <= alpha, for the sum S of `terms` independent draws.

    Args:
        distribution: The distribution of each draw.
        alpha: Chance of missing, in (0, 1), exact: "0.05" for a 95 % margin of error.
        terms: Draws in the sum, 1 to 4,096.

    >>> from starling.privacy.distributions.discrete import DiscreteLaplace
    >>> margin(DiscreteLaplace(Fraction(10)), "0.05"), margin(DiscreteLaplace(Fraction(10)), "0.05", terms=46)
    (30, 188)
    """
    _check_terms(terms)
    return _margin(distribution, chance(alpha, field="alpha"), terms)


@lru_cache(maxsize=4096)
def _margin(distribution: Distribution, alpha: Fraction, terms: int) -> int:
    spread = standard_deviation(distribution) * sqrt(terms)
    guess = -NormalDist().inv_cdf(max(float(alpha / 2), 1e-300)) * spread
    if isinstance(distribution, DiscreteLaplace) and terms == 1:
        guess = float(distribution.scale) * (log(2) - _log(alpha) - log1p(exp(-float(1 / distribution.scale)))) - 1
    return smallest(lambda m: _within(distribution, m, terms, alpha) is True, round(max(guess, 0.0)))


def quantile(distribution: Distribution, p: Exact) -> int:
    """The smallest t with P(X <= t) >= p, for one draw X; p in (0, 1).

    >>> from starling.privacy.distributions.discrete import DiscreteLaplace
    >>> [quantile(DiscreteLaplace(Fraction(10)), p) for p in ("0.05", "0.5", "0.95", "0.999")]
    [-23, 0, 23, 62]
    """
    return _quantile(distribution, chance(p, field="p"))


@lru_cache(maxsize=4096)
def _quantile(distribution: Distribution, p: Fraction) -> int:
    if p >= Fraction(1, 2):
        # At t >= 0 half of the tail lies above.
        return 0 if p == Fraction(1, 2) else _margin(distribution, 2 - 2 * p, 1)
    # At t = -a it lies at or below: the largest a with P(|X| > a - 1) >= 2p, where the bounds can tell.
    return -smallest(lambda m: _within(distribution, m, 1, 2 * p) is not False, _margin(distribution, 2 * p, 1))


def distribution_for_margin(kind: Kind, margin: int, alpha: Exact, terms: int = 1) -> Distribution:
    """The cheapest distribution whose exact P(|S| > margin) is at most alpha, for the sum S of `terms` independent draws.

    Its cost at sensitivity 1 (epsilon = 1/scale, or rho = 1/(2 sigma^2)) has at most 40 significant bits and is rounded up, so
    less than one part in 2^39 is spent beyond need.

    Args:
        kind: "discrete_laplace" or "discrete_gaussian".
        margin: The margin of error, an integer of at least 0, in units of the count.
        alpha: Chance of missing, in (0, 1), exact.
        terms: Draws in the sum, 1 to 4,096.

    Raises:
        ParameterError: for any other kind, a negative margin, an alpha outside (0, 1), or another number of terms.

    >>> from starling.privacy.events import noise_event
    >>> distribution = distribution_for_margin("discrete_gaussian", 50, "0.05")
    >>> round(float(noise_event(distribution).cost.amount), 7), tail(distribution, 50) <= 0.05 < tail(distribution, 49)
    (0.0007531, True)
    """
    if kind not in ("discrete_laplace", "discrete_gaussian"):
        raise ParameterError("kind", "is no distribution of noise", "give discrete_laplace or discrete_gaussian")
    if margin < 0:
        raise ParameterError("margin", "is negative", "give 0 or more")
    _check_terms(terms)
    return _distribution_for_margin(kind, margin, chance(alpha, field="alpha"), terms)


@lru_cache(maxsize=1024)
def _distribution_for_margin(kind: Kind, margin: int, alpha: Fraction, terms: int) -> Distribution:
    guess = _solve(lambda cost: _log_tail(kind, cost, margin), _log(alpha))
    if terms > 1:
        # A sum of k draws spreads like one draw of k times the variance, about.
        guess *= terms if kind == "discrete_gaussian" else sqrt(terms)
        guess = _nearer(lambda cost: log(tail(_costing(kind, Fraction(cost)), margin, terms)) - _log(alpha), guess)
    unit = Fraction(2) ** (frexp(guess)[1] - _SIGNIFICANT)

    def costing(units: int) -> Distribution:
        return _costing(kind, units * unit)

    return costing(smallest(lambda n: n > 0 and _within(costing(n), margin, terms, alpha) is True, round(guess / unit)))


def _costing(kind: Kind, cost: Fraction) -> Distribution:
    return DiscreteLaplace(1 / cost) if kind == "discrete_laplace" else DiscreteGaussian(1 / (2 * cost))


def _within(distribution: Distribution, m: int, terms: int, alpha: Fraction) -> bool | None:
    """Whether P(|S| > m) <= alpha; None where the bounds cannot tell."""
    for bits in _BITS:
        with precision(bits):
            probability, bound = tail_ball(distribution, m, terms), ball(alpha)
            if probability <= bound:
                return True
            if probability > bound:
                return False
    return None


def smallest(holds: Callable[[int], bool], guess: int) -> int:
    """The smallest m >= 0 where a predicate holds that holds from some m on; few calls when the guess is near."""
    step = 1
    if holds(guess):
        high, low = guess, max(guess - 1, -1)
        while low >= 0 and holds(low):
            step *= 2
            high, low = low, max(low - step, -1)
    else:
        low, high = guess, guess + 1
        while not holds(high):
            step *= 2
            low, high = high, high + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _solve(log_tail: Callable[[float], float], target: float) -> float:
    """The cost at which a falling function of it reaches `target`; float precision, by bisection."""
    low = high = 1.0
    while log_tail(high) > target:
        high *= 2
    while log_tail(low) <= target:
        low /= 2
    for _ in range(64):
        middle = sqrt(low * high)
        low, high = (middle, high) if log_tail(middle) > target else (low, middle)
    return high


def _nearer(excess: Callable[[float], float], guess: float) -> float:
    """The place where a falling function of the cost crosses 0, from a guess nearby; by secants, as far as they lead."""
    low, high = log(guess), log(guess) + 0.01
    at_low = excess(exp(low))
    for _ in range(12):
        at_high = excess(exp(high))
        if at_high == at_low or abs(high - low) < 1e-12:
            break
        step = at_high * (high - low) / (at_high - at_low)
        low, at_low, high = high, at_high, high - min(max(step, -0.5), 0.5)
    return exp(high)


def _log_tail(kind: Kind, cost: float, m: int) -> float:
    """ln P(|X| > m) of the distribution of that cost, in floating point: the proposal of the search."""
    if kind == "discrete_laplace":
        return log(2) - (m + 1) * cost - log1p(exp(-cost))
    if 1 / (2 * cost) >= WIDE:
        outside = erfc((m + 0.5) * sqrt(cost))
        return log(outside) if outside > 0 else -inf
    start = m + 1
    # t = cost: e^(-t x^2). Beyond the last x the terms are below e^(-45) of the first.
    count = int(45 / cost / (start + sqrt(start * start + 45 / cost))) + 2
    steps = np.arange(count)
    outside = float(np.exp(-cost * steps * (2.0 * start + steps)).sum())
    dual = cost if cost >= 1 else pi * pi / cost
    whole = (1 if cost >= 1 else sqrt(pi / cost)) * (1 + 2 * sum(exp(-dual * x * x) for x in range(1, 7)))
    return log(2 * outside / whole) - cost * start * start


def _log(share: Fraction) -> float:
    # Of a share near 1 the difference of logarithms could be 0, which no tail reaches.
    return log1p(float(share - 1)) if 2 * share > 1 else log(share.numerator) - log(share.denominator)


def _check_terms(terms: int) -> None:
    if not 1 <= terms <= MOST_TERMS:
        raise ParameterError("terms", f"is not in 1 to {MOST_TERMS}", "give the number of draws added")
