"""An estimate of the points of every cell: boxes with counts, spread evenly or unevenly over their cells."""

from dataclasses import dataclass

import numpy as np

from starling.places.arrays import Float64, Int32
from starling.privacy.compiled import compiled


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Estimated points of a grid.

    Attributes:
        shape: Cells of the grid (rows, columns).
        leaves: int32 (leaves, 4): boxes that tile the grid: first row, row after the last, first column, column after the last.
        counts: float64 (leaves,): points of each.
        cells: float64 (rows, columns): points of each cell, where they are not spread evenly over the leaves; None where they are.
    """

    shape: tuple[int, int]
    leaves: Int32
    counts: Float64
    cells: Float64 | None = None

    def grid(self) -> Float64:
        """float64 (rows, columns): points of each cell."""
        return spread(self.shape, self.leaves, self.counts) if self.cells is None else self.cells


@compiled
def spread(shape: tuple[int, int], leaves: Int32, counts: Float64) -> Float64:
    """float64 (rows, columns): the counts, (leaves,), of boxes that tile the grid, int32 (leaves, 4), each divided evenly over its
    cells.
    """
    grid = np.empty(shape)
    for leaf in range(len(leaves)):
        south, north, west, east = leaves[leaf]
        grid[south:north, west:east] = counts[leaf] / (np.int64(north - south) * np.int64(east - west))
    return grid


@compiled
def counted(grid: Float64, leaves: Int32) -> Float64:
    """float64 (leaves,): the points of boxes, int32 (leaves, 4), of a grid, cell by cell in a fixed order."""
    counts = np.empty(len(leaves))
    for leaf in range(len(leaves)):
        south, north, west, east = leaves[leaf]
        total = 0.0
        for row in range(south, north):
            for column in range(west, east):
                total += grid[row, column]
        counts[leaf] = total
    return counts
