"""What is measured: noisy numbers of trips, for every pair of levels of areas. Nothing here draws.

Measurements are public, and shipped with a release as they were drawn, before any post-processing.
"""

from typing import Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from starling.places.arrays import Int64
from starling.places.flows.plan.levels import Levels

Drawn: TypeAlias = tuple[Int64, ...]
"""Of each pair of levels, int64 (slices, nodes of the origin, nodes of the destination)."""
NumberT = TypeVar("NumberT", np.int64, np.float64)
UNIT: Final = 20
"""Released trips are in multiples of 2 to the minus this."""


def summed(levels: Levels, cells: npt.NDArray[NumberT], pair: tuple[int, int]) -> npt.NDArray[NumberT]:
    """Numbers of area and area, (..., areas, areas), added up to those of a pair of levels, in the order of the areas."""
    for axis, level in zip((-2, -1), pair, strict=True):
        moved: npt.NDArray[NumberT] = np.moveaxis(cells, axis, 0)
        sums = np.zeros((levels.sizes[level], *moved.shape[1:]), dtype=cells.dtype)
        np.add.at(sums, levels.nodes_of_areas[level], moved)
        cells = np.moveaxis(sums, 0, axis)
    return np.ascontiguousarray(cells)
