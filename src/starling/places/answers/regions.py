"""Regions of any shape, as the share of each cell that lies in them. Rings are straight between their corners, in cell units.

The share of a cell is exact but for rounding: each piece of an edge within a cell adds its height times what lies east of it, and what it
adds to all cells further east of its row is its height. Added up along a row from the west, counter-clockwise rings give the area of each
cell inside them. That takes time by the cells that edges cross and by those of the region's extent.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.places.answers.rectangles import Counts, CumulativeGrid
from starling.places.arrays import Float64
from starling.privacy.compiled import compiled

Polygon: TypeAlias = Sequence[Float64]
"""Rings, each float64 (corners, 2) of x and y, closed or not: the outer one, then holes."""
Region: TypeAlias = Sequence[Polygon]

T = TypeVar("T")
R = TypeVar("R")

ROUNDING: Final = 1e-9
"""Of the share of a cell."""


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """The share of each cell that lies in a region.

    Attributes:
        row: The first row of the region's extent on the grid.
        column: The first column of that extent.
        share: float64 (rows, columns) of that extent, each in [0, 1]; exactly 0 and 1 where a cell lies outside and inside but for
            rounding.
        clipped: Whether a part of the region lies beyond the grid.
    """

    row: int
    column: int
    share: Float64
    clipped: bool

    def of(self, cells: Float64) -> float:
        """The points of the region, of those of all cells, float64 (rows, columns), spread evenly within each."""
        rows, columns = self.share.shape
        return float((cells[self.row : self.row + rows, self.column : self.column + columns] * self.share).sum())


def cell_shares(region: Region, shape: tuple[int, int]) -> Shares:
    """The share of each cell in a region.

    Args:
        region: Polygons that share no area; no ring crosses itself or another one, and holes lie within their outer ring.
        shape: Cells of the grid (rows, columns).

    Raises:
        ParameterError: a ring of fewer than three corners or with a number that is not finite, or rings that cross.
    """
    rings = [oriented(ring, hole=number > 0) for polygon in region for number, ring in enumerate(polygon)]
    corners = np.concatenate(rings) if rings else np.zeros((1, 2))
    (west, south), (east, north) = corners.min(axis=0), corners.max(axis=0)
    rows, columns = shape
    first_row, first_column = (
        int(np.clip(np.floor(least), 0, many)) for least, many in ((south, rows), (west, columns))
    )
    last_row, last_column = (int(np.clip(np.ceil(most), 0, many)) for most, many in ((north, rows), (east, columns)))
    sums = np.zeros((max(last_row - first_row, 0), max(last_column - first_column, 0) + 1))
    for ring in rings:
        add_edges(ring - (first_column, first_row), sums)
    share = np.cumsum(sums, axis=1)[:, :-1]
    if share.size and (share.min() < -ROUNDING or share.max() > 1 + ROUNDING):
        raise ParameterError("region", "has rings that cross, or polygons that overlap", "give each place once")
    share[share < ROUNDING] = 0.0
    share[share > 1 - ROUNDING] = 1.0
    return Shares(first_row, first_column, share, bool(west < 0 or south < 0 or east > columns or north > rows))


def oriented(ring: Float64, *, hole: bool) -> Float64:
    """A ring closed, counter-clockwise, or clockwise if it is a hole. Raises ParameterError where it has fewer than three corners, or a
    number that is not finite.
    """
    corners = np.asarray(ring, dtype=np.float64)
    if corners.ndim != 2 or corners.shape[0] < 3 or corners.shape[1] != 2 or not np.isfinite(corners).all():
        raise ParameterError("region", "has a ring that is no list of corners", "give x and y of three corners or more")
    closed = np.concatenate([corners, corners[:1]])
    # From the first corner, so that a small ring far from the origin keeps its sign.
    x, y = (closed - closed[0]).T
    clockwise = float(x[:-1] @ y[1:] - x[1:] @ y[:-1]) < 0
    return closed[::-1].copy() if clockwise != hole else closed


@compiled
def add_edges(ring: Float64, sums: Float64) -> None:
    """Add the edges of a counter-clockwise ring, (corners, 2), closed, relative to the table, to the table whose sums along rows are shares
    of cells, (rows, columns + 1). The ring may reach beyond it.
    """
    rows = sums.shape[0]
    for i in range(ring.shape[0] - 1):
        # Upwards, the area lies to the west of an edge of a counter-clockwise ring: it takes away what lies east of it.
        sign = -1.0
        x0, y0, x1, y1 = ring[i, 0], ring[i, 1], ring[i + 1, 0], ring[i + 1, 1]
        if y0 > y1:
            sign, x0, y0, x1, y1 = 1.0, x1, y1, x0, y0
        slope = (x1 - x0) / (y1 - y0) if y1 > y0 else 0.0
        for row in range(max(int(np.floor(y0)), 0), min(int(np.ceil(y1)), rows)):
            bottom, top = max(y0, float(row)), min(y1, float(row + 1))
            begin = x0 if bottom == y0 else x0 + slope * (bottom - y0)
            end = x1 if top == y1 else x0 + slope * (top - y0)
            add_piece(min(begin, end), max(begin, end), sign * (top - bottom), sums[row])


@compiled
def add_piece(west: float, east: float, height: float, sums: Float64) -> None:
    """Add a piece of an edge within one row, from x = `west` to x = `east`, evenly `height` high with its sign, to (columns + 1,)."""
    columns = sums.size - 1
    if west >= columns:
        return
    if east <= 0.0:
        sums[0] += height
        return
    left = max(west, 0.0)
    if west < 0.0:
        sums[0] += height * (left - west) / (east - west)
    at = left
    while True:
        column = int(at)
        if column >= columns:
            return
        until = min(east, float(column + 1))
        part = height if east == west else height * (until - at) / (east - west)
        # On the average this much of the cell lies west of the piece.
        before = (at + until) / 2.0 - column
        sums[column] += part * (1.0 - before)
        sums[column + 1] += part * before
        if until >= east:
            return
        at = until


@compiled
def sum_rings(
    corners: Float64, ends: npt.NDArray[np.int64], grid: Float64, points: Float64, within: Float64, whole: Float64
) -> None:
    """Of each of several rings, one after the other: the points of the grid in it, spread evenly within a cell, its area on the grid, and
    its whole area. Rings begin and end where `ends` says, and cross neither themselves nor one another. `cell_shares` takes any region.
    """
    rows, columns = grid.shape
    for number in range(ends.size - 1):
        many = ends[number + 1] - ends[number]
        ring = np.empty((many + 1, 2))
        ring[:many] = corners[ends[number] : ends[number + 1]]
        ring[many] = ring[0]
        doubled = 0.0
        for i in range(many):
            x0, y0 = ring[i, 0] - ring[0, 0], ring[i, 1] - ring[0, 1]
            x1, y1 = ring[i + 1, 0] - ring[0, 0], ring[i + 1, 1] - ring[0, 1]
            doubled += x0 * y1 - x1 * y0
        whole[number] = abs(doubled) / 2.0
        first_row, first_column = max(int(np.floor(ring[:, 1].min())), 0), max(int(np.floor(ring[:, 0].min())), 0)
        last_row, last_column = min(int(np.ceil(ring[:, 1].max())), rows), min(int(np.ceil(ring[:, 0].max())), columns)
        if last_row <= first_row or last_column <= first_column:
            continue
        ring[:, 0] -= first_column
        ring[:, 1] -= first_row
        sums = np.zeros((last_row - first_row, last_column - first_column + 1))
        add_edges(ring, sums)
        # A clockwise ring has its shares below 0.
        sign = -1.0 if doubled < 0.0 else 1.0
        for row in range(last_row - first_row):
            share = 0.0
            for column in range(last_column - first_column):
                share += sign * sums[row, column]
                within[number] += share
                points[number] += share * grid[first_row + row, first_column + column]


def count_regions(grid: CumulativeGrid, regions: Sequence[Region]) -> Counts:
    """Points in each region, spread evenly within a cell. Raises ParameterError with every region that `cell_shares` refuses, as polygon 1,
    2 and so on.
    """

    def count(region: Region) -> tuple[float, bool]:
        shares = cell_shares(region, grid.shape)
        return shares.of(grid.grid), shares.clipped

    counted = _of_all(regions, count)
    return Counts(
        np.array([each for each, _ in counted], dtype=np.float64),
        np.array([each for _, each in counted], dtype=np.bool_),
    )


def meeting(polygon: Polygon, project: Callable[[Float64], Float64], turn: float, columns: int) -> list[Polygon]:
    """A polygon as it is and a turn to either side, of which those are taken that meet a grid of so many columns when projected; as it is
    where none does.
    """
    result: list[Polygon] = []
    for by in (0.0, turn, -turn):
        shifted = [ring + np.array([by, 0.0]) for ring in polygon]
        x = np.concatenate([project(ring)[:, 0] for ring in shifted])
        if x.size and x.max() > 0 and x.min() < columns:
            result.append(shifted)
    return result or [polygon]


def regions_of(geometries: Sequence[Mapping[str, Any]]) -> list[Region]:
    """The regions of GeoJSON geometries; raises ParameterError with every one that is none, as polygon 1, 2 and so on."""
    return _of_all(geometries, region_of)


def _of_all(items: Iterable[T], work: Callable[[T], R]) -> list[R]:
    """`work` of each; raises ParameterError with all problems, under the number of a polygon from 1 on."""
    results, problems = [], []
    for number, each in enumerate(items, start=1):
        try:
            results.append(work(each))
        except ParameterError as error:
            problems += [replace(problem, field=f"polygon {number}") for problem in error.problems]
    if problems:
        raise ParameterError(problems=problems)
    return results


def region_of(geometry: Mapping[str, Any]) -> Region:
    """The polygons of a GeoJSON geometry, in its own units. Raises ParameterError where it is no Polygon or MultiPolygon."""
    kind, result = geometry.get("type"), geometry.get("coordinates")
    try:
        # Positions may have a height; it says nothing here.
        polygons: Any = {"Polygon": [result], "MultiPolygon": result}.get(str(kind))
        return [[np.asarray(ring, dtype=np.float64)[:, :2] for ring in polygon] for polygon in polygons]
    except (TypeError, ValueError, IndexError):
        raise ParameterError("region", "is no polygon", "give a GeoJSON Polygon or MultiPolygon") from None
