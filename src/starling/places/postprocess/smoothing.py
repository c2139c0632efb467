"""Points of boxes spread smoothly over their cells: means over squares of shrinking size, after each of which boxes keep their counts."""

from typing import Final

import numpy as np

from starling.places.arrays import Float64, Int32
from starling.places.postprocess.leaves import Estimate
from starling.privacy.compiled import compiled

RADII: Final = (64, 64, 32, 32, 16, 16, 8, 8, 4, 4, 2, 2, 1, 1)
"""A square of radius r has 2 r + 1 cells a side. Only radii of at most one eighth of the longer side of the grid are used."""


def smoothed(estimate: Estimate) -> Estimate:
    """The same boxes with the same counts, which must not be negative, spread smoothly."""
    grid, other = estimate.grid(), np.empty(estimate.shape)
    for radius in RADII:
        if 8 * radius <= max(estimate.shape):
            box_means(grid, radius, other)
            _rescale(other, estimate.leaves, estimate.counts)
            grid, other = other, grid
    return Estimate(estimate.shape, estimate.leaves, estimate.counts, grid)


@compiled
def box_means(grid: Float64, radius: int, out: Float64) -> None:
    """Write the mean of the square of a radius around each cell, clipped at the edges of the grid, by running sums in a fixed order; none
    is below 0, as none of the grid's cells is.
    """
    rows, columns = grid.shape
    sums, along = np.zeros(columns), np.zeros(columns + 1)
    inverse, first, last = np.empty(columns), np.empty(columns, dtype=np.int64), np.empty(columns, dtype=np.int64)
    for column in range(columns):
        first[column] = max(column - radius, 0)
        last[column] = min(column + radius + 1, columns)
        inverse[column] = 1.0 / (last[column] - first[column])
    for row in range(min(radius, rows)):
        for column in range(columns):
            sums[column] += grid[row, column]
    for row in range(rows):
        if row + radius < rows:
            entering = grid[row + radius]
            for column in range(columns):
                sums[column] += entering[column]
        if row > radius:
            leaving = grid[row - radius - 1]
            for column in range(columns):
                sums[column] = max(sums[column] - leaving[column], 0.0)
        for column in range(columns):
            along[column + 1] = along[column] + sums[column]
        scale = 1.0 / (min(row + radius + 1, rows) - max(row - radius, 0))
        target = out[row]
        for column in range(columns):
            target[column] = max(along[last[column]] - along[first[column]], 0.0) * (scale * inverse[column])


@compiled
def _rescale(grid: Float64, leaves: Int32, counts: Float64) -> None:
    """Give each box its count again, in the proportions of its cells; evenly where they have nothing."""
    for leaf in range(len(leaves)):
        south, north, west, east = leaves[leaf]
        total = 0.0
        for row in range(south, north):
            for column in range(west, east):
                total += grid[row, column]
        if counts[leaf] > 0 and total > 1e-300:
            factor = counts[leaf] / total
            for row in range(south, north):
                for column in range(west, east):
                    grid[row, column] *= factor
        else:
            even = counts[leaf] / (np.int64(north - south) * np.int64(east - west))
            for row in range(south, north):
                for column in range(west, east):
                    grid[row, column] = even
