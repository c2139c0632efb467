"""How far sums of independent discrete Laplace draws of several scales reach, for many sums at once.

The characteristic function of one draw, q = e^(-1/b), is 1/(1 + a (1 - cos t)) with a = 2q/(1 - q)^2; it falls on [0, pi]. Let f be the
product of those of all draws of a sum S, and N an odd period. The distribution of S modulo N is a finite sum over t_k = 2 pi k/N:

    P(|S| <= m) + (what comes round: at most P(|S| > N - m - 1)) = (1/N) (2 m + 1 + 2 sum over k = 1..(N-1)/2 of f(t_k) D(t_k)),

D(t) = sin((m + 1/2) t)/sin(t/2). With d a ten-millionth of the chance of missing that is asked for: N is so long that what comes round is
below d, by a Chernoff bound. The sum is cut at the first K with f(t_K) ln(N/2K) < d or at K = 32,768; since f falls and sin(t/2) >= t/pi,
what is cut off is below f(t_K) ln(N/2K), and that is added to the chance of missing. So are 2 d + 10^-14 for what comes round and for
rounding. A margin is therefore never too small, and too large by 1 only where the chance of the next smaller one lies that near to what
was asked for, or where very few draws of very different scales are cut at K. One draw alone has a closed form
(privacy/distributions/accuracy.py).

Why not privacy/distributions/convolution.py: it lists the whole distribution of a sum, some 10 ms each; queries on a map have a sum each.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, exp, floor, log, log1p, pi, sin, sinh, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.places.arrays import Float64, Int64
from starling.privacy.compiled import compiled
from starling.privacy.distributions.accuracy import margin, standard_deviation
from starling.privacy.distributions.discrete import DiscreteLaplace, Distribution

SPARE: Final = 1e-7
"""The part of the chance of missing that each bound of the numerics may take."""
ROUNDING: Final = 1e-14
"""Of a chance."""
LEAST: Final = Fraction(1, 10**9)
"""The smallest chance that may be asked for."""
NARROWEST: Final = Fraction(1, 100)
"""In sums, narrower noise is taken for noise of this scale, which is not 0 with a probability below 10^-43."""
MOST_ANGLES: Final = 1 << 15
SECANTS: Final = 8
"""Steps of a search before it halves."""
MIX: Final = 0x9E3779B97F4A7C15
"""An odd number of 64 bits; its powers are the weights by which a row becomes one number."""


def upper_margins(noises: Sequence[Distribution], terms: Int64, chance: Fraction) -> Int64:
    """For each sum of discrete Laplace draws a t with P(S > t) <= chance, int64 (sums,), the smallest but for what is said above; 0 where
    it has no draw.

    Takes the distributions, how many independent draws of each a sum has, int64 (sums, noises), at least 0, and a chance from 10^-9 to
    below 1/2.

    Raises:
        ParameterError: a distribution that is not discrete Laplace, or another chance.
    """
    if not all(isinstance(each, DiscreteLaplace) for each in noises):
        raise ParameterError("noises", "hold another distribution than discrete Laplace", "use its exact tails")
    if not LEAST <= chance < Fraction(1, 2):
        raise ParameterError("chance", "is not between 0.000000001 and 0.5", "give that of missing on one side")
    each = terms.reshape(-1, len(noises))
    first, back = distinct(each)
    rows = each[first]
    margins = np.zeros(len(rows), dtype=np.int64)
    many = rows.sum(axis=1)
    # Wider noise of the same form is less peaked, and so are sums of it (Birnbaum 1948): a margin can only grow.
    wide = [DiscreteLaplace(max(each.scale, NARROWEST)) for each in noises if isinstance(each, DiscreteLaplace)]
    scales = np.array([float(each.scale) for each in wide])
    variances = np.array([standard_deviation(each) ** 2 for each in wide])
    for row in np.flatnonzero(many == 1):
        # Symmetric: P(S > t) is half of P(|S| > t).
        margins[row] = margin(noises[int(np.argmax(rows[row]))], 2 * chance)
    several = np.flatnonzero(many > 1)
    normal = -NormalDist().inv_cdf(float(chance))
    margins[several] = sum_margins(rows[several], scales, variances, 2 * float(chance), normal)
    return margins[back]


def distinct(rows: Int64) -> tuple[Int64, Int64]:
    """int64 (distinct,): where one of all equal rows stands; int64 (rows,): which of these each is equal to."""
    mixed = np.ascontiguousarray(rows).view(np.uint64) @ np.multiply.accumulate(np.full(rows.shape[1], MIX, np.uint64))
    _, first, back = np.unique(mixed, return_index=True, return_inverse=True)
    if not np.array_equal(rows[first][back], rows):  # Two rows were mixed to one number.
        _, first, back = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, back.reshape(-1)


@compiled
def sum_margins(terms: Int64, scales: Float64, variances: Float64, alpha: float, normal: float) -> Int64:
    """For each sum of at least two draws the smallest m with P(|S| > m) <= alpha, as the module says.

    The search begins at what the fourth cumulant of a sum makes of a normal quantile, and goes on by secants between bounds. `terms` are
    (sums, noises), `scales` and `variances` those of one draw of each noise; `normal` is what a normal number of deviation 1 exceeds in
    size with chance alpha, above 0.
    """
    margins = np.empty(terms.shape[0], dtype=np.int64)
    angles, values = np.empty(MOST_ANGLES), np.empty(MOST_ANGLES)
    small = SPARE * alpha
    for row in range(terms.shape[0]):
        spread, reach = reach_of_sum(terms[row], scales, variances, small)
        used, left = transform(terms[row], variances, reach, small, angles, values)
        left += 2.0 * small + ROUNDING
        fourth = 0.0
        for j in range(terms.shape[1]):
            fourth += terms[row, j] * variances[j] * (3.0 * variances[j] + 1.0)
        bent = normal + (normal**3 - 3.0 * normal) * fourth / (24.0 * spread**4)
        low, high, probe, steps = -1, reach, int(max(spread * bent, 0.0)), 0
        before, above, slope = 0, 0.0, -alpha * max(normal, 1.0) / spread
        while high - low > 1:
            probe = min(max(probe, low + 1), high - 1) if steps < SECANTS else (low + high) // 2
            excess = beyond(probe, reach, used, angles, values) + left - alpha
            if steps and probe != before and (excess - above) * (probe - before) < 0.0:
                slope = (excess - above) / (probe - before)
            before, above, steps = probe, excess, steps + 1
            low, high = (probe, high) if excess > 0.0 else (low, probe)
            # One beyond the crossing on the side that is open yet: a bound on both sides ends the search.
            probe += max(ceil(-excess / slope), 1) if excess > 0.0 else min(floor(-excess / slope), -1)
        margins[row] = high
    return margins


@compiled
def reach_of_sum(terms: Int64, scales: Float64, variances: Float64, small: float) -> tuple[float, int]:
    """The standard deviation of a sum, and what it exceeds in size with a probability below `small`.

    For any s below 1/b, b the widest scale, P(|S| > r) <= 2 e^(ln E e^(s S) - s r), and E e^(s X) = 1/(1 - a (cosh s - 1)).
    """
    variance, widest = 0.0, 0.0
    for j in range(terms.size):
        if terms[j] > 0:
            variance += terms[j] * variances[j]
            widest = max(widest, scales[j])
    tail = log(2.0 / small) + 0.01
    step = min(sqrt(2.0 * tail / variance), 0.9 / widest)
    moment = 0.0
    for j in range(terms.size):
        if terms[j] > 0:
            moment -= terms[j] * log1p(-variances[j] * 2.0 * sinh(step / 2.0) ** 2)
    return sqrt(variance), int((tail + moment) / step) + 2


@compiled
def transform(
    terms: Int64, variances: Float64, reach: int, small: float, angles: Float64, values: Float64
) -> tuple[int, float]:
    """The characteristic function of a sum over sin(t/2), as far as it matters; the period is 2 reach + 1, and `small` may be left out.

    Writes the angles t and the values; returns how many were written, and a bound of what was left out.
    """
    period, left = 2 * reach + 1, 0.0
    for k in range(1, min(reach, MOST_ANGLES) + 1):
        angle = 2.0 * pi * k / period
        half = sin(angle / 2.0)
        exponent = 0.0
        for j in range(terms.size):
            if terms[j] > 0:
                exponent -= terms[j] * log1p(variances[j] * 2.0 * half * half)
        here = exp(exponent)
        angles[k - 1], values[k - 1] = angle, here / half
        left = 0.0 if k == reach else here * log(period / (2.0 * k))
        if left < small:
            return k, left
    return min(reach, MOST_ANGLES), left


@compiled
def beyond(m: int, reach: int, used: int, angles: Float64, values: Float64) -> float:
    """P(|S| > m), but for what comes round and what was left out."""
    inside = 0.0
    for k in range(used):
        inside += values[k] * sin((m + 0.5) * angles[k])
    return 1.0 - (2.0 * m + 1.0 + 2.0 * inside) / (2 * reach + 1)
