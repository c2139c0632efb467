"""What is made of measurements: one grid that answers every query alike. Public in, public out, the same bits whenever it is repeated."""

from typing import Final

from starling.places.measurements import Measured, MeasuredCoefficients
from starling.places.plan.grid import MOST_DENSE
from starling.places.postprocess import wavelet
from starling.places.postprocess.blending import blended
from starling.places.postprocess.least_squares import least_squares, merged
from starling.places.postprocess.leaves import Estimate, Float64
from starling.places.postprocess.pieces import piecewise

__all__ = ["Estimate", "Float64", "estimate"]

ADDED_UP: Final = frozenset({"adaptive_grid", "hierarchical", "kd_tree", "quadtree"})
"""Methods that measure many levels: weighted least squares, spread evenly, as they were published."""


def estimate(method: str, measured: Measured) -> Estimate:
    """The estimate that a method makes of its measurements.

    `adaptive` has models of how points lie; on a sparse grid it keeps the pieces, as no table of cells is made. Where a method is not in
    `ADDED_UP` either, the mean of each leaf's own counts by inverse variance is spread evenly.

    Args:
        method: The name of the method in a plan.
        measured: What it measured.
    """
    if isinstance(measured, MeasuredCoefficients):
        return wavelet.cells(measured)
    if method == "adaptive":
        rows, columns = measured.tree.shape
        return piecewise(measured) if rows * columns > MOST_DENSE else blended(measured)
    tree = measured.tree
    counts = least_squares(measured) if method in ADDED_UP else merged(measured).value
    leaves = tree.leaves
    return Estimate(tree.shape, tree.boxes[leaves], counts[leaves])
