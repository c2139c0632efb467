"""Cells from Haar coefficients: the inverse of what `mechanism.privlet` measures."""

import numpy as np

from starling.places.arrays import Float64
from starling.places.measurements import MeasuredCoefficients
from starling.places.postprocess.leaves import Estimate


def cells(measured: MeasuredCoefficients) -> Estimate:
    """The inverse transform, without the cells that filled the grid up to powers of two; counts may be negative.

    The whole grid is the one box, over which the points are not spread evenly.
    """
    rows, columns = measured.shape
    grid = np.ascontiguousarray(inverse_haar(inverse_haar(measured.value.astype(np.float64)).T).T[:rows, :columns])
    whole = np.array([[0, rows, 0, columns]], dtype=np.int32)
    return Estimate(measured.shape, whole, np.array([grid.sum()]), grid)


def inverse_haar(coefficients: Float64) -> Float64:
    """Cells from totals and differences along the first axis, float64 (n, ...), as `mechanism.privlet.haar` gives them.

    >>> inverse_haar(np.array([15.0, -9, -1, -4])).tolist()
    [1.0, 2.0, 4.0, 8.0]
    """
    sums = coefficients[:1]
    while len(sums) < len(coefficients):
        differences = coefficients[len(sums) : 2 * len(sums)]
        both = np.stack([sums + differences, sums - differences], axis=1) / 2
        sums = both.reshape(-1, *coefficients.shape[1:])
    return sums
