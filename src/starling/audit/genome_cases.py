"""Genome mechanisms that break their promise, and their counterparts that keep it: mistakes that people make with genotypes.

Each has a pair of neighbouring studies of a few SNPs, tables (a, b, c, d) one after the other: one patient is replaced. Several SNPs move
at once, which is what a score of sensitivity 1 has to bear: the patient's status is one, her genotype at each SNP is free. So one SNP may
gain what all others lose.

What is not here: a p-value threshold above 0.3, r^2 below 1/n, D' below 1/2. They are refused because the distance is then no longer
that to the nearest insignificant table. It is still one to the nearest table of another kind, and so of sensitivity 1.
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Final, TypeAlias

import numpy as np

from starling.audit.case import Case, Draws, Int64
from starling.audit.core_cases import laplace, lattice
from starling.audit.wrong_distances import greedy_distance, wald_distance
from starling.genome.distance.adjusted import adjusted_distance, score_threshold, whole_columns, whole_squares
from starling.genome.distance.significance import allelic_distance, distance_to_significance
from starling.genome.scores.medians import median_scores
from starling.genome.statistics.association import chi_squared_statistic
from starling.privacy.sampling.entropy import BitSource
from starling.privacy.sampling.noise import discrete_laplace
from starling.privacy.sampling.response import randomized_response
from starling.privacy.sampling.selection import exponential_mechanism

Score: TypeAlias = Callable[[Int64], Int64]
"""Tables (snps, 4), or people (n, 1 + snps), -> scores (snps,)."""
Table: TypeAlias = tuple[int, int, int, int]

P: Final = "0.05"
"""The p-value at or below which a SNP is significant."""
SNPS: Final = 6
FREQUENT: Final = 4
"""Carriers that the filter asks for."""
MEDIAN_STEPS: Final = 6
"""L of phenotypes that are divided in halves."""
STEPS: Final = 16
"""Grid steps of a unit of chi-squared."""


def significance(tables: Int64) -> Int64:
    """loc_sig's score, by G: right; of a table of alleles, of which one patient moves two, wrong."""
    return -distance_to_significance(tables, "g", P)


def greedy(tables: Int64) -> Int64:
    """The distance found by steps that each change the statistic most: neighbours may be 4 apart."""
    return -greedy_distance(tables, P)


def wald(tables: Int64) -> Int64:
    """Wald's statistic searched as if it were monotone."""
    return -wald_distance(tables, P)


def without_skip(tables: Int64) -> Int64:
    """Distance to an insignificant table where significant, minus that to a significant one elsewhere: from 1 to -1 over the edge."""
    signed = distance_to_significance(tables, "g", P)
    return np.where(signed <= 0, 1 - signed, -signed)


def alleles(tables: Int64) -> Int64:
    """Half of it, as it is used: right."""
    return -allelic_distance(tables, "g", P)


def centred_on_controls(people: Int64) -> Int64:
    """loc_sig's score by the score test, of people (status, then copies at each SNP), with columns less their mean among controls."""
    cases, copies = people[:, 0] == 1, people[:, 1:].T
    columns = copies - copies[:, ~cases].mean(axis=1, keepdims=True)
    return -adjusted_distance(whole_columns(np.asarray(columns)), cases, score_threshold(Fraction(P)))


def halved(levels: Int64) -> Int64:
    """The score of a median, of phenotypes in steps (people, 1): right."""
    return median_scores(levels[:, 0], MEDIAN_STEPS)


def apart(levels: Int64) -> Int64:
    """How far the two sides are apart, which a replaced phenotype changes by 2."""
    return 2 * halved(levels) - len(levels)


def _about_the_median(exact: Int64, number: int, source: BitSource) -> Int64:
    """A response of who is above the exact median."""
    above = exact > int(np.argmax(median_scores(exact, MEDIAN_STEPS)))
    return randomized_response(np.tile(above, number), 1, source=source).reshape(number, -1).astype(np.int64)


def located(score: Score, columns: int = 4) -> Draws:
    """One SNP by the exponential mechanism at epsilon 1, as loc_sig does."""

    def draws(exact: Int64, number: int, source: BitSource) -> Int64:
        scores = score(exact.reshape(-1, columns))
        return np.array([exponential_mechanism(scores, 1, source=source)[0] for _ in range(number)], dtype=np.int64)

    return draws


def _filtered(exact: Int64, number: int, source: BitSource) -> Int64:
    """loc_sig among SNPs that enough of the study's own people carry."""
    tables = exact.reshape(-1, 4)
    frequent = np.flatnonzero(tables[:, 0] + tables[:, 2] >= FREQUENT)
    scores = significance(tables[frequent])
    drawn = [int(exponential_mechanism(scores, 1, source=source)[0]) for _ in range(number)]
    return np.asarray(frequent[drawn], dtype=np.int64)


def _of_the_rarer_allele(exact: Int64, number: int, source: BitSource) -> Int64:
    """snp_pval of whichever allele fewer people carry, as PLINK makes its A1."""
    turned = exact[[1, 0, 3, 2]] if exact[0] + exact[2] > exact[1] + exact[3] else exact
    return lattice(1)(turned, number, source)


def _of_called(exact: Int64, number: int, source: BitSource) -> Int64:
    """snp_pval of people with a call alone, by the noise of a table whose total is public; of six counts, the total of four."""
    return np.asarray(lattice(1)(exact[[0, 1, 3, 4]], number, source).sum(axis=1, keepdims=True))


def within(low: int, high: int, mechanism: Draws) -> Draws:
    """Of the first two noisy counts what matters for the pair, so that a histogram of few outputs sees it; post-processing."""
    return lambda exact, number, source: np.clip(mechanism(exact, number, source)[:, :2], low, high)


def _counted(exact: Int64, number: int, source: BitSource) -> Int64:
    """How many SNPs are significant, plus noise for one."""
    significant = int((distance_to_significance(exact.reshape(-1, 4), "g", P) <= 0).sum())
    return significant + discrete_laplace(1, (number, 1), source=source)


def varied(range_of: int) -> Draws:
    """The sum of squares of quantitative phenotypes about their mean, in whole squares of a number of steps, plus noise for one."""

    def draws(exact: Int64, number: int, source: BitSource) -> Int64:
        return whole_squares(exact, range_of) + discrete_laplace(1, (number, 1), source=source)

    return draws


def _chi_squared(sensitivity: Fraction) -> Draws:
    """Laplace noise on the statistic of one SNP, on a grid (Fienberg et al. 2011)."""

    def draws(exact: Int64, number: int, source: BitSource) -> Int64:
        value = int(np.rint(chi_squared_statistic(exact.reshape(1, 4))[0] * STEPS))
        return value + discrete_laplace(sensitivity * STEPS + 1, (number, 1), source=source)

    return draws


def _against(one: Table, other: Table) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The first SNP goes from `one` to `other`, all others the other way; within one row, so that the patient's status stays."""
    return (*one, *other * (SNPS - 1)), (*other, *one * (SNPS - 1))


def _by_status(status: int) -> tuple[int, ...]:
    """19 people, all cases but two at most, of whom the second has this status: the copies of the first SNP, and of the five others."""
    copies = zip("0020000022012122221", "1211101122211220020", strict=True)
    people = [[1, int(one), *[int(other)] * (SNPS - 1)] for one, other in copies]
    people[1][0], people[-1][0] = status, 0
    return tuple(value for person in people for value in person)


_PEOPLE: Final = 20
_EMPTY: Final = ((0, 0, 0, _PEOPLE), (1, 0, 0, _PEOPLE - 1))
"""Tables of which the second has chi-squared n, the first, with a zero margin, 0."""
_STEPPED: Final = _against((0, 2, 3, 11), (1, 1, 3, 11))
_TURNING: Final = _against((1, 4, 5, 2), (1, 4, 6, 1))
_EDGE: Final = _against((0, 3, 6, 7), (0, 3, 7, 6))
"""Tables on both sides of the edge of significance."""
_TWO: Final = _against((0, 2, 5, 9), (2, 0, 5, 9))
"""Tables of alleles of which one patient moves two."""
_FEWER: Final = ((4, 4, 0, 8, 2, 6, 2, 6), (3, 5, 0, 8, 2, 6, 2, 6))
"""As many carriers of the first SNP as the filter asks for, and one fewer."""
_GAIN: Final = ((10, 10, 10, 10), (12, 8, 10, 10))
_CALLS: Final = ((4, 4, 2, 4, 4, 2), (3, 4, 2, 4, 4, 3))
"""One table, of which a case with a call becomes a control without one."""
_EVERY: Final = ((0, 3, 6, 7) * 5, (0, 3, 7, 6) * 5)
"""Tables of five SNPs, all of which become significant."""
_LARGEST: Final = ((0, 1, 1, 2), (2, 1, 1, 2))
"""Phenotypes in steps, of which the smallest becomes the largest."""

MUTANTS: Final[tuple[Case, ...]] = (
    Case("loc_sig, greedy distance", "the steps that change G most", 3.119, located(greedy), *_STEPPED, 1_000),
    Case("loc_sig, Wald distance", "a statistic that is not monotone", 1.637, located(wald), *_TURNING, 8_000),
    Case("loc_sig without the skip", "1 and -1 on both sides of the edge", 1.637, located(without_skip), *_EDGE, 8_000),
    Case("loc_sig by alleles, counted as patients", "a patient has two", 1.637, located(significance), *_TWO, 8_000),
    Case("loc_sig among SNPs frequent in the study", "a list that depends on the data", inf, _filtered, *_FEWER, 500),
    Case(
        "snp_pval, alleles counted as patients", "L1 sensitivity 2 for 4", 2, within(8, 12, laplace(2)), *_GAIN, 4_000
    ),
    Case(
        "snp_pval of the rarer allele",
        "which it is, is told by the data",
        15,
        within(2, 6, _of_the_rarer_allele),
        (8, 0, 0, 8),
        (8, 0, 1, 7),
        200,
    ),
    Case("snp_pval of people with a call", "how many lack one is told by the total", inf, _of_called, *_CALLS, 200),
    Case("number of significant SNPs, noise for one", "one patient moves all SNPs", 5, _counted, *_EVERY, 500),
    Case(
        "chi-squared, restricted sensitivity",
        "4n/(n + 2), where status may change too",
        5.407,
        _chi_squared(Fraction(4 * _PEOPLE, _PEOPLE + 2)),
        *_EMPTY,
        500,
    ),
    Case(
        "loc_sig, columns from controls",
        "the mean that is taken off depends on phenotypes",
        7.593,
        located(centred_on_controls, 1 + SNPS),
        _by_status(1),
        _by_status(0),
        500,
    ),
    Case(
        "variance of a phenotype in steps",
        "squares of one step, where a phenotype moves by two",
        3,
        varied(1),
        (0,) * 10,
        (2, *(0,) * 9),
        2_000,
    ),
    Case(
        "median by the difference of both sides",
        "one person is one fewer here and one more there",
        1.434,
        located(apart, 1),
        (0, 0, 3, 3),
        (6, 0, 3, 3),
        6_000,
    ),
    Case("response about the exact median", "a cut that depends on the data", 3, _about_the_median, *_LARGEST, 1_500),
)
"""All of them are rejected."""

MECHANISMS: Final[tuple[Case, ...]] = (
    Case("loc_sig", "", 0.830, located(significance), *_EDGE, 4_000),
    Case("loc_sig by alleles", "", 0.830, located(alleles), *_against((0, 1, 6, 9), (0, 1, 4, 11)), 4_000),
    Case("snp_pval by copies", "", 1, within(4, 8, laplace(2)), (6, 6, 2, 4, 4, 2), (7, 5, 2, 4, 4, 2), 10_000),
    Case("variance of a phenotype", "", 1, varied(2), (0, 0, 0, 0, 2, 2, 2, 2), (0, 0, 0, 0, 0, 2, 2, 2), 10_000),
    Case("median", "", 0.620, located(halved, 1), (0, 0, 3, 3), (6, 0, 3, 3), 2_000),
    Case("chi-squared, sensitivity n", "", 0.997, _chi_squared(Fraction(_PEOPLE)), *_EMPTY, 10_000),
)
"""Counterparts of the mutants that keep their promise, tried in the same way."""
