"""Exact counts of a grid that is too large to be held cell by cell: its cells with points alone, in the order of a curve. Confidential.

Adaptive quadtrees cut rows and columns at their middles, rounded down, until a side is one cell. The halves that a row of the grid lies in
say its place: 0 for the lower half, 1 for the upper, from the whole grid down, and 0 where nothing is left to cut. The bits of row and
column in turn make the place of a cell (Morton 1966, "A computer oriented geodetic data base"). So the cells of each box of the tree stand
side by side, whatever the number of rows and columns, the first being the south-western one and the last the north-eastern one. The points
of a box are the difference of two sums, found by binary search: exact, and in memory of the cells with points.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from starling.places.arrays import Int32, Int64
from starling.privacy.compiled import compiled


@dataclass(frozen=True, slots=True, eq=False)
class OccupiedCells:
    """The cells of a grid that hold points.

    Attributes:
        shape: Cells of the grid (rows, columns), at most 2^31 a side.
        rows: int64 (rows,): the bits of the place of each row, `levels` of them, two apart.
        columns: int64 (columns,): the bits of the place of each column.
        places: int64 (occupied,): places of the cells along the curve, ascending.
        sums: int64 (occupied + 1,): the points of all cells before.
    """

    shape: tuple[int, int]
    rows: Int64
    columns: Int64
    places: Int64
    sums: Int64

    def box_counts(self, boxes: Int32) -> Int64:
        """int64 (boxes,): the points of boxes, int32 (boxes, 4), of a tree that is cut at middles."""
        south, north, west, east = boxes.T
        first = np.searchsorted(self.places, self.rows[south] | self.columns[west])
        last = np.searchsorted(self.places, self.rows[north - 1] | self.columns[east - 1], side="right")
        return np.asarray(self.sums[last] - self.sums[first])


Exact: TypeAlias = Int64 | OccupiedCells
"""The number of points of each cell of one slice: int64 (rows, columns), or of a sparse grid the occupied cells."""
Counted: TypeAlias = Int64 | tuple[OccupiedCells, ...]
"""The number of points of all slices: int64 (slices, rows, columns), or of a sparse grid the occupied cells of each slice."""


def occupied(shape: tuple[int, int], cells: Int64, points: Int64) -> OccupiedCells:
    """Cells with points in the order of the curve: row times columns, plus column, int64 (occupied,), each once, with the points of
    each.
    """
    levels = (max(shape) - 1).bit_length()
    rows, columns = _bits(shape[0], levels) << 1, _bits(shape[1], levels)
    places = rows[cells // shape[1]] | columns[cells % shape[1]]
    order = np.argsort(places)
    sums = np.zeros(len(cells) + 1, dtype=np.int64)
    np.cumsum(points[order], out=sums[1:])
    return OccupiedCells(shape, rows, columns, places[order], sums)


@compiled
def _bits(side: int, levels: int) -> Int64:
    """int64 (side,): the halves that each row or column lies in, the whole side's first, as bits two apart."""
    out = np.zeros(side, dtype=np.int64)
    for at in range(side):
        low, high = 0, side
        for _ in range(levels):
            out[at] <<= 2
            middle = (low + high) // 2
            if high - low > 1:
                if at >= middle:
                    out[at] |= 1
                    low = middle
                else:
                    high = middle
    return out
