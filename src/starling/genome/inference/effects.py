"""From a noisy table to an odds ratio and to shares of cases and of controls, with ranges that the noise alone explains.

Under the dominant and recessive models they are of people who carry the allele (of two copies under the recessive one); under the
genotypic and allelic models of alleles: each person counts with two, and the odds ratio is that of PLINK's --assoc.

The estimate is that of the table nearest to the noisy counts that n people can have (`intervals.repaired`). The range holds the value of
the exact table with a probability of 1 - alpha or more: with that probability the exact table is within R replaced patients
(`intervals.reach`), and the range is that of all tables within R, or of alleles 2 R, steps. It speaks of the noise, not of who was
recruited: it is no confidence interval of the odds ratio of a population, which is wider.

- Odds ratio ad/(bc), an empty cell counted as 1/2. It never falls when a unit moves from {b, c} to {a, d}; for fixed b and c it is largest
  where a and d are balanced, for fixed a and d where b and c are far apart (of M >= 2 units, M/2 <= b c for b, c >= 1). So among the
  tables within k steps `search.step` leads to the largest, and from the table with columns swapped to the smallest.
- Share a/(a + b) of a row. In k steps it is at most (a + k)/(a + b): a step within the row adds 1 to a; one that takes a unit of b out
  leaves a/(a + b - 1), which is no more. It is at least (a - k)/(a + b) in the same way. An empty row says nothing: 1/2, from 0 to 1.

All of it is rational arithmetic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from starling.genome.distance.search import Table, step
from starling.genome.inference.intervals import repaired
from starling.genome.plan import Model
from starling.genome.statistics.association import allele_tables

OF_ALLELES: frozenset[Model] = frozenset({"genotypic", "allelic"})
"""Models whose tables count copies, so that effects are of alleles; those of the others are of carriers."""
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Range:
    """A value and what the noise leaves open, exact.

    Attributes:
        estimate: The value of the noisy counts.
        low: The least that the exact table may have.
        high: The most that the exact table may have.
    """

    estimate: Fraction
    low: Fraction
    high: Fraction


def two_by_two(noisy: Sequence[int], people: int, model: Model) -> Table:
    """The 2x2 table that effects are of, from noisy counts that are made to add up to n: of carriers, or of alleles."""
    counts = repaired(noisy, people)
    if model in OF_ALLELES:
        counts = tuple(allele_tables(np.array([counts], dtype=np.int64))[0].tolist())
    a, b, c, d = counts
    return a, b, c, d


def steps_of(reached: int, model: Model) -> int:
    """How many units of that table so many replaced patients move at most."""
    return 2 * reached if model in OF_ALLELES else reached


def odds_ratio(table: Table, steps: int) -> Range:
    """The odds ratio of a table, and its range over the tables within so many steps.

    >>> odds_ratio((30, 70, 15, 85), 0).estimate
    Fraction(17, 7)
    """
    a, b, c, d = table
    p, q, r, s = step(b, a, d, c, steps)
    return Range(_odds(table), _odds((q, p, s, r)), _odds(step(a, b, c, d, steps)))


def share(have: int, have_not: int, steps: int) -> Range:
    """The share of a row's people, or alleles, that have the allele, and its range over the tables within so many steps.

    >>> share(30, 70, 5)
    Range(estimate=Fraction(3, 10), low=Fraction(1, 4), high=Fraction(7, 20))
    """
    row = have + have_not
    if row == 0:
        return Range(_HALF, Fraction(0), Fraction(1))
    return Range(Fraction(have, row), Fraction(max(0, have - steps), row), Fraction(min(row, have + steps), row))


def _odds(table: Table) -> Fraction:
    a, b, c, d = (Fraction(count) if count else _HALF for count in table)
    return a * d / (b * c)
