"""Boxes of cells: how many points they hold, and how they are cut into smaller ones.

A box is four numbers: first row, row after the last, first column, column after the last.
"""

import numpy as np

from starling.places.measurements import Int32, Int64
from starling.privacy.compiled import compiled


@compiled
def cumulative(exact: Int64) -> Int64:
    """int64 (rows + 1, columns + 1): at (i, j) the points of the first i rows and j columns.

    Args:
        exact: int64 (rows, columns).
    """
    rows, columns = exact.shape
    out = np.zeros((rows + 1, columns + 1), dtype=np.int64)
    for row in range(rows):
        along = np.int64(0)
        for column in range(columns):
            along += exact[row, column]
            out[row + 1, column + 1] = out[row, column + 1] + along
    return out


@compiled
def box_counts(sums: Int64, boxes: Int32) -> Int64:
    """int64 (boxes,): the points of each box.

    Args:
        sums: What `cumulative` gives.
        boxes: int32 (boxes, 4).
    """
    out = np.empty(len(boxes), dtype=np.int64)
    for place in range(len(boxes)):
        top, bottom, left, right = boxes[place]
        out[place] = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
    return out


@compiled
def parts(boxes: Int32, rows: Int64, columns: Int64) -> tuple[Int32, Int64]:
    """Boxes cut evenly: part i of m of a side of s cells from a on begins at a + floor(i s/m).

    Args:
        boxes: int32 (boxes, 4).
        rows: int64 (boxes,): into how many parts the rows of each are cut, at least 1; a side gives no more parts than it has cells.
        columns: int64 (boxes,): into how many parts the columns of each are cut.

    Returns:
        int32 (parts, 4): those of one box one after the other, row by row.
        int64 (parts,): the box that each is a part of.
    """
    total = 0
    for place in range(len(boxes)):
        top, bottom, left, right = boxes[place]
        total += min(rows[place], bottom - top) * min(columns[place], right - left)
    out = np.empty((total, 4), dtype=np.int32)
    above = np.empty(total, dtype=np.int64)
    at = 0
    for place in range(len(boxes)):
        top, bottom, left, right = boxes[place].astype(np.int64)
        down = min(rows[place], bottom - top)
        across = min(columns[place], right - left)
        for i in range(down):
            for j in range(across):
                out[at, 0] = top + i * (bottom - top) // down
                out[at, 1] = top + (i + 1) * (bottom - top) // down
                out[at, 2] = left + j * (right - left) // across
                out[at, 3] = left + (j + 1) * (right - left) // across
                above[at] = place
                at += 1
    return out, above


def sides(boxes: Int32) -> Int64:
    """int64 (boxes, 2): rows and columns of each box."""
    found: Int64 = (boxes[:, 1::2] - boxes[:, ::2]).astype(np.int64)
    return found


def areas(boxes: Int32) -> Int64:
    """int64 (boxes,): cells of each box."""
    found: Int64 = sides(boxes).prod(axis=1)
    return found
