"""The least budget of cross tables whose cells all keep their margins, and how far below it no budget of residuals can be.

Weights w of the tables give the best shares, and variances Var at budget 1. The budget max Var/V then keeps the largest variances V of all
tables. No shares keep them for less than sum w Var/sum w V: since Var minimises the weighted sum, any shares of budget rho that keep V have
sum w Var/rho <= sum w V. The weights are multiplied by sqrt(Var/V) until the two are within a thousandth. The bound holds where the best
shares are: on trees of regions with equal branches.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import fsum, inf, sqrt
from typing import Final

import numpy as np

from starling.privacy.budget import Measure
from starling.privacy.distributions.deviations import laplace_deviations, normal_deviations
from starling.tables.plan.best_families import Weights, divided
from starling.tables.plan.residuals import Floats, Shape, variances

CLOSE: Final = 1.001
"""How far the budget may be above the bound for the search to end."""
MOST_ROUNDS: Final = 300
FAMILY_ROUNDS: Final = 16
"""Under pure epsilon, whose variances have several minima."""
_HALVINGS: Final = 24
_DIGITS: Final = Context(prec=6, rounding=ROUND_CEILING)
"""Significant digits of a budget."""
_STEP: Final = Fraction(100001, 100000)


@dataclass(frozen=True, slots=True)
class Solved:
    """What margins cost.

    Attributes:
        weights: Of each table in each level, (levels, tables), for `best_shares`.
        budget: Rho at which the best shares keep all margins.
        bound: No shares keep them for less rho; None where branches of regions differ, of which that is not proved.
        rounds: Rounds of the search.
    """

    weights: Weights
    budget: Fraction
    bound: float | None
    rounds: int


def variance_of_margin(within: float, missing: Fraction, measure: Measure) -> float:
    """The variance of a number that is off by more than `within` with at most the chance `missing`, be it one draw or many."""
    deviations = normal_deviations(missing) if measure == "rho" else laplace_deviations(missing, 1)
    return (within / deviations) ** 2


@lru_cache(maxsize=8)
def margins_first(shape: Shape, largest: Weights) -> Solved:
    """The least budget, to six digits, whose best shares keep every variance at most at `largest`, (levels, tables)."""
    if shape.laplace:
        return _by_families(shape, largest)
    most = np.array(largest)
    weights, need, bound, rounds = 1.0 / most, 0.0, 0.0, 0
    while rounds < MOST_ROUNDS:
        rounds += 1
        reached = _reached(shape, weights, Fraction(1))
        ratios = reached / most
        need, bound = float(ratios.max()), _sum(weights * reached) / _sum(weights * most)
        if need <= CLOSE * bound:
            break
        weights = weights * np.sqrt(ratios)
    budget = _rounded_up(Fraction(need))
    while not (_reached(shape, weights, budget) <= most).all():
        budget = _rounded_up(budget * _STEP)
    return Solved(_rows(weights), budget, bound if equal_branches(shape) else None, rounds)


def _by_families(shape: Shape, largest: Weights) -> Solved:
    """The same under pure epsilon, where variances fall with the square of a budget, and no bound is known."""
    most = np.array(largest)
    weights = chosen = 1.0 / most
    best = inf
    for _ in range(FAMILY_ROUNDS):
        ratios = _reached(shape, weights, Fraction(1)) / most
        if (need := sqrt(ratios.max())) < best:
            best, chosen = need, weights
        weights = weights * np.sqrt(ratios)
    low, high = best / 2, 2 * best
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        enough = (_reached(shape, chosen, Fraction(middle)) <= most).all()
        low, high = (low, middle) if enough else (middle, high)
    return Solved(_rows(chosen), _rounded_up(Fraction(high)), None, FAMILY_ROUNDS)


def _reached(shape: Shape, weights: Floats, budget: Fraction) -> Floats:
    """The variances of a budget shared by these weights, (levels, tables)."""
    return np.array(variances(shape, divided(shape, _rows(weights), budget)))


def _rows(weights: Floats) -> Weights:
    return tuple(map(tuple, weights.tolist()))


def _sum(terms: Floats) -> float:
    return fsum(terms.ravel().tolist())


def _rounded_up(amount: Fraction) -> Fraction:
    return Fraction(_DIGITS.divide(Decimal(amount.numerator), Decimal(amount.denominator)))


def equal_branches(shape: Shape) -> bool:
    """Whether all regions of a level have equal trees below them."""
    return all(len(set(kinds.below)) == 1 for kinds in shape.kinds)
