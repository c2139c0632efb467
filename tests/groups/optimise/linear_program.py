"""The problem of the optimisers on histograms as a linear program, for HiGHS: each group that a cell may take is a variable of its own."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from tests.groups.optimise.random_trees import Int64


def least_objective(
    noisy: Sequence[Int64],
    parents: Sequence[Int64],
    total: int,
    weights: Sequence[int],
    region_totals: Sequence[Int64] | None = None,
    *,
    integers: bool = False,
) -> int:
    """The least sum of weight (x - noisy)^2 over consistent x >= 0 that add up to the totals; costs are linear between integers.

    The t-th group of a cell costs weight (2 (t - noisy) - 1): more than the one before, so that an optimum takes them in order.
    """
    sizes = noisy[0].shape[1]
    starts = np.cumsum([0, *map(len, noisy)])
    cells = np.concatenate(noisy)
    weight = np.repeat(weights, np.diff(starts))
    costs = weight[:, None, None] * (2 * (np.arange(1, total + 1) - cells[:, :, None]) - 1)
    rows: list[tuple[list[tuple[int, int]], int]] = []
    if region_totals is None:
        rows.append(([(s, 1) for s in range(sizes)], total))
    else:
        wanted = np.concatenate(region_totals)
        rows += [([(u * sizes + s, 1) for s in range(sizes)], int(wanted[u])) for u in range(len(cells))]
    for level, above in enumerate(parents, start=1):
        for row in range(len(noisy[level - 1])):
            below = np.flatnonzero(np.asarray(above) == row) + starts[level]
            parent = int(starts[level - 1]) + row
            rows += [([(parent * sizes + s, -1), *((u * sizes + s, 1) for u in below)], 0) for s in range(sizes)]
    entries = [
        (number, cell * total + step, sign)
        for number, (row, _) in enumerate(rows)
        for cell, sign in row
        for step in range(total)
    ]
    number, column, sign = (np.array(each) for each in zip(*entries, strict=True))
    matrix = coo_array((sign, (number, column)), shape=(len(rows), costs.size)).tocsr()
    right = np.array([value for _, value in rows])
    result = milp(
        costs.ravel(),
        integrality=np.full(costs.size, int(integers)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, right, right),
    )
    assert result.status == 0, result.message
    return round(float(result.fun)) + int((weight[:, None] * cells**2).sum())
