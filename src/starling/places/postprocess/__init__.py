"""What is made of measurements: one grid that answers every query alike. Public in, public out, the same bits whenever it is repeated."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.places.measurements import Int32, Measured, MeasuredTree
from starling.privacy.compiled import compiled
from starling.privacy.distributions.accuracy import standard_deviation

Float64: TypeAlias = npt.NDArray[np.float64]


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
        if self.cells is not None:
            return self.cells
        found = np.empty(self.shape)
        _spread(self.leaves, self.counts, found)
        return found


@compiled
def _spread(leaves: Int32, counts: Float64, grid: Float64) -> None:
    for leaf in range(len(leaves)):
        south, north, west, east = leaves[leaf]
        grid[south:north, west:east] = counts[leaf] / ((north - south) * (east - west))


def estimate(method: str, measured: Measured) -> Estimate:  # noqa: ARG001 - all methods so far are plain
    """The estimate that a method makes of its measurements: the mean of each leaf's counts by inverse variance, spread evenly."""
    assert isinstance(measured, MeasuredTree)
    tree = measured.tree
    sums, weights = np.zeros(len(tree.parents)), np.zeros(len(tree.parents))
    weight = np.array([standard_deviation(noise) ** -2 for noise in measured.noises])[measured.noise]
    np.add.at(sums, measured.node, weight * measured.value)
    np.add.at(weights, measured.node, weight)
    leaves = tree.leaves
    return Estimate(
        tree.shape, tree.boxes[leaves], sums[leaves] / np.maximum(weights[leaves], np.finfo(np.float64).tiny)
    )
