"""Tail probabilities of the statistics: chi-squared distributions of 1 and 2 degrees of freedom, and Fisher's hypergeometric tails.

Written here, because SciPy takes half a second to import, and because the p-values of Fisher's test need tails with a proved error.
"""

from math import erfc, log, log1p, pi, sqrt

import numpy as np

from starling.genome.arrays import Float64, Int64
from starling.privacy.compiled import compiled

_SHIFT = 900
"""A weight below 2^-_SHIFT of the mode's is written as a multiple of that, so that it does not vanish."""
_NEGLIGIBLE = 2.0**-64
"""Terms that together are this part of a sum are left out."""


@compiled
def chi_squared_log_tail(statistic: Float64, degrees: int) -> Float64:
    """ln P(chi-squared > statistic) for 1 or 2 degrees of freedom, float64 of the same shape; never -inf for a finite statistic.

    1: ln erfc(z), z = sqrt(statistic/2); from z = 25 on by its asymptotic series, whose first term left out is below 1e-13.
    2: -statistic/2.
    """
    out = np.empty_like(statistic)
    for index in range(statistic.size):
        half = statistic[index] / 2
        if degrees == 2:
            out[index] = -half
        elif half < 625:
            out[index] = log(erfc(sqrt(half)))
        else:
            step = 1 / (2 * half)
            series = -step + 3 * step * step - 15 * step**3 + 105 * step**4
            out[index] = -half - log(pi * half) / 2 + log1p(series)
    return out


@compiled
def fisher_tails(a: int, b: int, c: int, d: int) -> tuple[float, float, int]:
    """P(X >= a) and P(X <= a), X the first cell of a random table with these margins: (upper, lower, shift).

    The smaller of the two stands as a multiple of 2^-(900 shift), shift mostly 0. The weights of the tables are carried by their
    ratios from the mode outwards. A ratio is three roundings of exact integers and one product more, each a relative 2^-53: after j
    steps a weight is within 4 j 2^-53, and so is every sum of weights of such tables, plus one rounding a term. So the smaller
    tail is within a relative 16 n 2^-53, the other one within an absolute 16 n 2^-53. No function of the C library is used.
    """
    n = a + b + c + d
    low, high = max(0, a - d), min(a + b, a + c)
    mode = min(high, max(low, ((a + b + 1) * (a + c + 1)) // (n + 2)))
    total = (
        1.0
        + _onwards(mode, b + a - mode, c + a - mode, d - a + mode)
        + _onwards(b + a - mode, mode, d - a + mode, c + a - mode)
    )
    # From the mode to the table; down is up with the columns swapped.
    if a >= mode:
        p, q, r, s, steps = mode, b + a - mode, c + a - mode, d - a + mode, a - mode
    else:
        p, q, r, s, steps = b + a - mode, mode, d - a + mode, c + a - mode, mode - a
    weight, shift = 1.0, 0
    for _ in range(steps):
        weight *= (float(q) * float(r)) / (float(p + 1) * float(s + 1))
        p, q, r, s = p + 1, q - 1, r - 1, s + 1
        if weight < 2.0**-_SHIFT:
            weight *= 2.0**_SHIFT
            shift += 1
    far = weight * (1.0 + _onwards(p, q, r, s)) / total
    at = weight / total if shift == 0 else 0.0
    near = 1.0 - (far if shift == 0 else 0.0) + at
    return (far, near, shift) if a >= mode else (near, far, shift)


@compiled
def _onwards(a: int, b: int, c: int, d: int) -> float:
    """The sum of the weights of the tables beyond (a, b; c, d) on a's side, relative to its own."""
    weight, total = 1.0, 0.0
    left = min(b, c)
    while left > 0:
        weight *= (float(b) * float(c)) / (float(a + 1) * float(d + 1))
        a, b, c, d = a + 1, b - 1, c - 1, d + 1
        total += weight
        left -= 1
        # Weights fall faster and faster beyond the mode, so what is left is at most `left` times the last one.
        if weight * left < _NEGLIGIBLE * (1.0 + total):
            break
    return total


@compiled
def fisher_log_p(tables: Int64) -> Float64:
    """ln min(1, 2 min(P(X >= a), P(X <= a))) of each row (a, b, c, d): Fisher's central test."""
    out = np.empty(tables.shape[0])
    for index in range(tables.shape[0]):
        upper, lower, shift = fisher_tails(tables[index, 0], tables[index, 1], tables[index, 2], tables[index, 3])
        out[index] = min(0.0, log(2 * min(upper, lower)) - shift * _SHIFT * log(2.0))
    return out
