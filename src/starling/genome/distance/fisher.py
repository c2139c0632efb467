"""Whether one of Fisher's tails is at or below alpha/2: certified, in about the time of a few square roots.

Let X be the first cell of a random table with the margins of (a, b; c, d), and Delta = ad - bc > 0, so that a is above the mean of X. X is
distributed as a sum of independent indicators (Vatutin and Mikhailov 1982), whose median is its mean, rounded down or up (Jogdeo and
Samuels 1968). So P(X <= a) is at least 1/2, above every alpha/2 that there is; where Delta = 0 both tails are. Only P(X >= a) is looked at,
and for Delta < 0 that of the table with columns swapped.

    P(X >= a) = p S,    p = P(X = a),    S = w_0 + w_1 + ...,    w_i = P(X = a + i)/p

ln p is a sum of nine log factorials, kept as integers with a proved error. S is not summed but bracketed. From
w_i (a+i)(d+i) = w_(i-1) (b-i+1)(c-i+1) and (a+i)(d+i) - (b-i)(c-i) = Delta + in follows, for every f,

    sum over i of w_i [f(i) (Delta + in) - (f(i+1) - f(i)) (b-i)(c-i)] = f(0) a d.

Let m be the mean of i under the weights w, v the mean of i^2. f = 1 gives S = ad/(Delta + n m); f(i) = i gives
(Delta + b + c) m + (n - 1) v = bc. And m^2 <= v <= m + 2 m^2: the first always; the second because w_(i+1)/w_i falls with i, so that
the mean of what i has beyond j, where it has reached j, falls with j: the mean of i(i-1)/2, the sum over j >= 1 of P(i >= j) times
that, is at most m times m. Two quadratic equations then bound m, and S, from both sides. (For a normal distribution they are Birnbaum's and
Sampford's bounds of Mills' ratio.)

Where the bracket holds the threshold, some terms are summed and the rest is bracketed: its weights are those of a table further on. So the
bracket shrinks until it tells, or until rounding could matter, which is left to exact arithmetic.

Errors, relative. w_i: five roundings a step. A bracket: sums, products, quotients and square roots of numbers above 0, at most twenty.
So S is within (5 i + 40) 2^-53, for i up to _MOST_TERMS below 2^-36. e^y by `_exp` is within 2^-42.
"""

from fractions import Fraction
from math import factorial, ldexp, log, sqrt
from typing import Final

from starling.genome.arrays import Int64
from starling.genome.distance.constants import UNDECIDED, FixedPoint
from starling.privacy.compiled import compiled
from starling.privacy.distributions.tails import ball
from starling.privacy.precision import precision

_TERMS: Final = 9
"""Log factorials that make up ln p."""
_MOST_TERMS: Final = 1 << 14
_SURE: Final = 2.0**-35
"""Relative error beside that of the log factorials: of S, of e^y, of the nearest double to alpha/2, and of comparing them."""
_LOG2_E: Final = 1.4426950408889634
_LN2_HIGH: Final = 0.693147180369123816490
"""The first 33 bits: its product with a whole number below 2^20 is exact."""
_LN2_LOW: Final = 1.90821492927058770002e-10
_LN2: Final = 0.6931471805599453
_EVEN: Final = tuple(1 / factorial(degree) for degree in range(0, 14, 2))
_ODD: Final = tuple(1 / factorial(degree) for degree in range(1, 14, 2))
"""Coefficients of e^r."""


def tail_bounds(half: Fraction, n: int, logs: FixedPoint) -> tuple[int, int, float]:
    """For "P(X >= a) <= half": (low, high, margin).

    -ln p, in units, at or below `low`: the tail certainly is above. At or above `high`: it certainly is not, because S is at most n.
    In between, S and half/p tell when they differ by more than the part `margin`.
    """
    off = _TERMS * logs.error + 1
    with precision(128):
        middle = -ball(half).log() * 2**logs.shift
        low, high = (
            middle.lower().floor().unique_fmpz(),
            (middle + ball(Fraction(n)).log() * 2**logs.shift).upper().ceil(),
        )
    assert low is not None
    return int(low) - off, int(high.unique_fmpz()) + off, off * 2.0**-logs.shift + _SURE


@compiled
def tail_reaches(
    half: float, low: int, high: int, unit: float, margin: float, logs: Int64, a: int, b: int, c: int, d: int
) -> tuple[int, float]:
    """Whether P(X >= a) <= half for ad > bc: 1, 0 or UNDECIDED; and about how far: a root that is 1 at the threshold, to guess by.

    `half` is the double nearest to alpha/2, `low`, `high` and `margin` are those of `tail_bounds`, and `logs` is ln x! in units of `unit`.
    """
    x = (
        (logs[a] + logs[b] + logs[c] + logs[d] + logs[a + b + c + d])
        - (logs[a + b] + logs[c + d])
        - (logs[a + c] + logs[b + d])
    )
    y = x * unit
    far = sqrt(max(0.0, y - log(_bracket(a, b, c, d)[1]) - _LN2) / (low * unit - _LN2))
    if low < x < high:
        return _compare(half * _exp(y), margin, a, b, c, d), far
    return (1 if x >= high else 0), far


@compiled
def _compare(goal: float, margin: float, a: int, b: int, c: int, d: int) -> int:
    """Whether S <= goal: 1, 0 or UNDECIDED."""
    above, below = goal * (1 + margin), goal * (1 - margin)
    total, weight, terms, until = 0.0, 1.0, 0, 8
    while True:
        least, most = _bracket(a, b, c, d)
        if total + weight * most <= below:
            return 1
        if total + weight * least >= above:
            return 0
        if b == 0 or c == 0 or weight * most < margin or terms >= _MOST_TERMS:
            return UNDECIDED
        while terms < until and b > 0 and c > 0:
            total += weight
            weight *= (float(b) * float(c)) / (float(a + 1) * float(d + 1))
            a, b, c, d = a + 1, b - 1, c - 1, d + 1
            terms += 1
        until += terms


@compiled
def _bracket(a: int, b: int, c: int, d: int) -> tuple[float, float]:
    """Bounds of S of a table with ad > bc."""
    outer, inner = float(a) * float(d), float(b) * float(c)
    n = float(a + b + c + d)
    delta = float(a * d - b * c)
    first = delta + float(b + c)
    second = first + (n - 1)
    most = 2 * inner / (first + sqrt(first * first + 4 * (n - 1) * inner))
    least = 2 * inner / (second + sqrt(second * second + 8 * (n - 1) * inner))
    return outer / (delta + n * most), outer / (delta + n * least)


@compiled
def _exp(y: float) -> float:
    """e^y for y from 0 to 700, within a relative 2^-42.

    y = k ln 2 + r with |r| below 0.35: k times the high part of ln 2 is exact, so that r is within 2^-43 of the truth. The Taylor sum
    of degree 13 leaves out less than 2^-57 and rounds by less than 2^-50.
    """
    k = int(y * _LOG2_E + 0.5)
    r = (y - k * _LN2_HIGH) - k * _LN2_LOW
    even, odd = _EVEN[-1], _ODD[-1]
    square = r * r
    for place in range(len(_EVEN) - 2, -1, -1):
        even, odd = _EVEN[place] + square * even, _ODD[place] + square * odd
    return ldexp(even + r * odd, k)
