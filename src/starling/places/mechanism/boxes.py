"""Boxes of cells: how many points they hold, and how they are cut into smaller ones.

A box is four numbers: first row, row after the last, first column, column after the last.
"""

from typing import Final

import numpy as np

from starling.places.arrays import Int32, Int64
from starling.privacy.compiled import compiled

GRAIN: Final = 1024
"""Deviations are counted in this part of a point."""
SENSITIVITY: Final = 2 * GRAIN
"""The most that one point changes the deviation of its box (htf.py)."""


def cumulative(exact: Int64) -> Int64:
    """int64 (rows + 1, columns + 1): at (i, j) the points of the first i rows and j columns of int64 (rows, columns)."""
    rows, columns = exact.shape
    out = np.zeros((rows + 1, columns + 1), dtype=np.int64)
    np.cumsum(exact, axis=1, out=out[1:, 1:])
    np.cumsum(out[1:, 1:], axis=0, out=out[1:, 1:])
    return out


@compiled
def box_counts(sums: Int64, boxes: Int32) -> Int64:
    """int64 (boxes,): the points of each box, int32 (boxes, 4), from what `cumulative` gives."""
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
        top, left = np.int64(boxes[place, 0]), np.int64(boxes[place, 2])
        high, wide = boxes[place, 1] - top, boxes[place, 3] - left
        down, across = min(rows[place], high), min(columns[place], wide)
        for i in range(down):
            for j in range(across):
                out[at, 0], out[at, 1] = top + i * high // down, top + (i + 1) * high // down
                out[at, 2], out[at, 3] = left + j * wide // across, left + (j + 1) * wide // across
                above[at] = place
                at += 1
    return out, above


def sides(boxes: Int32) -> Int64:
    """int64 (boxes, 2): rows and columns of each box."""
    lengths: Int64 = (boxes[:, 1::2] - boxes[:, ::2]).astype(np.int64)
    return lengths


def areas(boxes: Int32) -> Int64:
    """int64 (boxes,): cells of each box."""
    cells: Int64 = sides(boxes).prod(axis=1)
    return cells


def halves(boxes: Int32, axis: Int64, places: Int64) -> tuple[Int32, Int32]:
    """Both parts of boxes, int32 (boxes, 4), that are cut along an axis, 0 after some rows, 1 after some columns, after so many."""
    low, high, each = boxes.copy(), boxes.copy(), np.arange(len(boxes))
    cut = boxes[each, 2 * axis] + places
    low[each, 2 * axis + 1] = cut
    high[each, 2 * axis] = cut
    return low, high


def cut_axis(boxes: Int32, wanted: int) -> Int64:
    """int64 (boxes,): the axis along which each is cut: the wanted one, 0 for rows, or the other where that side is one cell."""
    axis: Int64 = np.where(sides(boxes)[:, wanted] > 1, wanted, 1 - wanted)
    return axis


@compiled
def deviations(exact: Int64, sums: Int64, boxes: Int32) -> Int64:
    """int64 (boxes,): floor(1024 s/q) of each box, s = sum of |q c - n| over its q cells of counts c, n their sum.

    Exact while q n is below 2^63 and n below 2^52: up to 2^37 points on the largest grid, of 2^26 cells.

    Args:
        exact: int64 (rows, columns).
        sums: What `cumulative` gives.
        boxes: int32 (boxes, 4).

    >>> figure_2 = np.array([[0, 0], [3, 3], [3, 3]])
    >>> parts = [[0, 1, 0, 2], [1, 3, 0, 2], [0, 2, 0, 2], [2, 3, 0, 2], [0, 3, 0, 2]]
    >>> found = deviations(figure_2, cumulative(figure_2), np.array(parts, dtype=np.int32)) // 1024
    >>> int(found[0] + found[1]), int(found[2] + found[3]), int(found[4])
    (0, 6, 8)
    """
    out = np.empty(len(boxes), dtype=np.int64)
    for place in range(len(boxes)):
        top, bottom, left, right = boxes[place]
        number = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
        cells = np.int64(bottom - top) * np.int64(right - left)
        whole = np.uint64(cells)
        quotient = np.uint64(0)
        rest = np.uint64(0)
        gathered = np.uint64(0)
        for row in range(top, bottom):
            for column in range(left, right):
                gathered += np.uint64(abs(cells * exact[row, column] - number))
                # Each term is below 2^63, so that the sum stays below 2^64 if it is emptied here.
                if gathered >= np.uint64(1 << 62):
                    quotient += gathered // whole
                    rest += gathered % whole
                    gathered = np.uint64(0)
        rest += gathered % whole
        quotient += gathered // whole + rest // whole
        out[place] = np.int64(np.uint64(GRAIN) * quotient + np.uint64(GRAIN) * (rest % whole) // whole)
    return out
