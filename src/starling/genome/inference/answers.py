"""From what was drawn to what is released of it: p-values, effects and correlations with their ranges, selections
with how far they may be off.

Everything here is a function of the plan, the query and the noisy answer, so it is released at no further cost.

How far a selected answer may be from the best one is stated in patients, as scores count them: of a SNP how many more than another's must
be replaced before it stops being significant, of a number or a block how many must be replaced before it becomes the true answer. One round
of the exponential mechanism takes each candidate with probability proportional to e^(r score), r = epsilon/(2 k) with k rounds. Of M
candidates the worst case for a miss by more than t is one best score and M - 1 scores t + 1 below it, because scores are whole numbers:

    P(the score is more than t below the best of the candidates left) <= (M - 1) w/(1 + (M - 1) w) <= M e^(-r t),    w = e^(-r (t + 1))

The right side is what Johnson and Shmatikov 2013, Theorem 6, state; the left side is attained. Permute-and-flip is never worse (McKenna and
Sheldon 2020, Theorem 2).

It is about patients. Of two SNPs the one with the smaller p-value may be fewer patients beyond significance, a rare one above all; then
loc_sig prefers the other, at any budget.

Odds ratios and shares of cases and of controls, with ranges that the noise alone explains. Under the dominant and recessive models they
are of people who carry the allele (of two copies under the recessive one); under the genotypic and allelic models of alleles: each person
counts with two, and the odds ratio is that of PLINK's --assoc.

The estimate is that of the table nearest to the noisy counts that n people can have (`intervals.repaired`). The range holds the value of
the exact table with a probability of 1 - alpha or more: with that probability the exact table is within R replaced patients
(`intervals.reach`), and the range is that of all tables within R, or of alleles 2 R, steps. It speaks of the noise, not of who was
recruited: it is no confidence interval of the odds ratio of a population, which is wider.

- Odds ratio ad/(bc), an empty cell counted as 1/2. It never falls when a unit moves from {b, c} to {a, d}; for fixed b and c it is largest
  where a and d are balanced, for fixed a and d where b and c are far apart (of M >= 2 units, M/2 <= b c for b, c >= 1). So among the
  tables within k steps `search.step` leads to the largest, and from the table with columns swapped to the smallest.
- Share a/(a + b) of a row. In k steps it is at most (a + k)/(a + b): a step within the row adds 1 to a; one that takes a unit of b out
  leaves a/(a + b - 1), which is no more. It is at least (a - k)/(a + b) in the same way. An empty row says nothing: 1/2, from 0 to 1.

Effects are computed in rational arithmetic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor, log, log1p
from typing import Final, Literal, cast

import numpy as np

from starling.errors import ParameterError
from starling.genome.distance.search import Table
from starling.genome.inference.called import called_effect, called_p_value
from starling.genome.inference.intervals import (
    Interval,
    allelic_interval,
    correlation_interval,
    farthest,
    four,
    genotypic_interval,
    p_value_interval,
    reach,
    repaired,
    trend_interval,
)
from starling.genome.inference.ranges import Range, odds, share
from starling.genome.measurements import Cells
from starling.genome.plan import LocBlock, LocSig, Model, NumSig, Plan, SnpCorr, SnpPval
from starling.genome.plan.queries import selecting
from starling.genome.scores.locations import num_sig_outputs
from starling.genome.statistics.association import PTest, allele_tables
from starling.privacy.distributions.accuracy import smallest

OF_ALLELES: frozenset[Model] = frozenset({"genotypic", "allelic"})
"""Models whose tables count copies, so that effects are of alleles; those of the others are of carriers."""


def two_by_two(noisy: Sequence[int], people: int, model: Model) -> Table:
    """The 2x2 table that effects are of, from noisy counts that are made to add up to n: of carriers, or of alleles."""
    counts = repaired(noisy, people)
    if model in OF_ALLELES:
        counts = tuple(allele_tables(np.array([counts], dtype=np.int64))[0].tolist())
    return four(counts)


def odds_ratio(table: Table, steps: int) -> Range:
    """The odds ratio of a table, and its range over the tables within so many steps.

    >>> odds_ratio((30, 70, 15, 85), 0).estimate
    Fraction(17, 7)
    """
    largest, smallest = farthest(table, steps)
    return Range(odds(table), odds(smallest), odds(largest))


@dataclass(frozen=True, slots=True)
class SelectionError:
    """The statement that goes with a selection; public, whatever the answer was.

    Attributes:
        candidates: M, among how many the first round chose.
        epsilon: The cost of all rounds together.
        rounds: How many rounds there are, k.
    """

    candidates: int
    epsilon: Fraction
    rounds: int = 1

    def beyond(self, patients: int) -> float:
        """The most that P(a round's answer scores more than `patients` below the best that was left) can be.

        >>> round(SelectionError(100_000, Fraction(1), 2).beyond(60), 4)
        0.0233
        """
        if patients < 0:
            raise ParameterError("patients", "are below 0", "give 0 or more")
        if self.candidates == 1:
            return 0.0
        x = log(self.candidates - 1) - float(self.epsilon / (2 * self.rounds)) * (patients + 1)
        return exp(x - log1p(exp(x))) if x < 0 else 1 / (1 + exp(-x))

    @property
    def right(self) -> str:
        """The chance of a right answer in the worst study, in percent, rounded down.

        >>> SelectionError(13, Fraction(1)).right
        '12 %'
        """
        return f"{floor(1000 * (1 - self.beyond(0))) / 10:g} %"

    def within(self, alpha: Fraction, *, each: bool = False) -> int:
        """The fewest patients t with P(off by more than t) <= alpha in every round together, or in each round by itself.

        Together each of the k rounds is given alpha/k (union bound).

        Raises:
            ParameterError: for alpha outside (0, 1).
        """
        if not 0 < alpha < 1:
            raise ParameterError("alpha", "is not between 0 and 1", 'give a number such as "0.05"')
        share = float(alpha if each else alpha / self.rounds)
        return smallest(lambda patients: self.beyond(patients) <= share, 0)


ALPHA: Final = Fraction(5, 100)
"""Chance that an interval misses, unless said otherwise."""


def p_value(plan: Plan, query: SnpPval, drawn: Cells, alpha: Fraction = ALPHA) -> Interval:
    """log10 of the p-value of a SNP and the range that holds the exact one with probability 1 - alpha or more. Raises ParameterError for
    alpha outside (0, 1).
    """
    if plan.missing is not None:
        return called_p_value(plan, query, drawn, alpha)
    steps = reach(query.noise, query.epsilon, alpha, drawn.counts, plan.people)
    if query.test == "trend":
        return trend_interval(drawn.counts, plan.people, steps)
    if plan.model == "genotypic":
        return genotypic_interval(drawn.counts, plan.people, cast(Literal["g", "chi2"], query.test), steps)
    if plan.model == "allelic":
        return allelic_interval(drawn.counts, plan.people, cast(PTest, query.test), steps)
    return p_value_interval(drawn.counts, plan.people, cast(PTest, query.test), steps)


def effect(plan: Plan, query: SnpPval, drawn: Cells, alpha: Fraction = ALPHA) -> tuple[Range, Range, Range]:
    """Odds ratio, and the shares of cases and of controls that have the allele, each with the range that holds that of the exact table with
    probability 1 - alpha or more, all three together. Raises ParameterError for alpha outside (0, 1).
    """
    if plan.missing is not None:
        return called_effect(plan, query, drawn, alpha)
    reached = reach(query.noise, query.epsilon, alpha, drawn.counts, plan.people)
    a, b, c, d = table = two_by_two(drawn.counts, plan.people, plan.model)
    # So many replaced patients move twice as many alleles at most.
    steps = 2 * reached if plan.model in OF_ALLELES else reached
    return odds_ratio(table, steps), share(a, b, steps), share(c, d, steps)


def correlation(plan: Plan, query: SnpCorr, drawn: Cells, alpha: Fraction = ALPHA) -> Interval:
    """The correlation of a pair and the range that holds the exact one with probability 1 - alpha or more. Raises ParameterError for alpha
    outside (0, 1).
    """
    steps = reach(query.noise, query.epsilon, alpha, drawn.counts, plan.people)
    return correlation_interval(drawn.counts, plan.people, query.correlation, steps)


def selection_error(plan: Plan, query: NumSig | LocSig | LocBlock) -> SelectionError:
    """How far the answer to a query may be from the best one: public, the same for every study."""
    if isinstance(query, NumSig):
        return SelectionError(len(num_sig_outputs(query.k, len(plan.snps))), selecting(query))
    if isinstance(query, LocSig):
        return SelectionError(sum(stop - start for start, stop in query.ranges(plan)), selecting(query), query.k)
    return SelectionError(query.candidates(plan).count + 1, query.epsilon)
