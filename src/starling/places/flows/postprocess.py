"""From noisy numbers of all pairs of levels to one table of trips from area to area, whose sums are all others.

Least squares. What a pair of levels (l, m) is measured with has a variance in proportion to (1/s_l^2)(1/s_m^2), or 1/(s_l s_m) under rho:
a product of a number of the origin's level and one of the destination's. So the weighted least squares of all pairs are those of one tree,
over origins, followed by those of the same tree over destinations: the pseudo-inverse of a Kronecker product is the product of the
pseudo-inverses (cross-tables, 3). The estimate is linear in the noise, so unbiased, whatever the discreteness of the noise adds to these
variances; `answers/deviation.py` takes them as they are.

The table is published in multiples of 2^-20 of a trip, so that sums of doubles are exact, whichever way they are added.
"""

import numpy as np

from starling.hierarchy.trees import Estimated, least_squares
from starling.places.arrays import Float64
from starling.places.flows.measurements import UNIT, Drawn
from starling.places.flows.plan.levels import Levels
from starling.privacy.budget import Cost


def estimate(levels: Levels, cost: Cost, drawn: Drawn) -> Float64:
    """The trips from area to area, float64 (areas, areas): unbiased, may be negative."""
    many, factors = len(levels.measured), levels.relative_variances(cost)
    tables = [each.astype(np.float64) for each in drawn]
    # First along origins, for each level of destinations; then along destinations.
    by_destination = [_finest(levels, factors, tables[at::many]) for at in range(many)]
    whole = _finest(levels, factors, [np.ascontiguousarray(each.T) for each in by_destination]).T
    return np.ascontiguousarray(np.ldexp(np.floor(np.ldexp(whole, UNIT) + 0.5), -UNIT))


def _finest(levels: Levels, factors: tuple[float, ...], tables: list[Float64]) -> Float64:
    """The numbers of the areas, (areas, columns), of the numbers of each measured level, (nodes, columns): each column is a tree."""
    if len(tables) == 1:
        return tables[0]
    measured = [Estimated(each, np.full(each.shape, of)) for each, of in zip(tables, factors, strict=True)]
    return least_squares(measured, list(levels.tree))[-1].count
