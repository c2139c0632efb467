"""The public constants behind "significant": the threshold of a statistic, and x ln x and ln x! as certified integers.

The threshold t of a p-value is the quantile of the chi-squared distribution, rounded to the nearest double: one public rational number,
the same on every machine, and what "significant" means here. (Against the quantile itself a statistic is judged differently only
within a relative 2^-53 of it.) That t is rational has a use: G is twice the logarithm of a rational number, which is
transcendental unless G is 0 (Lindemann), so no table has G = t, and enough digits always decide. Pearson's statistic is
rational, and integers decide.

x ln x and ln x! are kept as integer multiples of 2^-shift with a proved error. ln of a prime comes from Arb; ln of another number is
the sum over its prime factors. Sums of such integers are exact, whatever the order: G of a table is the same integer after any swap.
"""

from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, log, nextafter
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from flint import arb

from starling.errors import ParameterError
from starling.genome.arrays import Int64
from starling.privacy.compiled import compiled
from starling.privacy.distributions.tails import ball
from starling.privacy.precision import precision

MOST_PATIENTS = 1 << 24
"""Patients (or alleles) of a table: products of four margins then stay far below the largest double, and x ln x fits int64."""
LARGEST_P = Fraction(3, 10)
"""Of a threshold. Above it one step may lead from significant one way to significant the other way, so that a distance is not that to
the nearest insignificant table."""
SMALLEST_P = Fraction(1, 10**250)
UNDECIDED = 2
"""What a predicate says of a table that doubles cannot decide about."""

_LOG_BITS = 58
"""ln x, x up to 2^24, as a multiple of 2^-58: below 2^63."""
_HALF = 29
_LOW = (1 << _HALF) - 1
_PRECISION = 256


def threshold_p(value: float | Fraction | str) -> Fraction:
    """A p-value threshold as a rational number; a float stands for the decimal that it prints as.

    Raises:
        ParameterError: when it is not in [1e-250, 0.3].

    >>> threshold_p(0.05), threshold_p("5e-8")
    (Fraction(1, 20), Fraction(1, 20000000))
    """
    try:
        p = Fraction(repr(float(value)) if isinstance(value, float) else value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ParameterError("p_threshold", "is not a number", 'give one such as "5e-8"') from None
    if not SMALLEST_P <= p <= LARGEST_P:
        problem = "is not between 1e-250 and 0.3"
        fix = "give a smaller one: at higher thresholds a distance to significance is not defined by single steps"
        raise ParameterError("p_threshold", problem, fix)
    return p


@lru_cache(maxsize=256)
def quantile(p: Fraction, degrees: int) -> float:
    """The double nearest to the t with P(chi-squared > t) = p, for 1 or 2 degrees of freedom.

    >>> quantile(Fraction(1, 20), 1), quantile(Fraction(1, 20), 2)
    (3.841458820694126, 5.991464547107982)
    """
    guess = NormalDist().inv_cdf(float(p) / 2) ** 2 if degrees == 1 else -2 * log(p)
    with precision(_PRECISION):
        while True:
            below = (arb(guess) + arb(nextafter(guess, -inf))) / 2
            above = (arb(guess) + arb(nextafter(guess, inf))) / 2
            if _tail(above, degrees) > ball(p):
                guess = nextafter(guess, inf)
            elif _tail(below, degrees) < ball(p):
                guess = nextafter(guess, -inf)
            else:
                return guess


def _tail(statistic: arb, degrees: int) -> arb:
    return (statistic / 2).sqrt().erfc() if degrees == 1 else (-statistic / 2).exp()


class FixedPoint(NamedTuple):
    """A function of x = 0..n as integers.

    Attributes:
        table: int64 (n + 1,), multiples of 2^-shift, below 2^60.
        shift: See `table`.
        error: An entry is within this many units of the truth.
    """

    table: Int64
    shift: int
    error: int


@lru_cache(maxsize=4)
def entropies(n: int) -> FixedPoint:
    """x ln x up to n, at most 2^24; built once for each n (0.2 s at 500,000)."""
    logs, x = _logs(n), np.arange(n + 1)
    # An entry of `logs` is short by at most one unit a prime factor, of which x has at most log2 x; then the product is floored.
    return _fixed_point(x * (logs >> _HALF), x * (logs & _LOW))


@lru_cache(maxsize=4)
def log_factorials(n: int) -> FixedPoint:
    """ln x! up to n, at most 2^24; built once for each n."""
    logs = _logs(n)
    # The sum of n entries of `logs`, each short by at most log2 n units; then it is floored.
    return _fixed_point(np.cumsum(logs >> _HALF), np.cumsum(logs & _LOW))


def _fixed_point(high: Int64, low: Int64) -> FixedPoint:
    """From numbers of up to 87 bits in units of 2^-_LOG_BITS, whose halves these are; n ln n, and ln n!, stay below 2^60."""
    n = len(high) - 1
    shift = 60 - max(2, ceil(n * log(n + 1))).bit_length()
    off = _LOG_BITS - shift
    table: Int64 = (high + (low >> _HALF)) >> (off - _HALF) if off >= _HALF else (high << (_HALF - off)) + (low >> off)
    table.flags.writeable = False
    return FixedPoint(table, shift, (n * n.bit_length() >> off) + 2)


def _logs(n: int) -> Int64:
    """ln x for x = 0..n in units of 2^-_LOG_BITS, from below; 0 for x = 0."""
    sieve = np.ones(n + 1, dtype=np.bool_)
    sieve[:2] = False
    for number in range(2, int(n**0.5) + 1):
        if sieve[number]:
            sieve[number * number :: number] = False
    primes, logs = np.flatnonzero(sieve), np.zeros(n + 1, dtype=np.int64)
    with precision(128):
        scale = arb(2) ** _LOG_BITS
        of_primes = [_floor(arb(prime).log() * scale) for prime in primes.tolist()]
    _add_up(primes, np.array(of_primes, dtype=np.int64), logs)
    return logs


def _floor(number: arb) -> int:
    """Rounded, of an irrational number that many more digits are known of."""
    whole = number.floor().unique_fmpz()
    assert whole is not None
    return int(whole)


@compiled
def _add_up(primes: Int64, of_primes: Int64, logs: Int64) -> None:
    """The logarithm of each number from those of its prime factors."""
    for place in range(primes.size):
        power = primes[place]
        while power < logs.size:
            for multiple in range(power, logs.size, power):
                logs[multiple] += of_primes[place]
            power *= primes[place]
