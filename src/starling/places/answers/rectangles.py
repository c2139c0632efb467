"""How many points a released grid has in rectangles, from one table of sums. Points are spread evenly within a cell.

Rectangles are float64 (m, 4) in cell units: x0, y0, x1, y1, x along columns and y along rows from the south-western corner, fractions
allowed. The sum of all cells south-west of a corner is linear in x and in y within a cell, so four interpolated sums answer a rectangle.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.engine.machine import in_order
from starling.errors import ParameterError
from starling.places.arrays import Bool, Float64, Int64
from starling.privacy.compiled import compiled

PART: Final = 1 << 17
"""Rectangles that one thread answers after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Answers to queries.

    Attributes:
        counts: float64 (queries,): points of each.
        clipped: bool (queries,): whether a part of it lies beyond the grid; that part has no points.
    """

    counts: Float64
    clipped: Bool


class CumulativeGrid:
    """A released grid, int64 or float64 (rows, columns), row 0 the southern one, with the sums of all cells south-west of each corner, so
    that a rectangle takes the same time whatever its size.

    Raises:
        ParameterError: it has no cell, another number of dimensions, or a cell that is no finite number.
    """

    def __init__(self, grid: Float64 | Int64) -> None:
        if grid.ndim != 2 or not grid.size or not np.isfinite(grid).all():
            raise ParameterError("grid", "is no table of finite numbers", "give an array (rows, columns)")
        rows, columns = grid.shape
        self.grid: Float64 = np.ascontiguousarray(grid, dtype=np.float64)
        self._sums = np.zeros((rows + 1, columns + 1))
        add_cells(self.grid, self._sums)

    @property
    def shape(self) -> tuple[int, int]:
        """Cells of the grid (rows, columns)."""
        rows, columns = self.grid.shape
        return rows, columns

    def count(self, rectangles: Float64) -> Counts:
        """Points in each rectangle, float64 (m, 4) in cell units; one without area has none. Raises ParameterError as `checked_rectangles`
        does.
        """
        queries = checked_rectangles(rectangles)
        counts, clipped = np.empty(len(queries)), np.empty(len(queries), dtype=np.bool_)

        def work(start: int) -> None:
            here = slice(start, start + PART)
            count_rectangles(self._sums, queries[here], counts[here], clipped[here])

        starts = range(0, len(queries), PART)
        # Each rectangle is answered alone, so that threads change nothing but the time.
        for _ in in_order(work, starts) if len(starts) > 1 else map(work, starts):
            pass
        return Counts(counts, clipped)


def rectangular(rectangles: npt.ArrayLike) -> Float64:
    """Rectangles as an array (m, 4). Raises ParameterError where they are no such array."""
    try:
        array: Float64 = np.ascontiguousarray(rectangles, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != 4:
        raise ParameterError("rectangles", "are no array (m, 4)", "give x0, y0, x1, y1 of each")
    return array


def checked_rectangles(rectangles: Float64) -> Float64:
    """Rectangles as they are asked for, each found to have its ends in order. Raises ParameterError for an array of another shape, a number
    that is not finite, or a rectangle whose ends are in the wrong order.
    """
    queries = rectangular(rectangles)
    bad = first_bad(queries)
    if bad < len(queries):
        finite = bool(np.isfinite(queries[bad]).all())
        problem = "has an end before its beginning" if finite else "has an end that is no finite number"
        raise ParameterError(f"rectangle {bad + 1}", problem, "give x0 <= x1 and y0 <= y1")
    return queries


@compiled
def add_cells(grid: Float64, sums: Float64) -> None:
    """Add up all cells south-west of each corner into `sums`, all 0, in a fixed order: northwards and then eastwards."""
    northwards = np.zeros(grid.shape[1])
    for row in range(grid.shape[0]):
        along = 0.0
        for column in range(grid.shape[1]):
            northwards[column] += grid[row, column]
            along += northwards[column]
            sums[row + 1, column + 1] = along


@compiled
def first_bad(rectangles: Float64) -> int:
    """The first rectangle (m, 4) whose ends are out of order or not finite; m where all are good."""
    for i in range(len(rectangles)):
        x0, y0, x1, y1 = rectangles[i]
        if not (-np.inf < x0 <= x1 < np.inf and -np.inf < y0 <= y1 < np.inf):
            return i
    return len(rectangles)


@compiled
def count_rectangles(sums: Float64, rectangles: Float64, counts: Float64, clipped: Bool) -> None:
    """Write `counts` and `clipped`, (m,), of rectangles, (m, 4), with ends in order; `sums`, (rows + 1, columns + 1), has the points
    south-west of each corner of a cell.
    """
    rows, columns = sums.shape[0] - 1, sums.shape[1] - 1
    for i in range(rectangles.shape[0]):
        x0, y0, x1, y1 = rectangles[i]
        clipped[i] = x0 < 0 or y0 < 0 or x1 > columns or y1 > rows
        x0, x1 = min(max(x0, 0.0), columns), min(max(x1, 0.0), columns)
        y0, y1 = min(max(y0, 0.0), rows), min(max(y1, 0.0), rows)
        south, north = min(int(y0), rows - 1), min(int(y1), rows - 1)
        lower, above = south_of(sums[south], x0, x1), south_of(sums[south + 1], x0, x1)
        bottom = lower + (y0 - south) * (above - lower)
        lower, above = south_of(sums[north], x0, x1), south_of(sums[north + 1], x0, x1)
        counts[i] = lower + (y1 - north) * (above - lower) - bottom


@compiled
def south_of(sums: Float64, x0: float, x1: float) -> float:
    """Points between two x of the grid, x0 <= x1, south of a row of corners; `sums`, (columns + 1,), has those south-west of each
    corner.
    """
    last = sums.size - 2
    # An unsigned index is not looked at for counting from the end.
    left, right = np.uint64(min(int(x0), last)), np.uint64(min(int(x1), last))
    one = np.uint64(1)
    east = sums[right] + (x1 - right) * (sums[right + one] - sums[right])
    west = sums[left] + (x0 - left) * (sums[left + one] - sums[left])
    return float(east - west)
