"""How many points released boxes have in rectangles, where there are too many cells for a table of them. Points are spread evenly in a box.

The boxes are sorted along a curve, packed sixteen by sixteen into larger boxes that hold them, these again, and so on (Kamel and Faloutsos
1993, "On packing R-trees"). A rectangle takes the points of each packed box that it holds whole, and looks into those that it cuts.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.places.answers.cover import morton
from starling.places.answers.rectangles import Counts, checked_rectangles
from starling.places.arrays import Float64, Int32, Int64
from starling.privacy.compiled import compiled

PACK: Final = 16
"""Boxes in a packed box."""
DEEPEST: Final = 512
"""Boxes that wait to be looked into: at most 16 on each of at most 16 levels."""


@dataclass(frozen=True, slots=True, eq=False)
class Boxed:
    """Boxes with counts: of a release, or of a sum or difference of some, where boxes overlap.

    Attributes:
        boxes: int32 (boxes, 4): first row, row after the last, first column, column after the last.
        counts: float64 (boxes,): points of each.
    """

    shape: tuple[int, int]
    boxes: Int32
    counts: Float64


class LeafTable:
    """Released boxes, at least one, ready to be asked. Raises ParameterError where a count is no finite number."""

    def __init__(self, boxed: Boxed) -> None:
        if not len(boxed.boxes) or not np.isfinite(boxed.counts).all():
            raise ParameterError(
                "boxes", "are none, or have a count that is no finite number", "give those of a release"
            )
        self.boxed = boxed
        order = np.argsort(morton(boxed.boxes), kind="stable")
        boxes, sums = [np.ascontiguousarray(boxed.boxes[order])], [boxed.counts[order]]
        while len(boxes[-1]) > 1:
            starts = np.arange(0, len(boxes[-1]), PACK)
            low, high = (ends.reduceat(boxes[-1], starts, axis=0) for ends in (np.minimum, np.maximum))
            boxes.append(np.stack([low[:, 0], high[:, 1], low[:, 2], high[:, 3]], axis=1))
            sums.append(np.add.reduceat(sums[-1], starts))
        self._boxes, self._sums = np.concatenate(boxes), np.concatenate(sums)
        self._firsts = np.cumsum([0, *map(len, boxes)])

    @property
    def shape(self) -> tuple[int, int]:
        """Cells of the grid (rows, columns)."""
        return self.boxed.shape

    def plus(self, other: "LeafTable", sign: int) -> "LeafTable":
        """The sum with another table of the same grid, or with `sign` -1 the difference."""
        one, two = self.boxed, other.boxed
        both = Boxed(one.shape, np.concatenate([one.boxes, two.boxes]), np.concatenate([one.counts, sign * two.counts]))
        return LeafTable(both)

    def count(self, rectangles: Float64) -> Counts:
        """Points in each rectangle, float64 (m, 4) in cell units; one without area has none. Raises ParameterError as `checked_rectangles`
        does.
        """
        queries = checked_rectangles(rectangles)
        rows, columns = self.shape
        clipped = (queries[:, :2] < 0).any(axis=1) | (queries[:, 2] > columns) | (queries[:, 3] > rows)
        return Counts(_count(self._boxes, self._sums, self._firsts, queries), np.asarray(clipped))


@compiled
def _count(boxes: Int32, sums: Float64, firsts: Int64, rectangles: Float64) -> Float64:
    """float64 (m,): points of each rectangle, float64 (m, 4).

    `boxes`, int32 (packed, 4), stand level by level, the released ones first, the one that holds all last; `sums`, float64 (packed,), are
    their points, and `firsts`, int64 (levels + 1,), say where each level begins.
    """
    out = np.zeros(len(rectangles))
    waiting, levels = np.empty(DEEPEST, dtype=np.int64), np.empty(DEEPEST, dtype=np.int64)
    for i in range(len(rectangles)):
        x0, y0, x1, y1 = rectangles[i]
        waiting[0], levels[0], many = len(sums) - 1, len(firsts) - 2, 1
        while many:
            many -= 1
            at, level = waiting[many], levels[many]
            south, north, west, east = boxes[at]
            high, wide = min(north, y1) - max(south, y0), min(east, x1) - max(west, x0)
            if high <= 0 or wide <= 0:
                continue
            if x0 <= west and east <= x1 and y0 <= south and north <= y1:
                out[i] += sums[at]
            elif level == 0:
                out[i] += sums[at] * (high / (north - south)) * (wide / (east - west))
            else:
                first = firsts[level - 1] + PACK * (at - firsts[level])
                for each in range(first, min(first + PACK, firsts[level])):
                    waiting[many], levels[many] = each, level - 1
                    many += 1
    return out


def squares(leaves: LeafTable, most: int) -> tuple[Float64, int]:
    """float64 (rows, columns): points of squares of cells, at most `most` along a side; and the cells of a side of each.

    Squares in the north and the east may reach beyond the grid.
    """
    fold = -(-max(leaves.shape) // most)
    rows, columns = (-(-side // fold) for side in leaves.shape)
    south, west = (each.reshape(-1) * fold for each in np.indices((rows, columns)))
    ends = np.stack([west, south, west + fold, south + fold], axis=1).astype(np.float64)
    return leaves.count(ends).counts.reshape(rows, columns), fold
