"""In which cell of which slice a record lies: the one function by which every engine counts."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from starling.engine.booleans import spelled
from starling.engine.delimited import labels
from starling.engine.plain_text import numbers_of, times_of
from starling.engine.times import periods_of_times
from starling.places.arrays import Float64, Int64
from starling.places.plan import Plan
from starling.places.plan.grid import Grid
from starling.places.plan.points import PlanOfPoints
from starling.places.plan.records import PlanOfRecords
from starling.places.source.values import centres, coordinates, numbers
from starling.privacy.compiled import compiled


def cells_of(plan: Plan, table: pa.Table) -> Int64:
    """int64 (records,): slice times cells of the grid, plus row times columns, plus column; -1 for a record that is dropped."""
    cells = cells_at(plan.grid, *points_of(plan, table))
    if plan.slices is not None:
        at = slices_of(plan, table)
        cells = np.where((at >= 0) & (cells >= 0), at * plan.grid.cells + cells, -1)
    return cells


def cells_at(grid: Grid, x: Float64, y: Float64) -> Int64:
    """int64 (points,): row times columns, plus column, of points as they come, float64 (points,) each; -1 outside the box and for NaN."""
    cells = np.full(len(x), -1, dtype=np.int64)
    _place(np.ascontiguousarray(grid.turned(x)), y, *grid.edges, 0, grid.columns, cells)
    first, beyond = grid.edges_beyond
    if len(beyond):
        _place(x, y, beyond, grid.edges[1], first, grid.columns, cells)
    return cells


def points_of(plan: PlanOfPoints, table: pa.Table) -> tuple[Float64, Float64]:
    """float64 (records,) and float64 (records,): x and y, in degrees or plain units; NaN where there is none."""
    named = plan.columns
    if named.geometry:
        x, y = coordinates(table[named.geometry])
    elif named.h3:
        x, y = centres(table[named.h3])
    else:
        x, y = (numbers(numbers_of(table[name], plan.format)) for name in (named.x, named.y))
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


def slices_of(plan: PlanOfRecords, table: pa.Table) -> Int64:
    """int64 (records,): the slice of each record of a plan with slices; -1 for none."""
    assert plan.slices is not None
    at = periods_of(plan, table)
    if plan.columns.category:
        category = categories_of(plan, table)
        at = np.where((at >= 0) & (category >= 0), at * len(plan.slices.categories) + category, -1)
    return at


def units_of(plan: PlanOfPoints, table: pa.Table) -> Int64:
    """int64 (records,): by how many units the value of each record is above the lower bound of a plan with values, rounded to whole units,
    of ties to the even one, and clamped; -1 for what is no finite number.
    """
    assert plan.value is not None
    values = numbers(numbers_of(table[plan.columns.value], plan.format))
    finite = np.isfinite(values)
    whole = np.rint(np.clip(np.where(finite, values, 0), plan.value.lower, plan.value.upper)).astype(np.int64)
    return np.where(finite, whole - plan.value.lower, -1)


def periods_of(plan: PlanOfRecords, table: pa.Table) -> Int64:
    """int64 (records,): which of the names of a plan's slices each record has; -1 for none."""
    assert plan.slices is not None
    if plan.slices.bounds is not None:
        return periods_of_times(times_of(table[plan.columns.time], plan.format), plan.slices.bounds)
    return _listed(table[plan.columns.time], plan.slices.names)


def categories_of(plan: PlanOfRecords, table: pa.Table) -> Int64:
    """int64 (records,): which category of a plan's slices each record has; -1 for none."""
    assert plan.slices is not None
    return _listed(table[plan.columns.category], plan.slices.categories)


def _listed(column: pa.ChunkedArray, values: Sequence[str]) -> Int64:
    """int64 (records,): the place of each value in a public list, -1 for none."""
    names = pa.array([value.encode() for value in values], pa.binary())
    at = pc.index_in(labels(spelled(column.combine_chunks(), values)), names).fill_null(-1).cast(pa.int64())
    return np.asarray(at.to_numpy(zero_copy_only=False))


@compiled
def _place(x: Float64, y: Float64, x_edges: Float64, y_edges: Float64, first: int, in_row: int, out: Int64) -> None:
    """The cell of each point within half-open columns from the `first` on, of so many in a row; other points stay as they are."""
    columns, rows = len(x_edges) - 1, len(y_edges) - 1
    per_x = columns / (x_edges[columns] - x_edges[0])
    per_y = rows / (y_edges[rows] - y_edges[0])
    for at in range(len(x)):
        if x_edges[0] <= x[at] < x_edges[columns] and y_edges[0] <= y[at] < y_edges[rows]:
            column = _find(x_edges, x[at], min(int((x[at] - x_edges[0]) * per_x), columns - 1))
            out[at] = _find(y_edges, y[at], min(int((y[at] - y_edges[0]) * per_y), rows - 1)) * in_row + first + column


@compiled
def _find(edges: Float64, value: float, guess: int) -> int:
    """The last edge that is no more than a value within the edges: the guess if it holds, which rounding and projection may spoil."""
    if edges[guess] <= value < edges[guess + 1]:
        return guess
    first, last = 0, len(edges) - 1
    while last - first > 1:
        middle = (first + last) // 2
        if edges[middle] <= value:
            first = middle
        else:
            last = middle
    return first
