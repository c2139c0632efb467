"""When a 2x2 table is significant, one way or the other: a predicate of the table, exact, and the same after any swap.

A rule says of a table whether it is +1: significant with Delta = ad - bc > 0; -1: significant with Delta < 0; or 0: neither. With
n = a + b + c + d and margins meaning (a+b)(c+d)(a+c)(b+d):

    G            2 (sum of x ln x over cells - over margins + n ln n) >= t
    Pearson      n Delta^2 >= t margins
    Fisher       P(X >= a) <= alpha/2: +1; P(X <= a) <= alpha/2: -1   (central: p is twice the smaller tail)
    r^2          Delta^2 q > p margins, for the threshold p/q
    |D'|         |Delta| (q - p) > p n least, least = min(b, c) for Delta > 0, min(a, d) for Delta < 0

The last from |D'| = |Delta| / most: for Delta > 0 most = min((a+b)(b+d), (a+c)(c+d)), and (a+b)(b+d) = Delta + bn,
(a+c)(c+d) = Delta + cn.

The compiled predicate computes with certified integers (G, |D'|) or doubles (others; fisher.py has Fisher's), and answers only beyond its
proved error; where it cannot tell it says UNDECIDED, and `decide` computes with Arb balls (G) or integers. So the answer is that of
exact arithmetic, always.
"""

from fractions import Fraction
from math import ceil, floor, sqrt
from typing import Final, NamedTuple

import numpy as np
from flint import arb, fmpz

from starling.errors import ParameterError
from starling.genome.arrays import Int64
from starling.genome.distance.constants import UNDECIDED, FixedPoint, entropies, log_factorials, quantile
from starling.genome.distance.fisher import tail_bounds, tail_reaches
from starling.genome.statistics.association import Correlation, Test
from starling.privacy.compiled import compiled
from starling.privacy.distributions.tails import ball
from starling.privacy.precision import precision

G, PEARSON, FISHER, R_SQUARED, D_PRIME = range(5)

_SURE = 2.0**-47
"""Doubles decide when two sides differ by this part. Each is a product or quotient of at most nine factors, every factor and
every operation rounded once: within a relative 20 * 2^-53 < 2^-48."""
_MOST_PARTS = 1 << 16
"""Of the denominator of a correlation's threshold: with at most 2^24 patients Delta^2 q is at most 2^108, so what doubles cannot
tell apart differs by less than 2^62, and the difference taken modulo 2^64 is the difference."""
LEAST_D_PRIME: Final = Fraction(1, 2)

_TERMS = 9
"""Entries of `Entropies` that make up G of a 2x2 table."""


class Kernel(NamedTuple):
    """A rule as compiled code takes it.

    Attributes:
        kind: G, PEARSON, FISHER, R_SQUARED or D_PRIME.
        threshold: t of G and Pearson, alpha/2 of Fisher, the threshold of a correlation; the nearest double.
        low: G: a sum of entropies at or below is certainly not significant; Fisher: the lower bound of `fisher.tail_bounds`.
        high: G: a sum of entropies at or above is certainly significant; Fisher: the upper bound of `fisher.tail_bounds`.
        table: G: x ln x; Fisher: ln x!; otherwise one entry that nobody reads.
        unit: Fisher: of the table.
        margin: Fisher: the margin of `fisher.tail_bounds`.
    """

    kind: int
    threshold: float
    low: int
    high: int
    numerator: int
    denominator: int
    table: Int64
    unit: float = 0.0
    margin: float = 0.0


class Rule(NamedTuple):
    """One rule, public: as compiled code takes it, and exact what `kernel.threshold` stands for."""

    kernel: Kernel
    bound: Fraction


_NONE: Final = np.zeros(1, dtype=np.int64)
_NONE.flags.writeable = False


def of_test(test: Test, p: Fraction, n: int) -> Rule:
    """The rule "p-value at or below p" for tables of up to n patients. Raises ParameterError for an unknown test."""
    if test == "fisher":
        logs = log_factorials(n)
        low, high, margin = tail_bounds(p / 2, n, logs)
        return Rule(Kernel(FISHER, float(p / 2), low, high, 0, 1, logs.table, 2.0**-logs.shift, margin), p / 2)
    return of_statistic(test, Fraction(quantile(p, 1)), n)


def of_statistic(test: Test, t: Fraction, n: int) -> Rule:
    """The rule "statistic at or above t", t above 0, for G (or its other name) and Pearson's statistic."""
    if test == "chi2":
        return Rule(Kernel(PEARSON, float(t), 0, 0, 0, 1, _NONE), t)
    if test in ("g", "logistic"):
        low, high, table = g_bounds(t, entropies(n), _TERMS)
        return Rule(Kernel(G, float(t), low, high, 0, 1, table), t)
    raise ParameterError("test", "is no test with a distance", "give g, chi2, fisher or logistic")


def of_correlation(measure: Correlation, threshold: Fraction, n: int) -> Rule:
    """The rule "correlation above the threshold" for n people. Raises ParameterError for an unknown measure, or a threshold outside (0, 1),
    of more than 2^16 parts, or so low that one step may lead past it: r^2 with n times it below 1, |D'| below 1/2.
    """
    if not 0 < threshold < 1 or threshold.denominator > _MOST_PARTS:
        problem, fix = f"is not a fraction in (0, 1) of at most {_MOST_PARTS} parts", 'give "0.05" or the like'
        raise ParameterError("delta_c", problem, fix)
    too_low = {"r2": n * threshold < 1, "dprime": threshold < LEAST_D_PRIME}
    if measure not in too_low:
        raise ParameterError("correlation", "is no measure of correlation", 'give "r2" or "dprime"')
    if too_low[measure]:
        least = "1/n" if measure == "r2" else "1/2"
        raise ParameterError("delta_c", f"is below {least}", "raise it")
    kind = R_SQUARED if measure == "r2" else D_PRIME
    return Rule(Kernel(kind, float(threshold), 0, 0, threshold.numerator, threshold.denominator, _NONE), threshold)


def g_bounds(t: Fraction, table: FixedPoint, terms: int) -> tuple[int, int, Int64]:
    """Sums of `terms` entries at or below the first are certainly below t/2, at or above the second certainly at t/2 or above."""
    half = t / 2 * 2**table.shift
    return floor(half) - terms * table.error, ceil(half) + terms * table.error, table.table


@compiled
def way(rule: Kernel, a: int, b: int, c: int, d: int) -> tuple[int, float]:
    """+1, -1, 0 or UNDECIDED, and about how far: a signed root that passes +-1 near the thresholds, to guess by."""
    delta = a * d - b * c
    if delta == 0:
        return 0, 0.0
    sign = 1
    if delta < 0:
        # The table is turned so that Delta is above 0.
        sign, delta, a, b, c, d = -1, -delta, b, a, d, c
    if rule.kind == G:
        reached, far = _reach_of_g(rule.low, rule.high, rule.table, a, b, c, d)
    elif rule.kind == PEARSON:
        reached, far = _reach_of_pearson(rule.threshold, delta, a, b, c, d)
    elif rule.kind == FISHER:
        half, table = rule.threshold, rule.table
        reached, far = tail_reaches(half, rule.low, rule.high, rule.unit, rule.margin, table, a, b, c, d)
    elif rule.kind == R_SQUARED:
        reached, far = _reach_of_r_squared(rule.numerator, rule.denominator, delta, a, b, c, d)
    else:
        reached, far = _reach_of_d_prime(rule.numerator, rule.denominator, delta, a, b, c, d)
    return (UNDECIDED if reached == UNDECIDED else sign * reached), sign * far


@compiled
def _reach_of_g(low: int, high: int, x: Int64, a: int, b: int, c: int, d: int) -> tuple[int, float]:
    total = x[a] + x[b] + x[c] + x[d] - x[a + b] - x[c + d] - x[a + c] - x[b + d] + x[a + b + c + d]
    far = sqrt(max(0.0, float(total) / (0.5 * (float(low) + float(high)))))
    return (1 if total >= high else 0 if total <= low else UNDECIDED), far


@compiled
def _reach_of_pearson(t: float, delta: int, a: int, b: int, c: int, d: int) -> tuple[int, float]:
    share = _squared(delta) * (a + b + c + d) / (_margins(a, b, c, d) * t)
    if abs(share - 1) <= _SURE:
        return UNDECIDED, 1.0
    return (1 if share > 1 else 0), sqrt(share)


@compiled
def _reach_of_r_squared(p: int, q: int, delta: int, a: int, b: int, c: int, d: int) -> tuple[int, float]:
    share = _squared(delta) * q / (_margins(a, b, c, d) * p)
    above = share > 1
    if abs(share - 1) <= _SURE:
        margins = (np.uint64(a + b) * np.uint64(c + d)) * (np.uint64(a + c) * np.uint64(b + d))
        beyond = np.int64(np.uint64(delta) * np.uint64(delta) * np.uint64(q) - margins * np.uint64(p))
        above = bool(beyond > 0)
    return (1 if above else 0), sqrt(share)


@compiled
def _reach_of_d_prime(p: int, q: int, delta: int, a: int, b: int, c: int, d: int) -> tuple[int, float]:
    """With q at most 2^16 and n at most 2^24 both sides fit int64."""
    least = (a + b + c + d) * min(b, c)
    far = (float(delta) / float(delta + least)) * (q / p)
    return (1 if delta * (q - p) > p * least else 0), far


@compiled
def _squared(delta: int) -> float:
    return float(delta) * float(delta)


@compiled
def _margins(a: int, b: int, c: int, d: int) -> float:
    return (float(a + b) * float(c + d)) * (float(a + c) * float(b + d))


def decide(rule: Rule, a: int, b: int, c: int, d: int) -> int:
    """The verdict of `way`, by exact arithmetic in every case: the slow twin, and the judge of what doubles leave open."""
    n, delta = a + b + c + d, a * d - b * c
    sign = (delta > 0) - (delta < 0)
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    kind, bound = rule.kernel.kind, rule.bound
    if kind == FISHER:
        return _decide_fisher(bound, a, b, c, d)
    if delta == 0:
        return 0
    if kind == G:
        return sign if g_reaches(bound, ((a, b, c, d), (a + b, c + d, a + c, b + d), (n,))) else 0
    if kind == PEARSON:
        return sign if n * delta**2 >= bound * margins else 0
    if kind == R_SQUARED:
        return sign if delta**2 > bound * margins else 0
    least = min(b, c) if delta > 0 else min(a, d)
    return sign if abs(delta) * (1 - bound) > bound * n * least else 0


def g_reaches(t: Fraction, numbers: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]) -> bool:
    """Whether G >= t, from cells, margins and total. Ends: unless G is 0 it is transcendental, and t is rational, above 0."""
    cells, margins, total = numbers
    working = 128
    while True:
        with precision(working):
            # G is 0 only where the product of the cells' powers is that of the margins'; then the ball stays around 0, below t.
            half = sum((_entropy(x) for x in cells + total), arb(0)) - sum((_entropy(x) for x in margins), arb(0))
            off = 2 * half - ball(t)
        if off > 0 or off < 0:
            return bool(off > 0)
        working *= 2


def _entropy(x: int) -> arb:
    return x * arb(x).log() if x else arb(0)


def _decide_fisher(half: Fraction, a: int, b: int, c: int, d: int) -> int:
    whole = fmpz.bin_uiui(a + b + c + d, a + c)
    if _tail_count(a, b, c, d) * half.denominator <= half.numerator * whole:
        return 1
    return -1 if _tail_count(b, a, d, c) * half.denominator <= half.numerator * whole else 0


def _tail_count(a: int, b: int, c: int, d: int) -> fmpz:
    """How many of the choices of a + c people have at least a of the a + b."""
    term = fmpz.bin_uiui(a + b, a) * fmpz.bin_uiui(c + d, c)
    total = term
    while b and c:
        term = term * (b * c) // ((a + 1) * (d + 1))
        a, b, c, d = a + 1, b - 1, c - 1, d + 1
        total += term
    return total
