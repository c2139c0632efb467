"""A typical error of each answer: how far releases of the released grid itself are off, with the noise of the boxes that it is read from.

The released grid, rounded to whole points, is taken for the truth. It is measured and estimated again, some times, with fresh noise, and
each query is asked again: the root mean square of how far these answers are off is what noise and shape do to it. Three of these, and
one standard deviation of the noise of a box where the query lies, are the typical error. In studies it holds nine of ten errors, over data,
budgets and kinds of query (bench.places_typical says where fewer); nothing is proved, so that it is no confidence interval: answers/sure.py
has those.

Privacy. Only released values are read: it is post-processing. The noise is drawn anew, so that numbers differ a little from call to call.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from starling.places.answers.released import Answers, ReleasedGrid
from starling.places.generate.worlds import whole
from starling.places.measurements import Measured, MeasuredTree
from starling.places.mechanism.table import mechanism_of
from starling.places.plan import Plan
from starling.places.plan.grid import Float64
from starling.places.postprocess import estimate
from starling.places.postprocess.least_squares import merged
from starling.places.postprocess.leaves import spread

RERUNS: Final = 10
TIMES: Final = 3.0
"""Root mean squares of a rerun in a typical error."""
MOST_CELLS: Final = 1 << 22
"""Of a grid that is measured again."""
SEED: Final = 1
"""Public: of the rounding."""


def typical_errors(plan: Plan, released: ReleasedGrid, ask: Callable[[ReleasedGrid], Answers]) -> Float64 | None:
    """The typical error of each answer, float64 (queries,).

    Args:
        plan: The public choices.
        released: The released grid of one slice, with its measurements.
        ask: Asks a grid the queries.

    Returns:
        None where the grid has more than 2^22 cells, which would take long.
    """
    grid = plan.grid
    if grid.cells > MOST_CELLS:
        return None
    method = mechanism_of(plan).method
    truth = whole(released.table.grid, SEED)
    true = ask(ReleasedGrid(grid, truth.astype(np.float64), ())).counts
    squares = np.zeros(len(true))
    for _ in range(RERUNS):
        again = ReleasedGrid(grid, estimate(plan.method, method.draw(truth)).grid(), ())
        squares += (ask(again).counts - true) ** 2
    [(measured, _)] = released.parts
    box = _mean(grid.shape, _deviations(measured), released, ask)
    found: Float64 = np.sqrt(TIMES * TIMES * squares / RERUNS + box * box)
    return found


def _deviations(measured: Measured) -> Float64:
    """float64 (rows, columns): the standard deviation of the noise of each cell's box; 0 of a transform, whose noise has no box."""
    if not isinstance(measured, MeasuredTree):
        return np.zeros(measured.shape)
    tree, own = measured.tree, merged(measured)
    leaves = tree.leaves
    # Spread evenly over its cells, a box's deviation times its cells is its deviation in each.
    return spread(tree.shape, tree.boxes[leaves], np.sqrt(own.variance[leaves]) * tree.areas[leaves])


def _mean(
    shape: tuple[int, int], cells: Float64, released: ReleasedGrid, ask: Callable[[ReleasedGrid], Answers]
) -> Float64:
    """The mean of the cells of each query; 0 where it has none."""
    sums = ask(ReleasedGrid(released.grid, cells, ())).counts
    area = ask(ReleasedGrid(released.grid, np.ones(shape), ())).counts
    return np.divide(sums, area, out=np.zeros(len(sums)), where=area > 0)
