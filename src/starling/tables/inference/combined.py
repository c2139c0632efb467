"""A number of an earlier release and one more measurement of it: the combination, and the exact law of its error.

With Y1 = N + e1 the earlier value and Y2 = N + e2 the new one, independent, a = Var e1 / (Var e1 + Var e2) is the weight of least
variance of Y2 in (1 - a) Y1 + a Y2. Published is

    Y = Y1 + round(a (Y2 - Y1)),  so  Y - N = e1 + round(a (e2 - e1)),

halves away from 0, a a rational by the laws alone (reuse.py). Rounding is odd and both laws are symmetric, so the error is too:
Y is unbiased. A release that was topped up is topped up again in the same way: Y takes the place of Y1, with its own law, which is
symmetric too and has its rounding in it. Weights are then those of inverse variance over all measurements, that rounding apart.
Cells of a group have independent errors of one law, so that a sum of k cells has its k-fold power
(privacy/distributions/probability_mass.py).
Probabilities are listed to float precision in a fixed order, the same on every machine.

`margin`, `quantile`, `tail` and `standard_deviation` here are those of privacy/distributions/accuracy.py for the noise
of one draw, and ask the same of
the listed law for two combined.
"""

from fractions import Fraction
from functools import lru_cache
from math import sqrt

import numpy as np

from starling.privacy.compiled import compiled
from starling.privacy.distributions import accuracy
from starling.privacy.distributions.probability_mass import Floats, Masses, listed, masses, summed
from starling.tables.inference.reuse import corrections
from starling.tables.measurements import Measured
from starling.tables.plan import Level, Noise, Plan, Twice
from starling.tables.plan.combined_stages import FINEST, SLACK, variance


@lru_cache(maxsize=256)
def later_weight(noise: Twice) -> Fraction:
    """a, the weight of the later value: a rational in [0, 1).

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> later_weight(Twice(DiscreteGaussian(Fraction(300)), DiscreteGaussian(Fraction(100))))
    Fraction(3, 4)
    """
    earlier, later = _variance(noise.earlier), variance(noise.later)
    if not earlier:
        return Fraction(0)  # so little noise that a float holds none of it
    return min((earlier / (earlier + later)).limit_denominator(FINEST), 1 - Fraction(1, FINEST))


def combined(plan: Plan, level: Level, earlier: Measured, later: Measured) -> Measured:
    """The measurements of a piece, each value from both; first totals and branches are those of the earlier release.

    Args:
        plan: It tops up.
        level: Of the piece.
        earlier: What the earlier release published, combined in its turn where that one topped up another.
        later: What was drawn now.
    """
    total_only = np.repeat(earlier.branch < 0, np.diff(earlier.offsets()))
    values = earlier.values.copy()
    for here, once in ((total_only, True), (~total_only, False)):
        noise = plan.noise(level, total_only=once)
        if isinstance(noise, Twice):
            values[here] += corrections(later.values[here], earlier.values[here], later_weight(noise))
    return Measured(earlier.stage1, earlier.branch, values)


def listed_noise(noise: Noise, terms: int = 1) -> Masses:
    """The law of the sum of `terms` independent errors."""
    return _twice(noise, terms) if isinstance(noise, Twice) else masses(noise, terms)


def margin(noise: Noise, alpha: Fraction, terms: int = 1) -> int:
    """The smallest M with P(|S| > M) <= alpha, for the sum S of `terms` independent errors."""
    if not isinstance(noise, Twice):
        return accuracy.margin(noise, alpha, terms)
    law = _twice(noise, terms)
    beyond = 2 * law.above[law.reach + 1 :] <= float(alpha) - SLACK
    return int(np.argmax(beyond)) if beyond.any() else law.reach


def quantile(noise: Noise, p: Fraction) -> int:
    """The smallest t with P(X <= t) >= p, for one error X."""
    if not isinstance(noise, Twice):
        return accuracy.quantile(noise, p)
    law = _twice(noise, 1)
    reached = law.above <= float(1 - p) - SLACK
    return int(np.argmax(reached)) - law.reach - 1 if reached.any() else law.reach


def tail(noise: Noise, m: int, terms: int = 1) -> float:
    """P(|S| > m), rounded up, for the sum S of `terms` independent errors."""
    if not isinstance(noise, Twice):
        return accuracy.tail(noise, m, terms)
    law = _twice(noise, terms)
    if m < 0:
        return 1.0
    return min(2 * float(law.above[law.reach + m + 1]) + SLACK, 1.0) if m < law.reach else 0.0


@lru_cache(maxsize=65536)
def at_least(noise: Noise, value: int) -> float:
    """P(X >= value) of one error X, to float precision: half the tail, by symmetry."""
    return tail(noise, value - 1) / 2 if value > 0 else 1 - tail(noise, -value) / 2


@lru_cache(maxsize=256)
def standard_deviation(noise: Noise) -> float:
    """Of one error."""
    if not isinstance(noise, Twice):
        return accuracy.standard_deviation(noise)
    return sqrt(_variance(noise))


def _variance(noise: Noise) -> Fraction:
    return Fraction(_twice(noise, 1).variance) if isinstance(noise, Twice) else variance(noise)


@lru_cache(maxsize=256)
def _twice(noise: Twice, terms: int) -> Masses:
    if terms > 1:
        return summed(_twice(noise, 1), terms)
    weight = later_weight(noise)
    earlier, later = listed_noise(noise.earlier), masses(noise.later)
    half = np.zeros(max(earlier.reach, later.reach) + 1)
    _add_masses(earlier.mass, later.mass, weight.numerator, weight.denominator, half)
    return listed(half.tolist())


@compiled
def _add_masses(earlier: Floats, later: Floats, numerator: int, denominator: int, half: Floats) -> None:
    """Add P(e1) P(e2) to the place of e1 + round(numerator/denominator (e2 - e1)), where that is 0 or more."""
    for first in range(len(earlier)):
        for second in range(len(later)):
            e1 = first - len(earlier) // 2
            moved = numerator * (second - len(later) // 2 - e1)
            rounded = (2 * abs(moved) + denominator) // (2 * denominator)
            error = e1 + (rounded if moved >= 0 else -rounded)
            if error >= 0:
                half[error] += earlier[first] * later[second]
