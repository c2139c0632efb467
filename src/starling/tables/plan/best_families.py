"""How a budget is divided among what is measured of cross tables: among parts under rho, among whole tables under pure epsilon.

Under pure epsilon whole tables are measured, with discrete Laplace noise, and a table of share e has a variance near 2/e^2. Each of them,
B, estimates P_A x_A of each of its parts A (residuals.py), and several estimates are weighted by precision: 1/s_A is the sum of
e_B^2/(2 prod n_j) over the columns j of B without A. The weighted sum of variances is sum v_A s_A. Where it is least, the share of a
measured table is proportional to its own part of that sum: shares are multiplied by the root of what they lack, again and again. Precisions
grow with the squares of shares, so that few tables share best, and there are several minima: the search begins at the largest tables alone,
without which nothing is known of them, and at all published tables, and keeps the better. Levels of regions share in proportions that are
searched on a grid. Nothing is claimed to be the least; all follows from the plan.

Arithmetic as in residuals.py.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import fsum
from typing import Final, TypeAlias

import numpy as np

from starling.tables.plan.residuals import (
    UNITS,
    Floats,
    Shape,
    Shares,
    adding_up,
    best_shares,
    cell_variances,
    spreads_of,
)

Weights: TypeAlias = tuple[tuple[float, ...], ...]
"""Of each table in each level, (levels, tables), above 0."""
ROUNDS: Final = 60
"""Of multiplying shares."""
LEAST: Final = 1e-4
"""A share below this part of the budget is none."""
STEPS: Final = (0.5, 0.8, 1.25, 2.0)
"""By which the proportion of a level is multiplied."""
PASSES: Final = 6
LEAST_LEVEL: Final = 1 / 64
"""The least proportion of a level: each is measured."""


def divided(shape: Shape, weights: Sequence[Sequence[float]], budget: Fraction) -> Shares:
    """The shares of a budget above 0 by the weights of the tables, (levels, parts); they add up to it exactly."""
    if not shape.laplace:
        return best_shares(shape, weights, budget)
    units = _units(shape, tuple(map(tuple, weights)))
    return tuple(tuple(budget * Fraction(each, UNITS) for each in level) for level in units)


@lru_cache(maxsize=64)
def _units(shape: Shape, weights: Weights) -> tuple[tuple[int, ...], ...]:
    """The shares as whole numbers that add up to UNITS."""
    tables, parts, factors = shape.members
    of_tables = np.array(weights).sum(axis=0)[tables] * factors
    worth = np.bincount(parts, weights=of_tables, minlength=len(shape.parts)) * shape.pure
    # What each part gets as a table that is measured, (parts,); 0 of what is not; all add up to 1.
    _, each = min((_searched(shape, worth, start) for start in _starts(shape)), key=lambda reached: reached[0])
    levels = _of_levels(shape, weights, each)
    return adding_up([[max(int(part * level * UNITS), 1) if part else 0 for part in each.tolist()] for level in levels])


def _starts(shape: Shape) -> Iterator[Floats]:
    published = {*shape.tables}
    largest = {table for table in published if not any(set(table) < set(other) for other in published)}
    for chosen in (largest, published) if len(largest) < len(published) else (largest,):
        start = np.array([1.0 if part in chosen else 0.0 for part in shape.parts])
        yield start / float(start.sum())


def _searched(shape: Shape, worth: Floats, shares: Floats) -> tuple[float, Floats]:
    """The weighted sum of variances at budget 1, and the shares that the search ends at."""
    owners, inside, cells = shape.within
    for _ in range(ROUNDS):
        precise = shares[owners] * shares[owners] / (2 * cells)
        spread = 1.0 / np.bincount(inside, weights=precise, minlength=len(shape.parts))
        own = (worth * spread * spread)[inside] * precise
        reasons = np.bincount(owners, weights=own, minlength=len(shape.parts))
        shares = np.sqrt(shares * (reasons / float(reasons.sum())))
        shares = np.where(shares < LEAST, 0.0, shares)
        shares = shares / float(shares.sum())
    precise = shares[owners] * shares[owners] / (2 * cells)
    spread = 1.0 / np.bincount(inside, weights=precise, minlength=len(shape.parts))
    return fsum((worth * spread).tolist()), shares


def _of_levels(shape: Shape, weights: Weights, each: Floats) -> list[float]:
    """The proportion of each level of regions; all add up to 1."""
    owners, inside, cells = shape.within
    precise = np.bincount(inside, weights=each[owners] * each[owners] / (2 * cells), minlength=len(shape.parts))

    def reached(levels: list[float]) -> float:
        spreads = spreads_of(shape, [np.array(1.0 / (level * level * precise)) for level in levels])
        worst = [cell_variances(shape, spread).max(axis=0) for spread in spreads]
        return fsum(
            float(w) * float(v) for both in zip(weights, worst, strict=True) for w, v in zip(*both, strict=True)
        )

    best = [1.0 / len(weights)] * len(weights)
    least = reached(best)
    for _ in range(PASSES if len(weights) > 1 else 0):
        for at in range(len(best)):
            for step in STEPS:
                other = [max(part * step if place == at else part, LEAST_LEVEL) for place, part in enumerate(best)]
                other = [part / fsum(other) for part in other]
                if (now := reached(other)) < least:
                    best, least = other, now
    return best
