"""Trips between the cells of a grid: the pairs of cells that have any, and what is measured of them.

A pair of boxes is eight numbers: first row, row after the last, first column, column after the last of the origin, and of the destination.
"""

from dataclasses import dataclass

import numpy as np

from starling.places.arrays import Bool, Int16, Int32, Int64
from starling.places.measurements import MeasuredTree
from starling.privacy.distributions.discrete import DiscreteLaplace


@dataclass(frozen=True, slots=True, eq=False)
class Trips:
    """Exact numbers of trips, of the pairs of cells that have any. Confidential.

    Attributes:
        shape: Cells of the public grid (rows, columns), on which trips begin and end.
        ends: int32 (pairs, 4): row and column of the origin, row and column of the destination; each pair once.
        points: int64 (pairs,): trips of each.
    """

    shape: tuple[int, int]
    ends: Int32
    points: Int64

    def margin(self, end: int) -> Int64:
        """int64 (rows, columns): the trips that begin (0) or end (1) in each cell."""
        cells = np.zeros(self.shape, dtype=np.int64)
        np.add.at(cells, (self.ends[:, 2 * end], self.ends[:, 2 * end + 1]), self.points)
        return cells


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredPairs:
    """Noisy numbers of the trips of a tree of pairs of boxes, depth by depth.

    Attributes:
        boxes: int32 (nodes, 8): the pairs of boxes; the first is the whole, children of one pair stand side by side and tile it.
        parents: int64 (nodes,): each node's parent, one depth above; -1 for the first.
        begins: int64 (depths,): the first node of each depth.
        node: int64 (measurements,): the pair of each measurement.
        value: int64 (measurements,): the noisy numbers.
        noise: int16 (measurements,): the distribution of the noise of each, in `noises`.
        steered: bool (measurements,): whether the tree below depends on the value.
    """

    boxes: Int32
    parents: Int64
    begins: Int64
    node: Int64
    value: Int64
    noise: Int16
    noises: tuple[DiscreteLaplace, ...]
    steered: Bool


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredTrips:
    """What is measured of trips: where they begin, where they end, and from where to where they lead."""

    origins: MeasuredTree
    destinations: MeasuredTree
    pairs: MeasuredPairs
