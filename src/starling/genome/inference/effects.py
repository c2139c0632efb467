"""What noisy scores tell of each SNP: slope, odds ratio, p-value, with intervals of sampling and noise together.

s = x'y, x the column of a SNP of norm 1 and y the phenotype in steps, is normal in large samples, with variance v of a phenotype under
the null hypothesis: K (1 - K) by a noisy share K of cases, or L^2/4, which is the most that it can be. Of it s + e is known, e of a Laplace
distribution of scale b = L M/epsilon (distance/joint_scores.py; steps of 2^-30 of its sensitivity do not matter). With N normal of
variance v

    P(N + e > t) = P(N > t) + 1/2 e^(v/(2 b^2)) (e^(-t/b) P(N > v/b - t) - e^(t/b) P(N > t + v/b)),

from which p-values and the ends of 95 % intervals follow: t is added and taken off. The slope of y on one more copy (or on carrying) is
s/|r|; over K (1 - K) it is the log odds ratio to first order, as of scans (inference/scans.py says how far off it is).

Winner's curse. Of SNPs that the same phenotypes named, as loc_sig does, effects are too far from none on average, and these intervals miss
too often: of 300 SNPs without an effect all that were named at epsilon 4 missed, half at 1, and a causal SNP that was named one time of
three was told 1.34 times too large (400 people; tests/genome/inference/test_effects_chosen.py). The correction of scans
(winners_curse.py) needs a threshold; here noise is part of the selection, and the scores that lost are not released. So the intervals
of such SNPs hold for all m of the list: with a chance of 99 % no |N| of the m is above sqrt(v) z, z the quantile of 0.01/(2 m), however
they depend on each other; noise is drawn after the selection, and with 96 % none of the k draws is above b ln(k/0.04). Together they
reach as far as the sum of both, and all k intervals hold at once with 95 % in large samples, whatever named the SNPs, and how many. The
estimate itself stays too large; other people are the remedy.
"""

from dataclasses import dataclass, field
from math import exp, log, nan, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from starling.genome.inference.intervals import Interval
from starling.genome.inference.scans import ScanRows
from starling.genome.measurements import FIXED, NoisyScores
from starling.genome.plan import Plan, SnpEffects
from starling.genome.plan.effects import SCALE
from starling.genome.plan.queries import selecting
from starling.release.codec import OPTIONAL
from starling.release.session import Fields

MISS: Final = 0.05
"""Chance that an interval misses."""
_MISS_OF_SAMPLES: Final = 0.01
"""The part of MISS that the sample has of SNPs that were chosen; the noise has the rest."""
DIGITS: Final = 6
LARGEST: Final = 1e6
"""An odds ratio, or an end of its interval, beyond this or its inverse is missing."""
_HALVINGS: Final = 80
_FAR: Final = 30.0
"""Deviations from which on the first two terms are taken as the first alone, which is at most twice as large."""


@dataclass(frozen=True, slots=True)
class SnpEffect(Fields):
    """What is told of one SNP; intervals of sampling and noise together.

    Attributes:
        snp: Its id.
        slope: By how much the phenotype grows with one more copy of the carried allele, or with carrying it: a share of cases, or in the
            unit of the trait.
        odds_ratio: The same as an odds ratio, to first order; None without a number of cases, or where it cannot be told.
        z: Score over the standard deviation of sampling and noise.
        log10_p: log10 of its two-sided p-value.
        frequency: Noisy frequency of the carried allele, where all of a person is protected.
        people: Noisy number of people with the call and the phenotype there.
    """

    snp: str
    slope: Interval
    odds_ratio: Interval | None
    z: float
    log10_p: float
    frequency: float | None = field(default=None, metadata=OPTIONAL)
    people: int | None = field(default=None, metadata=OPTIONAL)

    @property
    def p(self) -> float:
        """The p-value; 0 where it is too small to write."""
        return to_digits(10**self.log10_p)


def noise_share(plan: Plan, question: SnpEffects, drawn: NoisyScores) -> float:
    """The noise's share of the variance of a score."""
    deviation, scale = spread_of(plan, question, drawn)
    return 2 * scale**2 / (deviation**2 + 2 * scale**2)


def spread_of(plan: Plan, question: SnpEffects, drawn: NoisyScores) -> tuple[float, float]:
    """The deviation of s by sampling, and the scale b of its noise."""
    share = _share(plan, drawn)
    deviation = plan.largest / 2 if share is None else sqrt(share * (1 - share))
    return deviation, plan.largest * drawn.largest / FIXED / float(selecting(question))


def _share(plan: Plan, drawn: NoisyScores) -> float | None:
    """K, with a person on either side at least."""
    return None if drawn.cases is None else min(max(drawn.cases, 1), plan.people - 1) / plan.people


def snp_effects(plan: Plan, question: SnpEffects, drawn: NoisyScores) -> tuple[SnpEffect | None, ...]:
    """Of each SNP in the question's order; None where covariates explain it."""
    share, steps, largest = _share(plan, drawn), plan.largest, drawn.largest / FIXED
    deviation, scale = spread_of(plan, question, drawn)
    variance = deviation**2
    reach = reach_in(plan, question, deviation, scale)
    unit = _unit(plan)

    def effect(snp: str, score: int, square: int) -> SnpEffect | None:
        if square == 0:
            return None
        s, norm = score / SCALE * steps * largest, sqrt(square / FIXED)
        ends = (s, s - reach, s + reach)
        ratio = None
        if share is not None:
            logarithms = [end / norm / variance for end in ends]
            if max(map(abs, logarithms)) <= log(LARGEST):
                ratio = Interval(*map(to_digits, map(exp, logarithms)))
        return SnpEffect(
            snp,
            Interval(*(to_digits(end * unit / norm) for end in ends)),
            ratio,
            to_digits(s / sqrt(variance + 2 * scale**2)),
            to_digits(min((log_tail(abs(s), deviation, scale) + log(2)) / log(10), 0.0)),
        )

    return tuple(map(effect, question.snps, drawn.scores, drawn.squares))


def _unit(plan: Plan) -> float:
    """A step of the phenotype in its own unit."""
    return 1.0 if plan.between is None else float(plan.between[1] - plan.between[0]) / plan.largest


def effect_rows(plan: Plan, question: SnpEffects, drawn: NoisyScores) -> ScanRows:
    """The same in the columns of a scan, float64 (k,): odds ratios with a number of cases, and slopes without one; NaN of a SNP that
    covariates explain. The standard error is the deviation of sampling and noise together; intervals and p-values are those of their sum,
    which is not normal.
    """
    deviation, scale = spread_of(plan, question, drawn)
    of_slopes = drawn.cases is None
    unit = _unit(plan) if of_slopes else 1 / deviation**2

    def row(effect: SnpEffect | None, square: int) -> tuple[float, ...]:
        stated = None if effect is None else effect.slope if of_slopes else effect.odds_ratio
        if effect is None or stated is None:
            return (*((nan,) * 3 if effect is None else (effect.z, effect.log10_p, effect.p)), *(nan,) * 5)
        error = sqrt(deviation**2 + 2 * scale**2) / sqrt(square / FIXED) * unit
        beta, ratio = (stated.estimate, nan) if of_slopes else (to_digits(log(stated.estimate)), stated.estimate)
        return effect.z, effect.log10_p, effect.p, beta, to_digits(error), ratio, stated.low, stated.high

    rows = map(row, snp_effects(plan, question, drawn), drawn.squares)
    z, log10_p, p, beta, error, ratio, low, high = np.array(list(rows)).reshape(-1, 8).T
    frequencies = np.array([to_digits(share / FIXED) for share in drawn.frequencies])
    return ScanRows(z, log10_p, p, beta, error, ratio, low, high, np.array(drawn.calls, dtype=np.int64), frequencies)


def log_tail(t: float, deviation: float, scale: float) -> float:
    """ln P(N + e > t), t at least 0: N normal of that deviation, e of a Laplace distribution of that scale.

    >>> round(exp(log_tail(0.0, 1.0, 2.0)), 6), round(exp(log_tail(3.0, 1e-6, 1.0)), 6) == round(exp(-3) / 2, 6)
    (0.5, True)
    """
    # SciPy takes half a second to import, which whoever only plans should not wait for.
    from scipy.special import erfcx, log_ndtr

    ratio, x = deviation / scale, t / deviation
    # With P(N > a) = erfcx(a/sqrt 2) e^(-a^2/2)/2 large powers cancel before they are taken.
    first, left = float(log_ndtr(-x)), float(erfcx((x + ratio) / sqrt(2))) / 4
    within = log(max(exp(first + x**2 / 2) - left, 5e-324)) - x**2 / 2 if x < _FAR else first
    if ratio > x:
        right = log(float(erfcx((ratio - x) / sqrt(2))) / 4) - x**2 / 2
    else:
        right = ratio**2 / 2 - ratio * x + float(log_ndtr(x - ratio)) - log(2)
    high, low = max(within, right), min(within, right)
    return high + log(1 + exp(low - high))


def reach_in(plan: Plan, question: SnpEffects, deviation: float, scale: float) -> float:
    """How far N + e of each SNP is from 0 at most, but for a chance of MISS, of chosen SNPs of all together."""
    if question.chosen:
        return reach_of_chosen(deviation, scale, len(plan.snps), len(question.snps))
    return reach_of(deviation, scale, MISS)


def reach_of(deviation: float, scale: float, miss: float) -> float:
    """How far N + e is from 0 at most, but for a chance of `miss`."""
    low, high = 0.0, 40 * (deviation + scale)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if log_tail(middle, deviation, scale) > log(miss / 2) else (low, middle)
    return high


def reach_of_chosen(deviation: float, scale: float, snps: int, k: int) -> float:
    """How far the N + e of k SNPs are from 0 at most, but for a chance of MISS, whatever chose them from so many."""
    return deviation * -NormalDist().inv_cdf(_MISS_OF_SAMPLES / (2 * snps)) + scale * log(k / (MISS - _MISS_OF_SAMPLES))


def to_digits(value: float) -> float:
    """To DIGITS digits, so that the last bits of a machine's logarithms do not change what is told."""
    return float(f"{value:z.{DIGITS}g}") + 0.0
