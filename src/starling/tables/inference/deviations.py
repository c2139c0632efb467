"""The exact standard deviation of numbers into which a group's first total was weighted, with all of their rounding.

A group of k cells has the draws Z of its first total and e_1, ..., e_k of its cells, E their sum. Its total errs by E + C and a run of
cells from `first` to `stop` by the sum F of its own draws + part(C), where with D = Z - E (reuse.py)

    C = round(a D),    part(C) = round(stop C/k) - round(first C/k),    halves away from 0.

Both are odd in the draws, whose laws are symmetric, so their mean is 0. Given Z and E the draws of the cells may be exchanged, so that F
has the mean (n/k) E, n = stop - first, and C is a function of D:

    Var = n Var e_1 + 2 (n/k) sum over d of part(round(a d)) E[E; D = d] + sum over d of part(round(a d))^2 P(D = d).

The total is the run of all cells. P(D = d) and E[E; D = d] are two products of the listed laws of Z and E, taken as polynomials with
integer coefficients; nothing is rounded but the result, which is the same on every machine. Without the rounding the variance of
the total would be a^2 Var Z + (1 - a)^2 Var E: 0.946^2 where a total of rho 7 truly has 1.011^2.

Runs of one width differ, since their ends are rounded apart: a correction by one person moves the middle cell alone.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import fsum, ldexp, sqrt
from typing import Final

import numpy as np
from flint import fmpz_poly

from starling.privacy.distributions.discrete import Law
from starling.privacy.distributions.probability_mass import Floats, Masses, masses
from starling.tables.inference.reuse import rounded
from starling.tables.measurements import Int64
from starling.tables.plan.combined_stages import variance

_BITS: Final = 160
"""Of a probability, as an integer: entries of a listed law are at least 2^-115 of its largest."""


@dataclass(frozen=True, slots=True, eq=False)
class _Difference:
    """The law of D, for d above 0; it is symmetric.

    Attributes:
        values: d, int64.
        chance: P(D = d), float64.
        mean: E[E; D = d], which is odd in d, float64.
    """

    values: Int64
    chance: Floats
    mean: Floats


@lru_cache(maxsize=64)
def corrected_deviations(stage1: Law, stage2: Law, cells: int, weight: Fraction, terms: int) -> tuple[float, ...]:
    """The standard deviation of the sum of each run of `terms` cells of a group, in their order; of its total for all cells.

    Args:
        stage1: Of the first total.
        stage2: Of each cell.
        cells: Of the group.
        weight: a, the share of the first total, in (0, 1).
        terms: Cells of a run, which divides them into runs.

    >>> from starling.privacy.distributions.discrete import DiscreteGaussian
    >>> laws = DiscreteGaussian(Fraction(9)), DiscreteGaussian(Fraction(1))
    >>> [round(each, 3) for terms in (4, 8) for each in corrected_deviations(*laws, 8, Fraction(8, 17), terms)]
    [1.78, 1.794, 2.08]
    """
    law = _difference(stage1, stage2, cells)
    correction = rounded(law.values * weight.numerator, weight.denominator)
    own = float(terms * variance(stage2))
    found = []
    for first in range(0, cells, terms):
        part = rounded((first + terms) * correction, cells) - rounded(first * correction, cells)
        moved = (part * (2 * terms / cells) * law.mean + part * part * law.chance).tolist()
        found.append(sqrt(own + 2 * fsum(moved)))
    return tuple(found)


@lru_cache(maxsize=16)
def _difference(stage1: Law, stage2: Law, cells: int) -> _Difference:
    first, sums = masses(stage1), masses(stage2, cells)
    middle = first.reach + sums.reach
    draws = _fixed(first)
    chance = (draws * _fixed(sums)).coeffs()
    weighted = fmpz_poly([place * int(each) for place, each in enumerate(_fixed(sums).coeffs(), -sums.reach)])
    # E = -(D - Z): the law of E is symmetric, so that D is Z plus a draw of it, and the mean of E the opposite of that draw's.
    mean = (draws * weighted).coeffs()
    one = 1 << (2 * _BITS)
    above = range(middle + 1, len(chance))
    return _Difference(
        np.arange(1, len(above) + 1, dtype=np.int64),
        np.array([int(chance[place]) / one for place in above]),
        np.array([-int(mean[place]) / one for place in above]),
    )


def _fixed(law: Masses) -> fmpz_poly:
    return fmpz_poly([int(ldexp(chance, _BITS)) for chance in law.mass.tolist()])
