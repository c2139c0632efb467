"""The error of a group's total by the plan alone: its weight, its distribution, its margin, for each branch that the group may take.

The exact standard deviation of numbers into which a group's stage-1 total was weighted, with all of their rounding. A group of k cells has
the draws Z of its stage-1 total and e_1, ..., e_k of its cells, E their sum. Its total errs by E + C and a run of cells from `first` to
`stop` by the sum F of its own draws + part(C), where with D = Z - E (combined.py)

    C = round(a D),    part(C) = round(stop C/k) - round(first C/k),    halves away from 0.

Both are odd in the draws, whose distributions are symmetric, so their mean is 0. Given Z and E the draws of the cells may be exchanged, so
that F has the mean (n/k) E, n = stop - first, and C is a function of D:

    Var = n Var e_1 + 2 (n/k) sum over d of part(round(a d)) E[E; D = d] + sum over d of part(round(a d))^2 P(D = d).

The total is the run of all cells. P(D = d) and E[E; D = d] are two products of the listed distributions of Z and E, taken as polynomials
with integer coefficients; nothing is rounded but the result, which is the same on every machine. Without the rounding the variance of
the total would be a^2 Var Z + (1 - a)^2 Var E: 0.946^2 where a total of rho 7 truly has 1.011^2.

Runs of one width differ, since their ends are rounded apart: a correction by one person moves the middle cell alone.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import fsum, ldexp, sqrt
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpz_poly

from starling.hierarchy.trees import Estimated
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.distributions.probability_mass import Floats, ProbabilityMass, probability_mass
from starling.tables.inference.combined import margin, quantile, rounded, standard_deviation
from starling.tables.inference.distribution import Chosen, TotalDistribution
from starling.tables.measurements import Int64
from starling.tables.plan import Level, Plan
from starling.tables.plan.combined_stages import stage1_weight, variance
from starling.tables.plan.detail import TOTAL_ONLY

Float64: TypeAlias = npt.NDArray[np.float64]
Branches: TypeAlias = npt.NDArray[np.int8]

CONFIDENCE: Final = Fraction(95, 100)
"""The confidence of the published intervals."""


def suppression_quantile(plan: Plan, level: Level) -> int | None:
    """A bare total of this level is published when it is strictly above this; None where nothing is suppressed."""
    if not plan.regions.of(level.geography).small or plan.suppression == 0:
        return None
    return quantile(plan.noise(level), plan.suppression)


def stage1_share(plan: Plan, level: Level, kind: int) -> Fraction:
    """The weight of the stage-1 total in that of a group of branch `kind`; 0 where there is none, or stages are not combined."""
    if kind == TOTAL_ONLY or not plan.variants.both_stages:
        return Fraction(0)
    return stage1_weight(plan.stage_noise(level), plan.detail.sizes[kind])


def half_width(plan: Plan, level: Level, kind: int) -> int:
    """The margin of the total of a group of branch `kind`, over all outcomes."""
    if kind == TOTAL_ONLY:
        return margin(plan.noise(level, total_only=True), 1 - CONFIDENCE)
    if not stage1_share(plan, level, kind):
        return margin(plan.noise(level), 1 - CONFIDENCE, plan.detail.sizes[kind])
    return total_distribution(plan, level, kind).margin(1 - CONFIDENCE)


def deviation_of(plan: Plan, level: Level, kind: int) -> float:
    """Standard deviation of the published total of a group of branch `kind`, its rounding included."""
    if kind == TOTAL_ONLY:
        return standard_deviation(plan.noise(level, total_only=True))
    return run_deviation(plan, level, kind, plan.detail.sizes[kind])


def unrounded_deviation(plan: Plan, level: Level, kind: int) -> float:
    """Standard deviation of the weighted total before it is rounded to a whole number."""
    if kind == TOTAL_ONLY:
        return standard_deviation(plan.noise(level, total_only=True))
    second = float(np.sqrt(plan.detail.sizes[kind])) * standard_deviation(plan.noise(level))
    weight = float(stage1_share(plan, level, kind))
    if not weight:
        return second
    first = weight * standard_deviation(plan.stage_noise(level).stage1)
    second = (1 - weight) * second
    return float(np.sqrt(first * first + second * second))


def unrounded_totals(plan: Plan, level: Level, branch: Branches, stage1: Int64, sums: Int64) -> Estimated:
    """The total of each group and its variance, not rounded, from the branch, the stage-1 total and the sum of the stage-2 values."""
    estimates, variances = sums.astype(np.float64), np.zeros(len(sums))
    for kind in plan.detail.branches:
        here = np.flatnonzero(branch == kind)
        weight = float(stage1_share(plan, level, kind))
        estimates[here] += weight * (stage1[here] - sums[here])
        variances[here] = unrounded_deviation(plan, level, kind) ** 2
    return Estimated(estimates, variances)


def run_deviation(plan: Plan, level: Level, kind: int, terms: int, first: int | None = None) -> float:
    """Standard deviation of a run of `terms` cells of a group of branch `kind`, which shares what is made of its total.

    That of the run that begins with the cell `first`; without one, the largest of all such runs.
    """
    weight = stage1_share(plan, level, kind)
    if not weight:
        return float(np.sqrt(terms)) * standard_deviation(plan.noise(level))
    stage_noise = plan.stage_noise(level)
    deviations = corrected_deviations(stage_noise.stage1, stage_noise.stage2, plan.detail.sizes[kind], weight, terms)
    return max(deviations) if first is None else deviations[first // terms]


def moved_deviation(one: float, size: int, terms: int, total: Float64) -> Float64:
    """Standard deviation of a run of `terms` of `size` cells whose total was made to add up and deviates by `total`, but for rounding.

    What is apart from the total, and its part of the total, which are uncorrelated; a cell as measured deviates by `one`.
    """
    part = terms / size
    deviation: Float64 = np.sqrt(terms * one * one * (1 - part) + part * part * total * total)
    return deviation


def what_is_chosen(plan: Plan, level: Level, kind: int) -> Chosen:
    """What the branch of a group, from 0 on, and its being published say of the noise in its total.

    Without the stage-1 total in it the branch says nothing: the stage-2 measurement does not depend on it.
    """
    chosen = Chosen.of(kind, level.thresholds, suppression_quantile(plan, level))
    return chosen if stage1_share(plan, level, kind) else Chosen(bar=chosen.bar)


def total_distribution(plan: Plan, level: Level, kind: int) -> TotalDistribution:
    """The distribution of the error of the total of a group of branch `kind`, from 0 on."""
    stage_noise = plan.stage_noise(level)
    return TotalDistribution(
        stage_noise.stage1, stage_noise.stage2, plan.detail.sizes[kind], stage1_share(plan, level, kind)
    )


_BITS: Final = 160
"""Bits of a probability as an integer: entries of a listed distribution are at least 2^-115 of its largest."""


@dataclass(frozen=True, slots=True, eq=False)
class StageDifference:
    """The joint distribution of D and E, for d above 0; that of D is symmetric.

    Attributes:
        values: d, int64.
        chance: P(D = d), float64.
        mean: E[E; D = d], which is odd in d, float64.
    """

    values: Int64
    chance: Floats
    mean: Floats


@lru_cache(maxsize=64)
def corrected_deviations(
    stage1: Distribution, stage2: Distribution, cells: int, weight: Fraction, terms: int
) -> tuple[float, ...]:
    """The standard deviation of the sum of each run of `terms` cells of a group, in their order; of its total for all cells.

    `weight` is a, the share of the stage-1 total, in (0, 1).

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> distributions = DiscreteGaussian(Fraction(9)), DiscreteGaussian(Fraction(1))
    >>> [round(each, 3) for terms in (4, 8) for each in corrected_deviations(*distributions, 8, Fraction(8, 17), terms)]
    [1.78, 1.794, 2.08]
    """
    distribution = stage_difference(stage1, stage2, cells)
    correction = rounded(distribution.values * weight.numerator, weight.denominator)
    own = float(terms * variance(stage2))
    deviations = []
    for first in range(0, cells, terms):
        part = rounded((first + terms) * correction, cells) - rounded(first * correction, cells)
        moved = (part * (2 * terms / cells) * distribution.mean + part * part * distribution.chance).tolist()
        deviations.append(sqrt(own + 2 * fsum(moved)))
    return tuple(deviations)


@lru_cache(maxsize=16)
def stage_difference(stage1: Distribution, stage2: Distribution, cells: int) -> StageDifference:
    """D = Z - E for a stage-1 total with the draw Z and a sum E of stage-2 draws, one for each of `cells` cells."""
    first, sums = probability_mass(stage1), probability_mass(stage2, cells)
    middle = first.last + sums.last
    draws = _fixed(first)
    chance = (draws * _fixed(sums)).coeffs()
    weighted = fmpz_poly([position * int(each) for position, each in enumerate(_fixed(sums).coeffs(), -sums.last)])
    # E = -(D - Z): the distribution of E is symmetric, so that D is Z plus a draw of it, and the mean of E the opposite of that draw's.
    mean = (draws * weighted).coeffs()
    one = 1 << (2 * _BITS)
    above = range(middle + 1, len(chance))
    return StageDifference(
        np.arange(1, len(above) + 1, dtype=np.int64),
        np.array([int(chance[position]) / one for position in above]),
        np.array([-int(mean[position]) / one for position in above]),
    )


def _fixed(distribution: ProbabilityMass) -> fmpz_poly:
    return fmpz_poly([int(ldexp(chance, _BITS)) for chance in distribution.mass.tolist()])
