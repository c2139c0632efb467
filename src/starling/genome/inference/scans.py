"""What a scan tells of each SNP, by the response that it was made of: z, p-value, odds ratio, and how much noise is in them.

With q = 1/(1 + e^epsilon), a phenotype y of 0 or 1 and its response r: y* = (r - q)/(1 - 2q) has the mean y. So u/(1 - 2q) is an
unbiased score of the exact phenotypes, with variance v/(1 - 2q)^2, sampling and coins together (v is robust: it is made of the response
itself). z and p do not depend on the factor.

Log odds. The slope of y on a copy, u / x'x, over K (1 - K), K the share of cases, is the first step from no effect of the logistic
regression: log OR = u / (x'x K (1 - K)). It is near the maximum of the likelihood where effects are small. For alleles of frequency .1 to
.5 and K from .1 to .5 the expected step is off by up to 4 % of the log odds ratio at an odds ratio of 1.1, 6 % at 1.2, 14 % at 1.5, 22 %
at 2 (tests/genome/inference/test_scans.py); it is off by more for rare alleles and rare diseases. K is (share of yes - q)/(1 - 2q), an
estimate too; what it is off by, all odds ratios share.

Quantitative phenotypes. The response is of the interval, as one of k, and r what the interval that was told counts as
(plan/intervals.py); epsilon is here that of the response, without that of a median. With s = (e^epsilon - 1)/(e^epsilon + k - 1),
(r - c)/s has the mean of the exact interval's score for a public c, which the intercept takes. So u/(s x'x) is the slope of that score;
`width` makes it one in the unit of the phenotype. E[r | y] is no line in y: it is no slope of the phenotype.

Sources: Warner 1965; spec of the phenotype relation; White 1980 for the robust variance.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, sinh, sqrt, tanh
from typing import Final, NamedTuple

import numpy as np

from starling.genome.arrays import Flags, Float64, Int64
from starling.genome.distance.constants import quantile
from starling.genome.inference.winners_curse import corrected
from starling.genome.measurements import Scanned
from starling.genome.plan import Plan, Scan
from starling.genome.plan.intervals import Intervals, response_gain
from starling.genome.statistics.tails import chi_squared_log_tail
from starling.release.codec import OPTIONAL

MEDIAN: Final = 0.454936423119572
"""Of a chi-squared variable of one degree of freedom."""
NORMAL: Final = 1.959963984540054
"""What a standard normal variable is within 95 times of 100."""
APART: Final = 500_000
"""Base pairs without a significant SNP that end a region."""
PLACES: Final = 6
"""Decimals."""
RATIO_PLACES: Final = 4
"""Decimals of a corrected odds ratio, which is found by halving."""
EXACT_POWER: Final = 22
"""The largest power of ten that is a double."""
P_DIGITS: Final = 3
"""Decimals of the digits of a p-value, before its power of ten."""
LARGEST: Final = 1e6
"""An odds ratio, or an end of its interval, beyond this or its inverse is missing."""
_LOG10: Final = float(np.log(10))


def share_left(prevalence: float, epsilon: Fraction) -> float:
    """The share of the sample that a response leaves: v/(v + 1/(4 sinh^2(epsilon/2))), v = K (1 - K).

    >>> [round(share_left(0.5, Fraction(epsilon)), 3) for epsilon in (1, 2, 3)]
    [0.214, 0.58, 0.819]
    """
    spread = prevalence * (1 - prevalence)
    half = min(float(epsilon) / 2, 300.0)
    return spread / (spread + 1 / (4 * sinh(half) ** 2))


def flipped(epsilon: Fraction) -> float:
    """q: the chance that an answer is turned round."""
    return 1 / (1 + exp(min(float(epsilon), 700.0)))


def response_scale(epsilon: Fraction) -> float:
    """1 - 2q, without rounding it away where epsilon is small."""
    return tanh(min(float(epsilon), 700.0) / 2)


def prevalence(plan: Plan, question: Scan, drawn: Scanned) -> float:
    """K: an unbiased estimate of the share of cases, below 0 or above 1 perhaps."""
    return (drawn.ones / plan.people - flipped(question.epsilon)) / response_scale(question.epsilon)


def share_of_intervals(plan: Plan, question: Scan, drawn: Scanned) -> float:
    """The share of what exact intervals would tell that a response leaves, by how many people it has in each."""
    k, scores = question.values, np.array(Intervals.of(plan, question.values, drawn.median).scores)
    shares = -np.diff([plan.people, drawn.ones, *drawn.above, 0]) / plan.people
    gain = response_gain(question.response_epsilon, k)
    exact = (shares - (1 - gain) / k) / gain
    variances = [float(part @ scores**2 - (part @ scores) ** 2) for part in (exact, shares)]
    return min(max(gain**2 * variances[0] / variances[1], 0.0), 1.0) if variances[1] > 0 else 0.0


class ScanRows(NamedTuple):
    """What is told of each SNP in the list's order, float64 (m,); NaN where it cannot be told.

    Attributes:
        z: Score over its standard error; NaN where covariates explain the SNP.
        log10_p: log10 of the two-sided p-value of z.
        p: That p-value.
        beta: Log odds ratio of one more copy (or of carrying), to first order; of a quantitative phenotype the slope of the
            interval's score.
        se: Its standard error, sampling and coins together.
        odds_ratio: e^beta; NaN of a quantitative phenotype.
        low: Lower end of its 95 % interval; of a quantitative phenotype that of beta.
        high: Upper end.
        calls: People with a call, int64 (m,), exact.
        frequencies: Share of the carried allele among the alleles of the calls, exact.
    """

    z: Float64
    log10_p: Float64
    p: Float64
    beta: Float64
    se: Float64
    odds_ratio: Float64
    low: Float64
    high: Float64
    calls: Int64
    frequencies: Float64


@dataclass(frozen=True, slots=True)
class Region:
    """Significant SNPs with no more than APART base pairs between neighbours.

    Attributes:
        chromosome: Where it lies.
        first: Position of the first of them.
        last: Position of the last.
        snps: How many there are.
        lead: Id of the one with the smallest p-value.
        log10_p: log10 of that.
        odds_ratio: Its odds ratio, NaN-free: None where it cannot be told.
        corrected: The effect without the winner's curse, and the ends of its 95 % interval (winners_curse.py); None where it cannot be
            told.
        beta: Of a quantitative phenotype the slope of the interval's score, in place of the odds ratio.
    """

    chromosome: str
    first: int
    last: int
    snps: int
    lead: str
    log10_p: float
    odds_ratio: float | None
    corrected: tuple[float, float, float] | None
    beta: float | None = field(default=None, metadata=OPTIONAL)


def scan_rows(plan: Plan, question: Scan, drawn: Scanned) -> ScanRows:
    """The numbers of every SNP, rounded so that the last bits of a machine's logarithms do not change what is told."""
    tests = drawn.tests
    known = tests.variances > 0
    some = np.where(known, tests.variances, 1.0)
    z = np.where(known, tests.scores / np.sqrt(some), np.nan)
    log10_p = chi_squared_log_tail(np.where(known, z * z, 0.0), 1) / _LOG10
    log10_p = np.where(known, np.round(log10_p, PLACES) + 0.0, np.nan)
    able = known & (tests.squares > 0)
    shown: Callable[[Float64], Float64] = _rounded
    if plan.between is None:
        share = prevalence(plan, question, drawn)
        spread = share * (1 - share)
        able, shown = able & (spread > 0), _ratio
        scale = response_scale(question.epsilon) * np.where(able, tests.squares, 1.0) * (spread if spread > 0 else 1.0)
    else:
        width = Intervals.of(plan, question.values, drawn.median).width
        scale = response_gain(question.response_epsilon, question.values) / width * np.where(able, tests.squares, 1.0)
    beta = np.where(able, tests.scores / scale, np.nan)
    error = np.where(able, np.sqrt(some) / scale, np.nan)
    return ScanRows(
        _rounded(z),
        log10_p,
        _power(log10_p),
        _rounded(beta),
        _rounded(error),
        _ratio(beta) if plan.between is None else np.full(len(beta), np.nan),
        shown(beta - NORMAL * error),
        shown(beta + NORMAL * error),
        tests.calls,
        _rounded(tests.frequencies),
    )


def inflation(rows: ScanRows) -> float | None:
    """Lambda: the median of z^2 over that of a chi-squared variable; None without a SNP that says anything."""
    squares = rows.z[~np.isnan(rows.z)] ** 2
    return round(float(np.median(squares)) / MEDIAN, 4) if squares.size else None


def significant(plan: Plan, rows: ScanRows) -> Flags:
    """Which SNPs have a p-value at or below the plan's threshold, bool (m,)."""
    threshold = round(float(np.log10(float(plan.p_threshold))), PLACES)
    return np.asarray(np.nan_to_num(rows.log10_p, nan=0.0) <= threshold)


def regions(plan: Plan, rows: ScanRows) -> tuple[Region, ...]:
    """Where significant SNPs are, in the list's order."""
    snps, chosen = plan.snps, np.flatnonzero(significant(plan, rows))
    groups: list[list[int]] = []
    for at in chosen.tolist():
        last = groups[-1][-1] if groups else None
        if (
            last is not None
            and snps.chromosomes[last] == snps.chromosomes[at]
            and int(snps.positions[at]) - int(snps.positions[last]) <= APART
        ):
            groups[-1].append(at)
        else:
            groups.append([at])
    return tuple(_region(plan, rows, group) for group in groups)


def _region(plan: Plan, rows: ScanRows, group: list[int]) -> Region:
    snps, lead = plan.snps, min(group, key=lambda at: float(rows.log10_p[at]))
    ends = int(snps.positions[group[0]]), int(snps.positions[group[-1]])
    where = (snps.chromosomes[lead], *ends, len(group), snps.ids[lead], float(rows.log10_p[lead]))
    if plan.between is not None:
        return Region(*where, None, _without_curse(plan, rows, lead), float(rows.beta[lead]))
    ratio = float(rows.odds_ratio[lead])
    effects = (None, None) if np.isnan(ratio) else (ratio, _without_curse(plan, rows, lead))
    return Region(*where, *effects)


def _without_curse(plan: Plan, rows: ScanRows, lead: int) -> tuple[float, float, float] | None:
    """The odds ratio, or the slope, given that the SNP is significant, with its interval."""
    effects = corrected(rows.z[lead : lead + 1], sqrt(quantile(plan.p_threshold, 1)))
    scaled = [each * rows.se[lead] for each in effects]
    if plan.between is not None:
        middle, low, high = (round(float(each[0]), PLACES) for each in scaled)
        return middle, low, high
    ratios = [float(_ratio(each)[0]) for each in scaled]
    middle, low, high = (round(each, RATIO_PLACES) for each in ratios)
    return None if np.isnan(ratios).any() else (middle, low, high)


def _ratio(log_odds: Float64) -> Float64:
    able = np.abs(log_odds) <= np.log(LARGEST)
    return _rounded(np.where(able, np.exp(np.where(able, log_odds, 0.0)), np.nan))


def _rounded(values: Float64) -> Float64:
    # Adding 0.0 makes -0.0 the plain 0.
    return np.asarray(np.round(values, PLACES) + 0.0)


def _power(log10_p: Float64) -> Float64:
    """10 to that power to four digits, by powers of ten that are read and not reckoned; the smallest double where it is smaller."""
    known = ~np.isnan(log10_p)
    whole = np.floor(np.where(known, log10_p, 0.0)).astype(np.int64)
    digits = np.rint(10 ** (np.where(known, log10_p, 0.0) - whole) * 10**P_DIGITS)
    # Powers of ten up to the 22nd are whole doubles, so that one division gives the nearest double.
    value = digits / 10.0 ** np.minimum(P_DIGITS - whole, EXACT_POWER)
    for at in np.flatnonzero(P_DIGITS - whole > EXACT_POWER).tolist():
        value[at] = max(float(f"{int(digits[at])}e{int(whole[at]) - P_DIGITS}"), 5e-324)
    return np.where(known, value, np.nan)
