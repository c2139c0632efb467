"""The estimate of a tree that grows by noisy counts: two models of how points lie, weighed by what the released counts say.

One model chooses pieces on which points lie evenly and spreads their counts smoothly; the other says which quarters of a box hold points
at all (occupancy). The first is nearer to points that lie everywhere, the second to points that lie in few places, and a mean of both
is mostly nearer than either. Both are consistent grids that are not negative, and so is any weighted mean of them. Where points lie
everywhere, counts of the second model, spread smoothly, are as good as those of the first, and their errors are others: so both get half of
what is left.
"""

import numpy as np

from starling.places.measurements import MeasuredTree
from starling.places.postprocess.leaves import Estimate, counted
from starling.places.postprocess.occupancy import occupied, scattered
from starling.places.postprocess.pieces import piecewise
from starling.places.postprocess.smoothing import smoothed


def blended(measured: MeasuredTree) -> Estimate:
    """Non-negative points of every cell, which add up at every box; the boxes are the leaves of the tree.

    Args:
        measured: A tree of boxes cut at their middles into quarters, or into halves where a side is one cell; every leaf is measured.
    """
    weight = scattered(measured)
    model = occupied(measured)
    if weight == 1:
        return model
    pieces = smoothed(piecewise(measured)).grid()
    smooth = smoothed(Estimate(model.shape, model.leaves, model.counts)).grid()
    cells = weight * model.grid() + (1 - weight) / 2 * (pieces + smooth)
    return Estimate(model.shape, model.leaves, counted(cells, model.leaves), np.ascontiguousarray(cells))
