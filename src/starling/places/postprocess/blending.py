"""The estimate of a tree that grows by noisy counts: two models of how points lie, weighed by what the released counts say.

One model chooses pieces on which points lie evenly and spreads their counts smoothly; the other says which quarters of a box hold points
at all (occupancy). The first is nearer to points that lie everywhere, the second to points that lie in few places, and a mean of both
is mostly nearer than either. Both are consistent grids that are not negative, and so is any weighted mean of them. Where points lie
everywhere, counts of the second model, spread smoothly, are as good as those of the first, and their errors are others: so both get half of
what is left, unless pieces are too coarse for the points. Released counts tell: where points are as the pieces have them, the mean squared
distance of leaves' counts from them is the variance of the noise; the larger it is, the less pieces get, and the more the second model.

A box that only one model fills is mostly empty, and a mean gives it points all the same. So the mean's coarse boxes are divided anew: by
the shares of the mean and of both models, multiplied with powers that add up to 1 (a geometric mean), which are small where any of them is.
The largest boxes are divided so wherever points lie: among hundreds of empty boxes that are not cut one has much noise, pieces take it for
points, and in an empty quarter of the grid that would be all there is. Smaller ones keep the mean's shares where points lie everywhere.
"""

from collections.abc import Sequence
from itertools import pairwise, repeat
from math import fsum
from typing import Final

import numpy as np

from starling.places.arrays import Float64
from starling.places.measurements import MeasuredTree
from starling.places.postprocess.least_squares import merged
from starling.places.postprocess.leaves import Estimate, counted
from starling.places.postprocess.occupancy import COARSE, ends, occupied, precise, scattered
from starling.places.postprocess.pieces import piecewise
from starling.places.postprocess.smoothing import smoothed
from starling.privacy.compiled import compiled

PIECES: Final = (0.5, 0.1)
"""The part of pieces in what the model of occupied boxes leaves, where they fit the counts and where they do not."""
SMOOTH: Final = (0.5, 0.45)
"""The same of that model's counts, spread smoothly; where pieces do not fit, its own cells get the rest."""
MISFIT: Final = (1.1, 1.6)
"""Up to which mean squared distance, in variances of the noise, pieces fit, and from which on they do not; parts change evenly between."""
POWER: Final = 0.25
"""The power of the shares of both models together, where points do not lie everywhere; reached at a weight of as much."""
LARGEST: Final = (0.5, 0.5, 0.25)
"""The same in the largest boxes, of the first depths, wherever points lie."""
LEAST: Final = 1e-12
"""Added to a model's share, so that a box in which the mean has points keeps some."""


def blended(measured: MeasuredTree, *, earlier: bool = False) -> Estimate:
    """Non-negative points of every cell, which add up at every box; the boxes are the leaves of a tree as `occupied` takes it.

    Before 0.3, `earlier`, pieces had their half whether they fit or not, and the largest boxes were divided as the others.
    """
    weight = scattered(measured)
    model = occupied(measured)
    boxes, pieces = model.grid(), smoothed(piecewise(measured)).grid()
    cells = boxes.copy()
    if weight < 1:
        smooth = smoothed(Estimate(model.shape, model.leaves, model.counts)).grid()
        one, other = (PIECES[0], SMOOTH[0]) if earlier else parts_by_fit(measured, pieces)
        cells = weight * boxes + (1 - weight) * (one * pieces + other * smooth + (1 - one - other) * boxes)
    power = min(weight, POWER)
    if not earlier or weight > 0:
        divide_anew(cells, (pieces, boxes), power, () if earlier else LARGEST)
    return Estimate(model.shape, model.leaves, counted(cells, model.leaves), cells)


def parts_by_fit(measured: MeasuredTree, pieces: Float64) -> tuple[float, float]:
    """The parts of pieces, float64 (rows, columns), and of smooth counts, by how far pieces are from the counts of the precise leaves.

    Reads released values alone: post-processing.
    """
    own = merged(measured)
    leaves = precise(measured.tree, own)
    off = own.value[leaves] - counted(pieces, measured.tree.boxes[leaves])
    misfit = fsum((off * off / own.variance[leaves]).tolist()) / max(len(off), 1)
    return float(np.interp(misfit, MISFIT, PIECES)), float(np.interp(misfit, MISFIT, SMOOTH))


def divide_anew(mean: Float64, models: tuple[Float64, Float64], power: float, largest: Sequence[float] = ()) -> None:
    """Scale the coarse boxes of a grid so that each box above them is divided by a geometric mean of shares.

    The shares of `mean`, written, have the power 1 - `power`, those of both models half of `power` each; of the first depths `largest`
    has the powers. All grids are float64 (rows, columns), at least 0.
    """
    depth = min(COARSE, (max(mean.shape) - 1).bit_length())
    rows, columns = (ends(cells, depth)[depth] for cells in mean.shape)
    boxes = np.stack(
        [*np.meshgrid(rows[:-1], columns[:-1], indexing="ij"), *np.meshgrid(rows[1:], columns[1:], indexing="ij")]
    )
    coarse = boxes[[0, 2, 1, 3]].reshape(4, -1).T.astype(np.int32, order="C")
    side = 1 << depth
    levels = [np.stack([counted(grid, coarse).reshape(side, side) for grid in (mean, *models)])]
    for _ in range(depth):
        last = levels[-1]
        levels.append(last[:, ::2, ::2] + last[:, 1::2, ::2] + last[:, ::2, 1::2] + last[:, 1::2, 1::2])
    levels.reverse()
    points = levels[0][0]
    powers = [*largest, *repeat(power, depth)]
    for (above, below), each in zip(pairwise(levels), powers, strict=False):
        points = _divided(points, above, below, each)
    for (south, north, west, east), new, old in zip(coarse, points.flat, levels[-1][0].flat, strict=True):
        if old > 0:
            mean[south:north, west:east] *= new / old


@compiled
def _divided(points: Float64, above: Float64, below: Float64, power: float) -> Float64:
    """float64 (2 n, 2 n): the points of each quarter, which add up to those of the box, float64 (n, n).

    `above`, float64 (3, n, n), and `below`, float64 (3, 2 n, 2 n), are those of boxes and quarters by the mean and by both models, whose
    shares together have a power.
    """
    side = len(points)
    out, shares = np.zeros((2 * side, 2 * side)), np.empty(4)
    for row in range(side):
        for column in range(side):
            total = 0.0
            for k in range(4):
                here = 2 * row + k // 2, 2 * column + k % 2
                shares[k] = below[0][here] ** (1 - power)
                for model in range(1, 3):
                    # A model that has no points in the box says nothing of its quarters.
                    if above[model, row, column] > 0:
                        shares[k] *= (below[model][here] / above[model, row, column] + LEAST) ** (power / 2)
                total += shares[k]
            if total > 0:
                for k in range(4):
                    out[2 * row + k // 2, 2 * column + k % 2] = shares[k] / total * points[row, column]
    return out
