"""Effects of SNPs that were named because their statistic is large: corrected for the winner's curse.

Of z, normal around mu with deviation 1, only what lies beyond a public threshold is shown, |z| > c. What is shown is then larger than mu on
the average, and its usual interval misses mu too often. Given that it was shown, P(Z > z | |Z| > c) grows with mu, so that it can be solved
for mu: at 1/2 it gives an estimate that is too large as often as too small, at 0.025 and 0.975 an interval that holds mu in 95 of 100 cases
that are shown, exactly (Zhong and Prentice 2008, Section 2, by inversion in place of bootstrap).
"""

from typing import Final

import numpy as np

from starling.genome.arrays import Float64

_STEPS: Final = 60
"""Halvings of a bracket of about 100: to 1e-16."""
_AROUND: Final = 12.0


def corrected(z: Float64, threshold: float) -> tuple[Float64, Float64, Float64]:
    """What mu is, given that |z| is above the threshold.

    Args:
        z: Statistics that were shown, float64 (k,): all at or beyond the threshold in absolute value.
        threshold: c, 0 or more, public.

    Returns:
        The median-unbiased estimate, and the ends of the 95 % interval, float64 (k,) each.

    >>> [round(float(value[0]), 2) for value in corrected(np.array([5.5]), 5.2)]
    [3.42, -0.17, 7.14]
    """
    sign, size = np.where(z < 0, -1.0, 1.0), np.maximum(np.abs(z), threshold)
    middle, low, high = (_solve(size, threshold, share) for share in (0.5, 0.025, 0.975))
    return sign * middle, np.where(sign > 0, low, -high), np.where(sign > 0, high, -low)


def _solve(z: Float64, threshold: float, share: float) -> Float64:
    """The mu at which what is shown is above z with that chance."""
    low, high = -z - _AROUND, z + _AROUND
    for _ in range(_STEPS):
        middle = (low + high) / 2
        below = _log_chance_above(z, threshold, middle) < np.log(share)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    result: Float64 = (low + high) / 2
    return result


def _log_chance_above(z: Float64, threshold: float, mu: Float64) -> Float64:
    """ln P(Z > z given |Z| > threshold), z at or above the threshold."""
    # SciPy takes half a second to import, which whoever only plans should not wait for.
    from scipy.special import log_ndtr

    shown = np.logaddexp(log_ndtr(-threshold - mu), log_ndtr(mu - threshold))
    result: Float64 = log_ndtr(mu - z) - shown
    return result
