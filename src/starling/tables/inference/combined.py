"""Two independent measurements of one number combined by inverse variance, and the exact distribution of the error.

Stages combined. Stage 1 measures a group's total N as S = N + Z, to choose the group's detail. Stage 2 measures k cells; their sum is
Y = N + E, E the sum of k independent draws. Z and E are independent, so among all unbiased a S + (1 - a) Y the one with
a = Var E / (Var Z + Var E) has the least variance, Var Z Var E / (Var Z + Var E): 1 + Var E / Var Z times less than Y alone, at no
privacy cost. For Gaussian noise that factor is 1 + k gamma/(1 - gamma), 6.1 at gamma = 1/10 and 46 cells; for geometric noise about
1 + k gamma^2/(1 - gamma)^2, 1.57.

The estimate is T = Y + C, the correction C = round(a (S - Y)), halves away from 0. Rounding is an odd function and S - Y is
symmetric about 0, so C has mean 0 and T is unbiased, exactly, over all outcomes of the noise. Given the branch it is not, since the
branch was chosen by S: distribution.py computes by how much.

Cells. Least squares of the k cells and S together moves every cell by (S - Y) a/k: so do we, in whole persons, such that the cells
still add up to the total. The first j cells together are moved by round(j C/k), so every run of cells, an age group or a
sex, is moved by its part of C to within one person, and each cell's own correction is odd in C: unbiased as well. A single
cell gains little (its variance falls by a/k of itself), a sex about half of what the total gains; what decides is that all published
numbers of a group are then sums of the same cells. plan/combined_stages.py has the weight, and the exact distribution of each number.

Topped up. With Y1 = N + e1 the value of an earlier release and Y2 = N + e2 the new one, a = Var e1 / (Var e1 + Var e2) is the weight of
Y2 in the combination of least variance. Published is

    Y = Y1 + round(a (Y2 - Y1)),  so  Y - N = e1 + round(a (e2 - e1)),

a rational by the distributions alone. Rounding is odd and both distributions are symmetric, so the error is too: Y is unbiased. A release
that was topped up is topped up again in the same way: Y takes the place of Y1, with its own distribution, which is symmetric too and has
its rounding in it. Weights are then those of inverse variance over all measurements, that rounding apart. Cells of a group have
independent errors of one distribution, so that a sum of k cells has its k-fold power (privacy/distributions/probability_mass.py).
Probabilities are listed to float precision in a fixed order, the same on every machine.

`margin`, `quantile`, `tail` and `standard_deviation` here are those of privacy/distributions/accuracy.py for the noise of one draw, and ask
the same of the listed distribution for two combined.
"""

from fractions import Fraction
from functools import lru_cache
from math import sqrt

import numpy as np

from starling.privacy.compiled import compiled
from starling.privacy.distributions import accuracy
from starling.privacy.distributions.probability_mass import (
    Floats,
    ProbabilityMass,
    convolved,
    probability_mass,
    symmetric,
)
from starling.tables.measurements import Int64, Measured
from starling.tables.plan import CombinedStageNoise, Level, Noise, Plan
from starling.tables.plan.combined_stages import FINEST, SLACK, variance


def corrections(stage1: Int64, sums: Int64, weight: Fraction) -> Int64:
    """C of each group: `weight` times (stage1 - sums), rounded, halves away from 0; all int64 (groups,).

    >>> corrections(np.array([10, -10, 3]), np.array([5, -5, 0]), Fraction(1, 2)).tolist()
    [3, -3, 2]
    """
    return rounded((stage1 - sums) * weight.numerator, weight.denominator)


def rounded(numerator: Int64, denominator: int) -> Int64:
    """numerator / denominator > 0 to the nearest integer, halves away from 0."""
    nearest: Int64 = np.sign(numerator) * ((2 * np.abs(numerator) + denominator) // (2 * denominator))
    return nearest


def spread(correction: Int64, cells: int) -> Int64:
    """Each group's correction over its cells, int64 (groups, cells): any run of cells gets its part to within one person.

    >>> spread(np.array([5, -5, 16]), 8).tolist()[:2]
    [[1, 0, 1, 1, 0, 1, 0, 1], [-1, 0, -1, -1, 0, -1, 0, -1]]
    """
    upto: Int64 = rounded(correction[:, np.newaxis] * np.arange(cells + 1), cells)
    parts: Int64 = upto[:, 1:] - upto[:, :-1]
    return parts


@lru_cache(maxsize=256)
def later_weight(noise: CombinedStageNoise) -> Fraction:
    """a, the weight of the later value: a rational in [0, 1).

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> later_weight(CombinedStageNoise(DiscreteGaussian(Fraction(300)), DiscreteGaussian(Fraction(100))))
    Fraction(3, 4)
    """
    earlier, later = _variance(noise.earlier), variance(noise.later)
    if not earlier:
        return Fraction(0)  # so little noise that a float holds none of it
    return min((earlier / (earlier + later)).limit_denominator(FINEST), 1 - Fraction(1, FINEST))


def combined(plan: Plan, level: Level, earlier: Measured, later: Measured) -> Measured:
    """The measurements of a piece, each value from what was drawn now and what the earlier release published, combined in its turn where
    that one topped up another; stage-1 totals and branches are those of the earlier release.
    """
    total_only = np.repeat(earlier.branch < 0, np.diff(earlier.offsets(plan.detail)))
    values = earlier.values.copy()
    for here, once in ((total_only, True), (~total_only, False)):
        noise = plan.noise(level, total_only=once)
        if isinstance(noise, CombinedStageNoise):
            values[here] += corrections(later.values[here], earlier.values[here], later_weight(noise))
    return Measured(earlier.stage1, earlier.branch, values)


def listed_noise(noise: Noise, terms: int = 1) -> ProbabilityMass:
    """The distribution of the sum of `terms` independent errors."""
    return _two_stage_mass(noise, terms) if isinstance(noise, CombinedStageNoise) else probability_mass(noise, terms)


def margin(noise: Noise, alpha: Fraction, terms: int = 1) -> int:
    """The smallest M with P(|S| > M) <= alpha, for the sum S of `terms` independent errors."""
    if not isinstance(noise, CombinedStageNoise):
        return accuracy.margin(noise, alpha, terms)
    distribution = _two_stage_mass(noise, terms)
    beyond = 2 * distribution.above[distribution.last + 1 :] <= float(alpha) - SLACK
    return int(np.argmax(beyond)) if beyond.any() else distribution.last


def quantile(noise: Noise, p: Fraction) -> int:
    """The smallest t with P(X <= t) >= p, for one error X."""
    if not isinstance(noise, CombinedStageNoise):
        return accuracy.quantile(noise, p)
    distribution = _two_stage_mass(noise, 1)
    reached = distribution.above <= float(1 - p) - SLACK
    return int(np.argmax(reached)) - distribution.last - 1 if reached.any() else distribution.last


def tail(noise: Noise, m: int, terms: int = 1) -> float:
    """P(|S| > m), rounded up, for the sum S of `terms` independent errors."""
    if not isinstance(noise, CombinedStageNoise):
        return accuracy.tail(noise, m, terms)
    distribution = _two_stage_mass(noise, terms)
    if m < 0:
        return 1.0
    return min(2 * float(distribution.above[distribution.last + m + 1]) + SLACK, 1.0) if m < distribution.last else 0.0


@lru_cache(maxsize=65536)
def at_least(noise: Noise, value: int) -> float:
    """P(X >= value) of one error X, to float precision: half the tail, by symmetry."""
    return tail(noise, value - 1) / 2 if value > 0 else 1 - tail(noise, -value) / 2


@lru_cache(maxsize=256)
def standard_deviation(noise: Noise) -> float:
    """The standard deviation of one error."""
    if not isinstance(noise, CombinedStageNoise):
        return accuracy.standard_deviation(noise)
    return sqrt(_variance(noise))


def _variance(noise: Noise) -> Fraction:
    return Fraction(_two_stage_mass(noise, 1).variance) if isinstance(noise, CombinedStageNoise) else variance(noise)


@lru_cache(maxsize=256)
def _two_stage_mass(noise: CombinedStageNoise, terms: int) -> ProbabilityMass:
    if terms > 1:
        return convolved(_two_stage_mass(noise, 1), terms)
    weight = later_weight(noise)
    earlier, later = listed_noise(noise.earlier), probability_mass(noise.later)
    half = np.zeros(max(earlier.last, later.last) + 1)
    _add_masses(earlier.mass, later.mass, weight.numerator, weight.denominator, half)
    return symmetric(half.tolist())


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
