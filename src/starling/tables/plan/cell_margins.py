"""How many standard deviations hold what a cell of cross tables, or a sum of cells, errs: by how much of it one draw can be.

Under rho many draws add up, or few that are nearly normal by themselves. Under pure epsilon a cell may be one draw of a long tail, or a sum
of many. What a measured table B says of a part A reaches an estimate times the share t of B in the precision of A, the coefficient of
P_A x_A in it, and a weight of the tree of regions, which is at most 1. So no draw of B counts more than the sum over A of t times the
largest coefficient; its square times the variance of the draw, over the variance of the estimate, is the most that one draw is of it.
"""

from fractions import Fraction

import numpy as np

from starling.privacy.distributions.deviations import laplace_deviations, normal_deviations
from starling.tables.plan.residuals import Floats, Shape, Shares, Table, laplace_variances, precisions, subsets

_ROUNDED = 1 + 1e-9
"""A part of 1/n is one of n draws, whatever doubles make of it."""


def deviations_by_draw(shape: Shape, alpha: Fraction, deviation: float, largest: float) -> float:
    """Deviations that hold all but `alpha`, where no draw has a variance above `largest` in a number of this deviation."""
    if not shape.laplace:
        return normal_deviations(alpha)
    few = largest <= 0 or deviation <= 0
    return laplace_deviations(alpha, 1 if few else max(int(deviation * deviation / largest * _ROUNDED), 1))


def largest_draw_of_cell(shape: Shape, shares: Shares, table: Table) -> float:
    """Under pure epsilon, the most variance that one draw has in a cell of a table, in any region; 0 under rho, where nobody asks."""
    if not shape.laplace:
        return 0.0
    place = {part: at for at, part in enumerate(shape.parts)}
    coefficients = np.zeros(len(shape.parts))
    for part in subsets(table):
        coefficients[place[part]] = shape.pure[place[part]] / float(shape.cells(table) // shape.cells(part))
    return shape.laplace**2 * max(largest_draw(shape, level, coefficients) for level in shares)


def largest_draw(shape: Shape, level: tuple[Fraction, ...], coefficients: Floats) -> float:
    """The most variance that one draw of a level has in an estimate with these coefficients of parts at most, (parts,); of one record."""
    most = most_of_draws(shape, level, coefficients)
    variances = np.array(laplace_variances(shape, level))
    return float((most * most * np.where(np.isfinite(variances), variances, 0.0)).max())


def most_of_draws(shape: Shape, level: tuple[Fraction, ...], coefficients: Floats) -> Floats:
    """What a draw of each measured table counts in it at most, (parts,)."""
    owners, inside, _ = shape.within
    precise = precisions(shape, level)
    whole = np.bincount(inside, weights=precise, minlength=len(shape.parts))
    return np.bincount(
        owners, weights=precise / whole[inside] * coefficients[inside], minlength=len(shape.parts)
    ).astype(np.float64)
