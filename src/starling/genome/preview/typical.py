"""Studies that might be: tables of SNPs of a stated frequency and effect, and of SNPs without any. Made of the plan, never of records.

What a question's answer will be worth depends on how far SNPs are from significance, which no plan knows. So a preview assumes
it, in public and in the simplest way: half of the people are cases unless somebody says otherwise; alleles are in Hardy-Weinberg
proportions; a causal SNP multiplies the odds by its odds ratio for each copy, as `generate` does; and the other SNPs have nothing to
do with the disease, frequencies evenly from the rarest to .5, and p-values evenly from 0 to 1, each SNP alone. Real
neighbours of a causal SNP are not such: they are correlated with it, and some are as significant as it is. How rare SNPs of the list
may be matters: a SNP that hardly anybody carries becomes significant when a few people are replaced.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache, singledispatch
from math import log
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from starling.errors import ParameterError
from starling.genome.arrays import Float64, Int64
from starling.genome.distance.adjusted import MOST_VARIANCE, prevalence_variance
from starling.genome.plan import Plan
from starling.genome.plan.distances import signed_distances
from starling.privacy.budget import Exact, check_int, exact
from starling.release.session import InSession, Part

FREQUENCIES: Final = (0.05, 0.1, 0.2, 0.4)
"""Minor-allele frequencies of the SNPs that are looked at."""
ODDS_RATIOS: Final = np.exp(np.concatenate([[0.0], np.geomspace(0.001, log(100), 850)]))
"""Per copy of the allele: 1, then steps of a hundredth of the logarithm; 100 is the strongest effect that is looked at."""
RAREST: Final = Fraction(1, 100)
"""Least frequency of the list's SNPs unless said otherwise."""
MISSING: Final = 0.01
"""Share of calls that are missing, where they are counted apart."""
_COMMONEST: Final = 0.5
_ONE_BY_ONE: Final = 4096
"""The most significant SNPs without effect are laid out one by one, the others in groups that grow."""
_GOLDEN: Final = (5**0.5 - 1) / 2
"""Multiples of it, less their whole parts, are spread evenly over 0 to 1 whatever their number."""


class ExpectedAnswer(InSession):
    """What to expect of an answer, as a session shows it."""

    query: Any

    def _facts(self) -> list[tuple[str, str]]:
        return [("preview", describe(self)[0])]

    def _parts(self) -> tuple[Part, ...]:
        return describe(self)[1]


@singledispatch
def describe(expected: object) -> tuple[str, tuple[Part, ...]]:
    """The question and the tables of what to expect; grids.py, which knows the kinds of answers, registers how."""
    raise TypeError(f"nothing describes {type(expected).__name__}")


@dataclass(frozen=True)
class Assumed:
    """What a preview supposes of a study.

    Attributes:
        cases: How many of the people are cases, 1 to n - 1.
        rarest: The least frequency of the carried allele among SNPs without effect, 0 to .5.
    """

    plan: Plan = field(repr=False)
    cases: int
    rarest: Fraction

    @classmethod
    def of(cls, plan: Plan, cases: int | None = None, rarest: Exact = RAREST) -> "Assumed":
        """Half of the people are cases, and the rarest allele has a frequency of 1 %, unless said otherwise. Raises ParameterError for a
        number that leaves nobody on one side, or a frequency outside 0 to .5.
        """
        least = exact(rarest, field="rarest")
        if not 0 <= least <= _COMMONEST:
            raise ParameterError("rarest", "is not from 0 to 0.5", 'give a frequency such as "0.05"')
        if cases is not None:
            check_int(cases, field="cases")
        if cases is not None and not 1 <= cases < plan.people:
            problem = f"are not 1 to {plan.people - 1}: the plan has {plan.people} people"
            raise ParameterError("cases", problem, "leave some people as controls")
        return cls(plan, plan.people // 2 if cases is None else cases, least)

    def tables(self, frequency: float, odds_ratios: Float64) -> Int64:
        """The expected table of a causal SNP for each odds ratio, rounded to people, as the plan's model counts it."""
        in_cases = frequency * odds_ratios / (1 - frequency + frequency * odds_ratios)
        in_controls = np.full_like(odds_ratios, frequency)
        controls = self.plan.people - self.cases
        return self._by_model(np.hstack([_genotypes(self.cases, in_cases), _genotypes(controls, in_controls)]))

    def _by_model(self, cells: Int64) -> Int64:
        """The plan's tables from people by number of copies, cases and then controls, int64 (m, 6); all of them have a call."""
        if self.plan.model not in ("dominant", "recessive"):
            return cells
        none, one, two = cells[:, ::3], cells[:, 1::3], cells[:, 2::3]
        has, has_not = (one + two, none) if self.plan.model == "dominant" else (two, none + one)
        return np.stack([has[:, 0], has_not[:, 0], has[:, 1], has_not[:, 1]], axis=1)

    def with_missing(self, tables: Int64) -> Int64:
        """Those of `tables` with a part MISSING of each cell as missing calls, int64 (m, 6), where the plan counts these apart."""
        if self.plan.missing is None:
            return tables
        lacking = tables // round(1 / MISSING)
        called, (cases, controls) = tables - lacking, (lacking[:, :2].sum(axis=1), lacking[:, 2:].sum(axis=1))
        return np.column_stack([called[:, :2], cases, called[:, 2:], controls])

    def variance(self, query: Any) -> Fraction:
        """Of a phenotype, as the threshold of a score test supposes it: that of the cases where the question pays for their number. Of a
        quantitative one it is that of people at both ends.
        """
        paid = getattr(query, "prevalence_epsilon", None) is not None
        return prevalence_variance(self.cases, self.plan.people) if paid else MOST_VARIANCE

    def without_effect(self, test: str, snps: int, variance: Fraction = MOST_VARIANCE) -> "Others":
        """Signed distances of so many SNPs that have nothing to do with the disease.

        The i-th most significant of m has the p-value (i - 1/2)/m. Its table deviates from the expected one along the model's number of
        copies by as many standard deviations as that takes.
        """
        if snps == 0:
            return Others(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        places = np.concatenate([np.arange(min(snps, _ONE_BY_ONE)), np.geomspace(1, snps, 8192) - 1])
        ranks = np.unique(places.astype(np.int64))
        groups = np.diff([*ranks.tolist(), snps])
        p = (ranks + groups / 2) / snps
        # The square root of the chi-squared statistic of each p-value.
        if self.plan.model == "genotypic" and test != "trend":
            deviates = np.array([(-2 * log(one)) ** 0.5 for one in p.tolist()])
        else:
            deviates = np.array([-NormalDist().inv_cdf(one / 2) for one in p.tolist()])
        least = float(self.rarest)
        spread = np.arange(1, len(ranks) + 1) * _GOLDEN % 1
        signs = np.where(np.arange(len(ranks)) % 2, 1.0, -1.0)
        tables = self._by_model(self._deviating(np.asarray(least + (_COMMONEST - least) * spread), deviates * signs))
        distances = signed_distances(self.plan, tables, test, variance)
        order = np.argsort(distances, kind="stable")
        return Others(distances[order], np.cumsum(groups[order]))

    def _deviating(self, frequencies: Float64, deviates: Float64) -> Int64:
        """Tables of people by number of copies, int64 (m, 6), whose cases have more copies than expected by so many deviations."""
        people, cases = self.plan.people, self.cases
        whole = _genotypes(people, frequencies)
        score = {"dominant": [0, 1, 1], "recessive": [0, 0, 1]}.get(self.plan.model, [0, 1, 2])
        off = np.array(score) - (whole @ np.array(score))[:, np.newaxis] / people
        squares = np.maximum((whole * off * off).sum(axis=1), 1e-9)
        deviation = np.sqrt(cases * (people - cases) * squares / (people * (people - 1)))
        tilt = deviates * deviation * people / (cases * squares)
        sick = np.rint(whole * cases / people * (1 + tilt[:, np.newaxis] * off)).astype(np.int64)
        # What rounding and the ends of the range leave over is taken up by whoever has room: the rows keep their sums.
        sick = np.clip(sick, 0, whole)
        for column in range(3):
            over = sick.sum(axis=1) - cases
            sick[:, column] = np.clip(sick[:, column] - over, 0, whole[:, column])
        return np.hstack([sick, whole - sick])


@dataclass(frozen=True)
class Others:
    """Signed distances of SNPs without effect.

    Attributes:
        distances: Ascending, int64.
        upto: How many SNPs have that distance or one before it, int64; the last is how many there are.
    """

    distances: Int64 = field(repr=False)
    upto: Int64 = field(repr=False)

    @property
    def count(self) -> int:
        """How many SNPs."""
        return int(self.upto[-1]) if self.upto.size else 0

    def smallest(self, rank: int) -> int:
        """The distance of the SNP of that rank, 1 to `count`."""
        return int(self.distances[np.searchsorted(self.upto, rank)])

    @cached_property
    def groups(self) -> Int64:
        """How many SNPs have each distance."""
        return np.diff(self.upto, prepend=0)


def from_which_on(values: Int64, least: int) -> int:
    """The place from which on all values are at or above `least`; their number where the last one is not."""
    below = np.flatnonzero(values < least)
    return int(below[-1]) + 1 if below.size else 0


@lru_cache(maxsize=8)
def ladders(assumed: Assumed, test: str, variance: Fraction = MOST_VARIANCE) -> dict[float, Int64]:
    """For each of FREQUENCIES how many patients causal SNPs of each of ODDS_RATIOS are beyond significance, below 0 before it, int64."""
    return {
        frequency: -signed_distances(assumed.plan, assumed.tables(frequency, ODDS_RATIOS), test, variance)
        for frequency in FREQUENCIES
    }


def needed_odds_ratio(beyond: Int64, patients: int) -> float | None:
    """The least from which on a SNP of `ladders` is that many patients beyond significance; None where no effect is so strong."""
    first = from_which_on(beyond, patients)
    return float(ODDS_RATIOS[first]) if first < len(ODDS_RATIOS) else None


def pair_tables(people: int, share: float, values: Float64, correlation: str) -> Int64:
    """Pairs of SNPs, each carried by that share of the people, with a positive correlation of each value: int64 (m, 4).

    People with both, the first alone, the second alone, neither.
    """
    independent = share * share
    most = share - independent
    both = independent + most * (np.sqrt(values) if correlation == "r2" else values)
    each = round(share * people)
    carrying_both = np.minimum(np.rint(both * people).astype(np.int64), each)
    alone = each - carrying_both
    return np.stack([carrying_both, alone, alone, people - 2 * each + carrying_both], axis=1)


def _genotypes(people: int, frequencies: Float64) -> Int64:
    """People by number of copies in Hardy-Weinberg proportions, int64 (m, 3), each row adding up to all."""
    two = np.rint(people * frequencies**2).astype(np.int64)
    one = np.minimum(np.rint(people * 2 * frequencies * (1 - frequencies)).astype(np.int64), people - two)
    return np.stack([people - one - two, one, two], axis=1)
