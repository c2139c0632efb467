"""The joint problem on cumulative counts as an integer program for HiGHS: the slow twin of tiny cases."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_matrix

from tests.groups.optimise.random_trees import Int64

Condition = tuple[list[tuple[slice, float]], float, float]
"""Cells with factors, and the least and the largest sum."""


def least_cumulative_objective(
    noisy: Sequence[Int64],
    parents: Sequence[Int64],
    total: int,
    weights: Int64,
    totals: Sequence[Int64] | None = None,
    *,
    integers: bool = True,
) -> float:
    """The least sum of weight (c - noisy)^2 over all consistent histograms; without `integers`, with costs linear between integers.

    c of each cell is a sum of `total` variables from 0 to 1, each with the cost of one further group, which only grows.

    Args:
        weights: Integers (levels, sizes).
        totals: The public totals of all regions, whose last size is not measured.
    """
    sizes = noisy[0].shape[1]
    starts = np.cumsum([0, 1, *map(len, parents)])
    regions = int(starts[-1])
    steps = max(total, 1)

    def cell(region: int, size: int) -> slice:
        first = (region * sizes + size) * steps
        return slice(first, first + steps)

    costs = np.zeros(regions * sizes * steps)
    constant = 0
    conditions: list[Condition] = []
    for level, values in enumerate(noisy):
        for (row, size), value in np.ndenumerate(values):
            region = int(starts[level]) + row
            if size:
                conditions.append(([(cell(region, size), 1.0), (cell(region, size - 1), -1.0)], 0, np.inf))
            if size < sizes - 1 or (totals is None and region > 0):
                weight = int(weights[level, size])
                constant += weight * int(value) ** 2
                costs[cell(region, size)] = [weight * (2 * (t - int(value)) + 1) for t in range(steps)]
            else:
                top = float(total if totals is None else totals[level][row])
                conditions.append(([(cell(region, size), 1.0)], top, top))
    for level, rows in enumerate(parents):
        for row, size in product(range(int(starts[level + 1] - starts[level])), range(sizes)):
            terms = [(cell(int(starts[level + 1] + child), size), 1.0) for child in np.flatnonzero(rows == row)]
            conditions.append(([(cell(int(starts[level]) + row, size), -1.0), *terms], 0, 0))
    ones = np.ones(len(costs)) if total else np.zeros(len(costs))
    result = milp(
        costs,
        integrality=np.full(len(costs), int(integers)),
        bounds=Bounds(0, ones),
        constraints=_constraints(conditions, len(costs)),
    )
    assert result.success
    return float(constant + result.fun)


def _constraints(conditions: list[Condition], variables: int) -> LinearConstraint:
    """The conditions as a sparse matrix."""
    matrix = lil_matrix((len(conditions), variables))
    for number, (terms, _, _) in enumerate(conditions):
        for where, factor in terms:
            matrix[number, where] = factor
    return LinearConstraint(matrix.tocsr(), [low for _, low, _ in conditions], [high for _, _, high in conditions])
