"""Meta-analysis of the released scans or effects of several custodians: one effect of each SNP, and how far the studies disagree.

It reads released values alone and costs nothing. Effects are weighed by the inverse of their variance, which holds what the sample and
the noise leave open (fixed effects). The studies hold different people, so their errors are independent, the noise of the responses
included; whoever is in two studies counts twice, as in every meta-analysis. Under the phenotype relation each study goes on protecting
its own phenotypes at its own epsilon: what is computed from releases is no further release of anybody's data.

Heterogeneity: Cochran's Q = sum of w (b - mean)^2, chi-squared with one degree of freedom less than there are studies where all have
the same effect, and I^2 = max(0, 1 - (studies - 1)/Q) (Higgins and Thompson 2002).

Coins of a scan add up over many people and are normal, Laplace noise on effects is not: it has more far values, of which a normal interval
would miss up to 6.3 % in place of 5. `noise` is its share of a variance, and intervals and p-values of the mean are those of a normal
variable plus one Laplace variable of these variances; the weighted noise of several studies has lighter tails. Q is compared with
chi-squared all the same: of two studies that are noise alone 5.9 % are above its 95 % quantile.

SNPs are matched by chromosome, position and the two alleles in either order. Where a study counts copies of the other allele, the sign of
its effect is turned; of who carries it (dominant, recessive) no sign says that, and the study does not tell of the SNP. Strands are never
guessed: an A/T SNP that one study writes of the other strand is taken as written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.genome.arrays import Float64, Int64
from starling.genome.inference.effects import MISS, log_tail, reach_of
from starling.genome.inference.scans import NORMAL, PLACES
from starling.genome.plan.snps import Snps
from starling.genome.statistics.tails import chi_squared_log_tail

_LOG10: Final = log(10)


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """The effects of one study, as a release tells them.

    Attributes:
        snps: The study's list; effects are of its carried alleles.
        beta: Change of the log odds by the plan's model, float64 (m,); NaN where the study tells none.
        standard_error: Of beta, sample and noise together, float64 (m,); infinite where it tells nothing.
        noise: The share of Laplace noise in the square of it, float64 (m,); None where there is none.
    """

    snps: Snps
    beta: Float64
    standard_error: Float64
    noise: Float64 | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MetaAnalysis:
    """What studies say together, of each SNP that at least one of them tells; float64 (m,) but for the first three.

    Attributes:
        places: For each SNP, its place in the list of each study, int64 (m, studies); -1 where the study does not tell of it.
        directions: The sign of the effect in each study as "+" or "-", "?" where it does not tell of the SNP.
        studies: How many tell of it, int64 (m,).
        beta: Of the allele that is carried in the first study that tells of the SNP.
        standard_error: Of beta.
        q: Cochran's Q; 0 of one study.
        i_squared: The share of the differences between studies that chance does not explain, from 0 to 1.
        q_p: The chance of a Q as large where all studies have the same effect; 1 of one study.
        noise: The share of Laplace noise in the square of the standard error.
    """

    places: Int64
    directions: tuple[str, ...]
    studies: Int64
    beta: Float64
    standard_error: Float64
    q: Float64
    i_squared: Float64
    q_p: Float64
    noise: Float64

    def taken(self, order: Int64) -> "MetaAnalysis":
        """The same of some SNPs, in another order."""
        directions = tuple(self.directions[at] for at in order.tolist())
        numbers = (self.beta, self.standard_error, self.q, self.i_squared, self.q_p, self.noise)
        return MetaAnalysis(self.places[order], directions, self.studies[order], *(each[order] for each in numbers))

    @property
    def reach(self) -> Float64:
        """How far the ends of the 95 % interval are from beta."""
        reach: Float64 = NORMAL * self.standard_error
        for at in np.flatnonzero(self.noise).tolist():
            reach[at] = reach_of(*self._spread(at), MISS)
        return reach

    @property
    def low(self) -> Float64:
        """The lower end of the 95 % interval of beta."""
        return self.beta - self.reach

    @property
    def high(self) -> Float64:
        """The upper end."""
        return self.beta + self.reach

    @property
    def log10_p(self) -> Float64:
        """log10 of the two-sided p-value of beta."""
        logarithm = chi_squared_log_tail((self.beta / self.standard_error) ** 2, 1) / _LOG10
        for at in np.flatnonzero(self.noise).tolist():
            logarithm[at] = min((log_tail(abs(float(self.beta[at])), *self._spread(at)) + log(2)) / _LOG10, 0.0)
        return np.round(logarithm, PLACES)

    def _spread(self, at: int) -> tuple[float, float]:
        """The deviation by sampling, and the scale of the noise, of one SNP."""
        error, share = float(self.standard_error[at]), float(self.noise[at])
        return error * sqrt(1 - share), error * sqrt(share / 2)


def analyse_together(studies: Sequence[Effects], *, of_copies: bool) -> MetaAnalysis:
    """The effects of several studies of different people under one model, combined by inverse variance.

    Args:
        studies: At least two, which have at least one SNP in common.
        of_copies: Whether effects are of each copy of the allele, so that those of the other allele have the other sign.

    Returns:
        SNPs in the order of the first study, then those that only later ones have.

    Raises:
        ParameterError: there are fewer than two studies, or none tells of a SNP that another tells of.
    """
    # SciPy takes half a second to import, which whoever only plans should not wait for.
    from scipy.special import chdtrc

    if len(studies) < 2:
        raise ParameterError("releases", "are fewer than two", "name those of at least two studies")
    places, signs = _matched([study.snps for study in studies])
    beta, weight, noise = np.zeros(places.shape), np.zeros(places.shape), np.zeros(places.shape)
    for number, study in enumerate(studies):
        there = places[:, number] >= 0
        rows = places[there, number]
        known = np.isfinite(study.beta[rows]) & (study.standard_error[rows] > 0)
        # A standard error of infinity tells nothing, and weighs nothing.
        known &= np.isfinite(study.standard_error[rows])
        if not of_copies:
            known &= signs[there, number] > 0
        weight[there, number] = np.where(known, 1 / np.where(known, study.standard_error[rows], 1.0) ** 2, 0.0)
        if study.noise is not None:
            noise[there, number] = study.noise[rows]
        beta[there, number] = np.where(known, signs[there, number] * study.beta[rows], 0.0)
    places = np.where(weight > 0, places, -1)
    some = (weight > 0).any(axis=1)
    places, beta, weight, noise = places[some], beta[some], weight[some], noise[some]
    number_of = (weight > 0).sum(axis=1)
    if not (number_of > 1).any():
        problem = "have no SNP in common at one place with the same alleles"
        raise ParameterError("releases", problem, "name releases of one genome build, with lists that overlap")
    total = weight.sum(axis=1)
    mean = (weight * beta).sum(axis=1) / total
    q = np.where(number_of > 1, (weight * (beta - mean[:, None]) ** 2).sum(axis=1), 0.0)
    i_squared = np.maximum(0.0, 1 - (number_of - 1) / np.where(q > 0, q, 1.0)) * (q > 0)
    # The square of a weight times the noise's part of the variance: one weight times its share.
    share = (weight * noise).sum(axis=1) / total
    q_p = np.where(number_of > 1, chdtrc(np.maximum(number_of - 1, 1), q), 1.0)
    letters = np.where(weight > 0, np.where(beta < 0, "-", "+"), "?").tolist()
    directions = tuple(map("".join, letters))
    return MetaAnalysis(places, directions, number_of, mean, np.sqrt(1 / total), q, i_squared, q_p, share)


def _matched(lists: Sequence[Snps]) -> tuple[Int64, Float64]:
    """The place of each SNP in each list, int64 (m, lists), -1 where it is not there; and 1, or -1 where the list counts the other allele
    than the first list that has the SNP, float64 (m, lists).
    """
    at: dict[tuple[str, int, frozenset[str]], tuple[int, str]] = {}
    matches: list[list[tuple[int, int, int]]] = []
    for snps in lists:
        rows: list[tuple[int, int, int]] = []
        keys = zip(snps.chromosomes, snps.positions.tolist(), zip(snps.carried, snps.other, strict=True), strict=True)
        for row, (chromosome, position, both) in enumerate(keys):
            carried, other = (allele.upper() for allele in both)
            index, first = at.setdefault((chromosome, position, frozenset((carried, other))), (len(at), carried))
            rows.append((index, row, 1 if carried == first else -1))
        matches.append(rows)
    places = np.full((len(at), len(lists)), -1, dtype=np.int64)
    signs = np.ones((len(at), len(lists)))
    for number, rows in enumerate(matches):
        index, row, sign = np.array(rows, dtype=np.int64).T
        # Of a SNP that is listed twice, the first row counts.
        places[index[::-1], number], signs[index[::-1], number] = row[::-1], sign[::-1]
    return places, signs
