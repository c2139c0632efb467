"""Slopes of a quantitative phenotype on copies of an allele, from noisy moments: with intervals of sampling and noise together.

With the sums of plan/moments.py, v = t/(2 HALF), c the people with call and phenotype and N those with the phenotype, the slope is A/B,

    A = S_uv - S_u S_v/N,        B = S_uu - S_u^2/c + Var(noise of S_u)/c,

where the last term takes off what noise adds to a square on average. A - slope B has the variance

    T(slope) = B s^2 + V0 + V1 slope + V2 slope^2:

s^2, the variance of v, is that of sampling, with what an effect explains left in; the others are of noise, by derivatives, and of products
of noise. The interval holds the slopes for which |A - slope B| is at most q sqrt T (Fieller 1954), q from the distribution of a normal plus
a Laplace variable of these variances (inference/effects.py, also of chosen SNPs): a sum of such has lighter tails. Where B is not known to
be above 0 it is every slope. No slope is beyond the plan's range: least squares weighs the slopes between pairs of people, who differ by
one copy at least and by the range at most. So there is an answer for whatever was drawn: a value and an interval within the range.
"""

from dataclasses import dataclass, replace
from math import inf, log, sqrt
from typing import Final

import numpy as np

from starling.genome.arrays import Float64
from starling.genome.inference.effects import SnpEffect, log_tail, reach_in, to_digits
from starling.genome.inference.intervals import Interval
from starling.genome.inference.scans import ScanRows
from starling.genome.measurements import NoisyMoments
from starling.genome.plan import Plan, SnpEffects
from starling.genome.plan.moments import HALF

NORMAL: Final = 1.959963984540054
"""Deviations of a normal variable that hold it 95 times of 100."""
_UNIT: Final = HALF**2
_LEAST: Final = 1e-12
"""The least variance that is reckoned with, so that none is 0."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of A - slope B.

    Attributes:
        sampling: B s^2.
        fixed: V0.
        linear: V1.
        squared: V2.
    """

    sampling: float
    fixed: float
    linear: float
    squared: float

    def noise(self, slope: float) -> float:
        """Its part that is noise."""
        return self.fixed + self.linear * slope + self.squared * slope**2

    @property
    def noise_share(self) -> float:
        """The share of noise where the slope is 0."""
        return self.fixed / (self.fixed + self.sampling)


@dataclass(frozen=True, slots=True)
class SnpSums:
    """What follows from the noisy sums of a SNP; in units of the range."""

    a: float
    b: float
    spread: Spread
    frequency: float
    people: float


def sums_of(plan: Plan, question: SnpEffects, drawn: NoisyMoments) -> tuple[SnpSums, ...]:
    """Of each SNP, in the question's order."""
    noise = 2 * (float(question.moments_event.scale) / _UNIT) ** 2
    var_uv = var_v = noise / 64
    var_u, var_uu, var_missing, var_vv, var_none = noise / 4, noise / 4, noise, noise / 16, noise / 4
    total, total_squares, without = (
        value / _UNIT / weight for value, weight in zip(drawn.phenotype, (8, 4, 2), strict=True)
    )
    people = min(max(plan.people - without, 1.0), float(plan.people))
    mean = min(max(total / people, -0.5), 0.5)
    var_s = (var_vv + 4 * mean**2 * var_v + mean**4 * var_none) / people**2
    s = min(max(total_squares / people - mean**2, 0.0) + sqrt(var_s) + _LEAST, 0.25)

    def of(product: int, copies: int, square: int, missing: int) -> SnpSums:
        uv, u, uu = product / _UNIT / 8, copies / _UNIT / 2, square / _UNIT / 2
        known = min(max(plan.people - missing / _UNIT, 1.0), float(plan.people))
        ubar = min(max(u / known, -1.0), 1.0)
        share = ubar * known / people
        b = min(uu - u**2 / known + var_u / known, known)
        squared = 4 * ubar**2 * var_u + var_uu + ubar**4 * var_missing + 5 * (var_u / known) ** 2
        spread = Spread(
            (max(b, 0.0) + sqrt(squared) + _LEAST) * s,
            var_uv + mean**2 * var_u + share**2 * (var_v + mean**2 * var_none) + var_u * var_v / people**2,
            -4 * mean * ubar * var_u,
            squared,
        )
        return SnpSums(uv - u * mean, b, spread, (ubar + 1) / 2, known)

    return tuple(map(of, drawn.products, drawn.copies, drawn.squares, drawn.missing))


def snp_slopes(plan: Plan, question: SnpEffects, drawn: NoisyMoments) -> tuple[SnpEffect, ...]:
    """Of each SNP, in the question's order; slopes in the unit of the phenotype."""
    assert plan.between is not None
    width = float(plan.between[1] - plan.between[0])

    def effect(snp: str, sums: SnpSums) -> SnpEffect:
        sampling, noise = sqrt(sums.spread.sampling), sqrt(sums.spread.fixed / 2)
        return SnpEffect(
            snp,
            Interval(*(to_digits(end * width) for end in slope_of(plan, question, sums))),
            None,
            to_digits(sums.a / sqrt(sums.spread.sampling + sums.spread.fixed)),
            to_digits(min((log_tail(abs(sums.a), sampling, noise) + log(2)) / log(10), 0.0)),
            round(sums.frequency, 4),
            round(sums.people),
        )

    return tuple(map(effect, question.snps, sums_of(plan, question, drawn)))


def slope_rows(plan: Plan, question: SnpEffects, drawn: NoisyMoments) -> ScanRows:
    """The same in the columns of a scan, each of shape (k,); the standard error is that of a normal interval as wide, of SNPs that were
    not chosen.
    """
    effects, plain = (snp_slopes(plan, each, drawn) for each in (question, replace(question, chosen=False)))
    slopes = np.array([(each.slope.estimate, each.slope.low, each.slope.high) for each in effects])
    z, log10_p, p = np.array([(each.z, each.log10_p, each.p) for each in effects]).T
    beta, low, high = slopes.T
    errors = np.array([to_digits((each.slope.high - each.slope.low) / (2 * NORMAL)) for each in plain])
    calls = np.array([each.people for each in effects], dtype=np.int64)
    frequencies = np.array([each.frequency for each in effects], dtype=np.float64)
    return ScanRows(z, log10_p, p, beta, errors, np.full(len(effects), np.nan), low, high, calls, frequencies)


def slope_errors(plan: Plan, question: SnpEffects, drawn: NoisyMoments) -> tuple[Float64, Float64]:
    """The standard error of each slope, sampling and noise together, in the unit of the phenotype, and the share of noise in its square,
    float64 (k,) each; infinite where copies are not known to vary by more than noise, so that the slope may be any.
    """
    assert plan.between is not None
    width, errors = float(plan.between[1] - plan.between[0]), []
    for sums in sums_of(plan, question, drawn):
        slope = min(max(sums.a / sums.b, -1.0), 1.0) if sums.b > 0 else 0.0
        noise = sums.spread.noise(slope)
        variance = sums.spread.sampling + noise
        known = sums.b > NORMAL * sqrt(sums.spread.squared)
        errors.append((width * sqrt(variance) / sums.b if known else inf, noise / variance))
    return np.array([error for error, _ in errors]), np.array([share for _, share in errors])


def slope_of(plan: Plan, question: SnpEffects, sums: SnpSums) -> tuple[float, float, float]:
    """The slope and the ends of its interval, each from -1 to 1: in units of the range."""
    spread, slope = sums.spread, min(max(sums.a / sums.b, -1.0), 1.0) if sums.b > 0 else 0.0
    noise = spread.noise(slope)
    q2 = reach_in(plan, question, sqrt(spread.sampling), sqrt(noise / 2)) ** 2 / (spread.sampling + noise)
    leading = sums.b**2 - q2 * spread.squared
    if sums.b <= 0 or leading <= 0:
        return slope, -1.0, 1.0
    middle = (sums.a * sums.b + q2 * spread.linear / 2) / leading
    rest = (sums.a**2 - q2 * (spread.sampling + spread.fixed)) / leading
    half = sqrt(max(middle**2 - rest, 0.0))
    low, high = max(middle - half, -1.0), min(middle + half, 1.0)
    return (slope, min(low, slope), max(high, slope)) if low < high else (slope, -1.0, 1.0)
