"""Odds ratios and shares of 2x2 tables with the ranges that noise leaves open, in rational arithmetic; answers.py says why they hold."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from starling.genome.distance.search import Table

_HALF: Final = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Range:
    """A value of the noisy counts, and the least and the most that the exact table may have; exact."""

    estimate: Fraction
    low: Fraction
    high: Fraction


def share(have: int, have_not: int, steps: int) -> Range:
    """The share of a row's people, or alleles, that have the allele, and its range over the tables within so many steps.

    >>> share(30, 70, 5)
    Range(estimate=Fraction(3, 10), low=Fraction(1, 4), high=Fraction(7, 20))
    """
    row = have + have_not
    if row == 0:
        return Range(_HALF, Fraction(0), Fraction(1))
    return Range(Fraction(have, row), Fraction(max(0, have - steps), row), Fraction(min(row, have + steps), row))


def odds(table: Table) -> Fraction:
    """The odds ratio of a table, an empty cell counted as 1/2."""
    a, b, c, d = (Fraction(count) if count else _HALF for count in table)
    return a * d / (b * c)
