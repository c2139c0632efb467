"""How far any weighted sum of cells of cross tables errs: its exact variance.

A sum with weights c of the cells of a table B errs by the sum over its parts A of P_A (c summed over the columns of B without A) prod
1/n_j, times what the estimate of P_A x_A errs. Parts are independent, and so are the numbers of a part but for the columns' means, which
P_A takes from the weights. Over regions each number of a part is a tree of its own; leaves first (nested_totals.py has the proof): with
coefficient C_u of each child u of v, g = sum C_u w_u/t_v, the variance grows by sum w_u (C_u - g)^2, and the coefficient of v by g. The
weights of several tables add up part by part, so that differences of tables that hold by construction have no variance.
"""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np

from starling.hierarchy.trees import Floats, child_sums, coefficients_of_sum, variance_of_sum
from starling.tables.inference.cross_estimates import pure
from starling.tables.plan.cell_margins import most_of_draws
from starling.tables.plan.residuals import Shape, Shares, Table, measured_variances

Weights: TypeAlias = Mapping[tuple[int, Table], Floats]
"""Of a level and a table, the weight of each cell in each region: float64 (regions, values of each column ...)."""
_NOTHING = 1e-24
"""A variance that is less, beside the largest it could be, is 0 but for the rounding of doubles."""


def query_variance(shape: Shape, shares: Shares, records: int, weights: Weights) -> float:
    """The variance of a weighted sum of estimates, where so many records of one person are counted."""
    whole, most = 0.0, 0.0
    measured = measured_variances(shape, shares)
    for place, levels in _coefficients(shape, weights):
        variance, largest = _tree_variance(shape, [float(level[place]) for level in measured], levels)
        whole, most = whole + variance, most + largest
    return records**2 * whole if whole > _NOTHING * most else 0.0


def largest_coefficients(shape: Shape, weights: Weights) -> Floats:
    """The largest coefficient of each part in a weighted sum of cells of one level of regions, (parts,)."""
    largest = np.zeros(len(shape.parts))
    for place, levels in _coefficients(shape, weights):
        largest[place] = max(float(np.abs(each).max()) for each in levels)
    return largest


def largest_weight(shape: Shape, shares: Shares, weights: Weights) -> float:
    """The most that one draw counts in a weighted sum of estimates of any levels; under pure epsilon, no less than that."""
    reached = np.zeros((len(shape.regions), len(shape.parts)))
    measured = measured_variances(shape, shares)
    parents = [np.array(each, dtype=np.int64) for each in shape.parents]
    for place, levels in _coefficients(shape, weights):
        spreads = [np.full(each.shape, own[place]) for each, own in zip(levels, measured, strict=True)]
        counted = coefficients_of_sum(spreads, parents, levels)
        reached[:, place] = [np.abs(each).max() for each in counted]
    if shape.laplace:
        return max(float(most_of_draws(shape, level, own).max()) for level, own in zip(shares, reached, strict=True))
    return float((reached / np.array([float(shape.cells(part)) for part in shape.parts])).max())


def _coefficients(shape: Shape, weights: Weights) -> Iterator[tuple[int, list[Floats]]]:
    """The place of each part that counts in a weighted sum of cells, and its coefficients there: of each level, (regions, cells)."""
    # A region without weights adds nothing to any part.
    weighed = {key: np.flatnonzero(each.reshape(len(each), -1).any(axis=1)) for key, each in weights.items()}
    for place, part in enumerate(shape.parts):
        cells, among = shape.cells(part), [(level, table) for level, table in weights if set(part) <= set(table)]
        levels = [np.zeros((regions if among else 0, cells)) for regions in shape.regions]
        for level, table in among:
            regions, rest = (
                weighed[level, table],
                tuple(1 + at for at, column in enumerate(table) if column not in part),
            )
            summed = pure(weights[level, table][regions].sum(axis=rest)) / float(shape.cells(table) // cells)
            levels[level][regions] += summed.reshape(-1, cells)
        if any(each.any() for each in levels):
            yield place, levels


def _tree_variance(shape: Shape, spreads: list[float], coefficients: list[Floats]) -> tuple[float, float]:
    """The variance of the sum over all numbers of a part, and the largest that it could have been."""
    parents = [np.array(each, dtype=np.int64) for each in shape.parents]
    best = [np.full((shape.regions[-1], 1), spreads[-1])]
    below: list[Floats] = []
    for level in reversed(range(len(parents))):
        below.insert(0, child_sums(best[0], parents[level], shape.regions[level]))
        best.insert(0, spreads[level] * below[0] / (spreads[level] + below[0]))
    return variance_of_sum(best, below, parents, coefficients)
