"""Released points as whole numbers, for programs that take a tenth of a point for a point: a public rule that keeps sums.

Boxes stand in the order of a Z-curve through their south-western corners, cells of a box row by row. Points are added up along that order,
and each sum is rounded to the nearest whole number, halves upwards; a cell or box gets what its sum is more than the one before. So each
number is the released one rounded up or down, none becomes one, and the points of any run along the order, as of the whole grid, are off by
less than one. Nothing is drawn, and nothing but released numbers is read.
"""

import numpy as np

from starling.places.answers.cover import morton
from starling.places.arrays import Float64, Int32, Int64
from starling.privacy.compiled import compiled
from starling.privacy.ordering import stable_order


def whole_cells(grid: Float64, boxes: Int32) -> tuple[Int64, Int64]:
    """int64 (rows, columns) and int64 (boxes,): whole numbers of cells, and their sums by box, of boxes that tile the grid.

    >>> grid, boxes = np.full((2, 4), 0.25), np.array([[0, 2, 0, 2], [0, 2, 2, 4]], dtype=np.int32)
    >>> cells, counts = whole_cells(grid, boxes)
    >>> cells.tolist(), counts.tolist()
    ([[0, 1, 0, 1], [0, 0, 0, 0]], [1, 1])
    """
    cells, counts = np.empty(grid.shape, dtype=np.int64), np.empty(len(boxes), dtype=np.int64)
    carry(grid, boxes, stable_order(morton(boxes)), cells, counts)
    return cells, counts


def whole_boxes(boxes: Int32, counts: Float64) -> Int64:
    """int64 (boxes,): whole numbers of boxes whose cells are not held."""
    order = stable_order(morton(boxes))
    result = np.empty(len(boxes), dtype=np.int64)
    result[order] = whole_numbers(counts[order])
    return result


def whole_numbers(values: Float64) -> Int64:
    """int64 (values,): whole numbers of values in their order.

    >>> whole_numbers(np.array([0.4, 0.4, 0.0, -0.9, 3.0])).tolist()
    [0, 1, 0, -1, 3]
    """
    ends = np.floor(np.cumsum(values) + 0.5).astype(np.int64)
    return np.asarray(np.diff(np.concatenate([[0], ends])), dtype=np.int64)


@compiled
def carry(grid: Float64, boxes: Int32, order: Int64, cells: Int64, counts: Int64) -> None:
    """Write the whole numbers of cells, (rows, columns), and of boxes, (boxes,), which are taken by `order`."""
    total, before = 0.0, 0
    for box in order:
        begin = before
        for row in range(boxes[box, 0], boxes[box, 1]):
            for column in range(boxes[box, 2], boxes[box, 3]):
                total += grid[row, column]
                now = int(np.floor(total + 0.5))
                cells[row, column] = now - before
                before = now
        counts[box] = before - begin
