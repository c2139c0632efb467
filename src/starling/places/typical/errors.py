"""A typical error of each answer: how far releases of the released grid itself are off, with the noise of the boxes that it is read from.

Each query is asked of the reruns (reruns.py): the root mean square of how far these answers are off is what noise and estimation do to it.
A rerun cannot know of points that the noise hides, where the released grid has none: so the variance of the noise of a box where the query
lies is added, and three roots of the sum are the typical error. In studies it holds nine of ten errors and more, over data, budgets
and kinds of query (bench.places_typical says where fewer); nothing is proved, so that it is no confidence interval: answers/sure.py has
those.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.measurements import Measured, MeasuredTree
from starling.places.plan import Plan
from starling.places.plan.grid import Float64
from starling.places.postprocess.least_squares import merged
from starling.places.postprocess.leaves import spread
from starling.places.typical.reruns import MOST_CELLS, reruns, truth_of

TIMES: Final = 3.0
"""Root mean squares in a typical error."""


def typical_errors(plan: Plan, released: ReleasedGrid, ask: Callable[[ReleasedGrid], Answers]) -> Float64 | None:
    """The typical error of each answer, float64 (queries,), the same whenever it is asked; `ask` asks a grid the queries.

    Returns None where the grid has more than 2^22 cells, which would take long.
    """
    if plan.grid.cells > MOST_CELLS:
        return None
    errors: Float64 = TIMES * np.sqrt(
        (rerun_errors(plan, released, ask) ** 2).mean(axis=0) + deviations(released, ask) ** 2
    )
    return errors


def rerun_errors(plan: Plan, released: ReleasedGrid, ask: Callable[[ReleasedGrid], Answers]) -> Float64:
    """How far each rerun's answers are off, float64 (`RERUNS`, queries)."""
    [(measured, _)] = released.parts
    truth = truth_of(released.table.grid)
    true = ask(ReleasedGrid(plan.grid, truth.astype(np.float64), ())).counts
    return np.stack(
        [ask(ReleasedGrid(plan.grid, grid, ())).counts - true for grid in reruns(plan.method, measured, truth)]
    )


def deviations(released: ReleasedGrid, ask: Callable[[ReleasedGrid], Answers]) -> Float64:
    """The standard deviation of the noise of a box where each query lies, the mean over its cells; 0 of a query without cells."""
    [(measured, _)] = released.parts
    shape = measured.tree.shape if isinstance(measured, MeasuredTree) else measured.shape
    sums = ask(ReleasedGrid(released.grid, of_cells(measured), ())).counts
    area = ask(ReleasedGrid(released.grid, np.ones(shape), ())).counts
    return np.divide(sums, area, out=np.zeros(len(sums)), where=area > 0)


def of_cells(measured: Measured) -> Float64:
    """float64 (rows, columns): the standard deviation of the noise of each cell's box; 0 of a transform, whose noise has no box."""
    if not isinstance(measured, MeasuredTree):
        return np.zeros(measured.shape)
    tree, own = measured.tree, merged(measured)
    leaves = tree.leaves
    # Spread evenly over its cells, a box's deviation times its cells is its deviation in each.
    return spread(tree.shape, tree.boxes[leaves], np.sqrt(own.variance[leaves]) * tree.areas[leaves])
