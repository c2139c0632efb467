"""What is made of measurements: one grid that answers every query alike. Public in, public out, the same bits whenever it is repeated."""

from math import prod
from typing import Final

from starling.places.arrays import Float64
from starling.places.measurements import Measured, MeasuredCoefficients
from starling.places.plan.choices import EARLIER, Purpose
from starling.places.plan.grid import MOST_DENSE
from starling.places.postprocess import wavelet
from starling.places.postprocess.blending import blended
from starling.places.postprocess.least_squares import least_squares, merged
from starling.places.postprocess.leaves import Estimate
from starling.places.postprocess.pieces import piecewise
from starling.places.postprocess.smoothing import smoothed

__all__ = ["Estimate", "Float64", "estimate"]

ADDED_UP: Final = frozenset({"adaptive_grid", "hierarchical", "kd_tree", "quadtree"})
"""Methods that measure many levels: weighted least squares, spread evenly, as they were published."""
MOST_BLENDED: Final = 1 << 11
"""Cells of a side up to which two models are weighed: the model of occupied boxes takes time and memory by the cell."""


def estimate(method: str, measured: Measured, purpose: Purpose = "all") -> Estimate:
    """The estimate that a method makes of its measurements.

    `adaptive` has models of how points lie: two on a grid of at most 2,048 cells a side, pieces alone on a larger one, spread smoothly
    unless the grid is sparse, where no table of cells is made. Where a method is not in `ADDED_UP` either, the mean of each leaf's own
    counts by inverse variance is spread evenly. `purpose` is what `adaptive` is for; before 0.3 it weighed otherwise.
    """
    if isinstance(measured, MeasuredCoefficients):
        return wavelet.cells(measured)
    if method == "adaptive":
        if max(measured.tree.shape) <= MOST_BLENDED:
            return blended(measured, earlier=purpose == EARLIER)
        pieces = piecewise(measured)
        return pieces if prod(measured.tree.shape) > MOST_DENSE else smoothed(pieces)
    tree = measured.tree
    counts = least_squares(measured) if method in ADDED_UP else merged(measured).value
    leaves = tree.leaves
    return Estimate(tree.shape, tree.boxes[leaves], counts[leaves])
