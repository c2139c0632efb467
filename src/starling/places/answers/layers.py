"""The sums of many rectangles from tables, where the boxes of each depth are cells of a grid of rows and columns, as those of a quadtree.

What the walk (cover.py) adds of a box within the query, G, is its steered value, its cover, or what boxes below it give; D is G less the
G of its children. The boxes below one within the query lie within it too, so that D telescopes: the sum within is that of D over all boxes
within the query, whether or not boxes above them are. Where every box has a cover, only leaves count for holding the query alone: what is
added there is the leaves that the query cuts. Boxes of one depth that are cells of a grid lie within a rectangle in a block of that grid,
and touch it in another, so that a table of cumulative sums gives each sum by its four corners, and the number of draws of each noise too.
All are whole numbers: the walk and the tables agree to the bit.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from starling.places.answers.cover import (
    NEITHER,
    NO_COVER,
    NOTHING,
    STEERED,
    FreshCover,
    Nodes,
    Sums,
    choice,
)
from starling.places.arrays import Bool, Float64, Int32, Int64
from starling.privacy.compiled import compiled

LARGEST: Final = 8
"""Numbers in the tables and their lookups for each number in the index, at most; and a few."""
FEW: Final = 1 << 16
MANY: Final = 1000
"""Rectangles for which tables are made; fewer are answered by the walk."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """The boxes of one depth.

    Attributes:
        rows: int32 (2, rows of the grid + 1): how many intervals of rows begin before each edge, and how many end at or before it.
        columns: int32 (2, columns of the grid + 1): the same of columns.
        noises: int64 (some,): the noises that occur.
        table: int64 (intervals of rows + 1, intervals of columns + 1, 2, 1 + some): cumulative sums of D, and of the leaves: first the
            values, then how many draws of each noise.
    """

    rows: Int32
    columns: Int32
    noises: Int64
    table: Int64


class LayeredCover(FreshCover):
    """An index that answers many rectangles from tables, where its tree allows them."""

    def sums(self, rectangles: Float64) -> Sums:
        """Sums for each rectangle, the same whether they come from the walk or from tables; see `FreshCover.sums`."""
        if len(rectangles) < MANY or self._layers is None:
            return super().sums(rectangles)
        sums = np.zeros((2, len(rectangles)), dtype=np.int64)
        draws = np.zeros((2, len(rectangles), len(self.noises)), dtype=np.int64)
        for layer in self._layers:
            add_layer(rectangles, layer.rows, layer.columns, layer.noises, layer.table, sums, draws)
        return Sums(*sums, *draws)

    @cached_property
    def _layers(self) -> tuple[Layer, ...] | None:
        """The tables; None where boxes of one depth are no cells of a grid, a box has no cover, or tables would be large."""
        nodes = self._nodes
        if (nodes["cover"] == NO_COVER).any():
            return None
        depths, values, draws = np.zeros(nodes.size, np.int32), np.empty(nodes.size, np.int64), self._terms.copy()
        telescoped(nodes, self._original, depths, values, draws)
        room, layers = LARGEST * (nodes.size + draws.size) + FEW, []
        real = np.flatnonzero(self._original >= 0)
        # Below groups, which take levels of their own, depths may fall.
        real = real[np.argsort(depths[real], kind="stable")]
        for here in np.split(real, np.flatnonzero(np.diff(depths[real])) + 1):
            if (layer := _layer(self._shape, nodes, here, values, draws, room)) is None:
                return None
            layers.append(layer)
            room -= layer.table.size
        return tuple(layers)


def _layer(shape: tuple[int, int], nodes: Nodes, here: Int64, values: Int64, draws: Int32, room: int) -> Layer | None:
    """The table of boxes of one depth; None where they are no cells of a grid or their table has no room."""
    ends = [np.full(side, NOTHING, dtype=np.int32) for side in shape]
    used = np.zeros(draws.shape[1], dtype=np.bool_)
    if not aligned(nodes, here, draws, ends[0], ends[1], used):
        return None
    (row, rows), (column, columns) = _intervals(ends[0]), _intervals(ends[1])
    noises = np.flatnonzero(used)
    size = (rows[0, -1] + 1, columns[0, -1] + 1, 2, 1 + len(noises))
    if np.prod(size) + rows.size + columns.size > room or _overlap(ends[0]) or _overlap(ends[1]):
        return None
    table = np.zeros(size, dtype=np.int64)
    fill(nodes, here, values, draws, row, column, noises, table)
    for axis in (0, 1):
        np.cumsum(table, axis=axis, out=table)
    return Layer(rows, columns, noises, table)


def _intervals(ends: Int32) -> tuple[Int64, Int32]:
    """From where each interval of a side ends: the number of the one that begins at each cell, and the lookup of a `Layer`."""
    begins = ends != NOTHING
    number = np.cumsum(begins)
    last = np.bincount(ends[begins], minlength=len(ends) + 1)
    return number - 1, np.stack([np.concatenate([[0], number]), np.cumsum(last)]).astype(np.int32)


def _overlap(ends: Int32) -> bool:
    """Whether an interval of a side ends behind the begin of the next."""
    begins = np.flatnonzero(ends != NOTHING)
    return bool((ends[begins[:-1]] > begins[1:]).any())


@compiled
def aligned(nodes: Nodes, here: Int64, draws: Int32, rows: Int32, columns: Int32, used: Bool) -> bool:
    """Whether all intervals of boxes, those of `nodes` at `here`, that begin at one row end at one row, and the same of columns.

    Written are `rows` and `columns`, where the interval that begins at each ends, `NOTHING` where none begins, and `used`, (noises,), all
    false: which noises occur in D, whose `draws` are (nodes, noises), or in the measurement of a leaf.
    """
    for node in here:
        south, north, west, east = nodes[node]["south"], nodes[node]["north"], nodes[node]["west"], nodes[node]["east"]
        if (rows[south] >= 0 and rows[south] != north) or (columns[west] >= 0 and columns[west] != east):
            return False
        rows[south], columns[west] = north, east
        for j in range(draws.shape[1]):
            used[j] = used[j] or draws[node, j] != 0
        if nodes[node]["first"] == nodes[node]["end"]:
            used[nodes[node]["fresh_noise"]] = True
    return True


@compiled
def fill(
    nodes: Nodes, here: Int64, values: Int64, draws: Int32, rows: Int64, columns: Int64, noises: Int64, table: Int64
) -> None:
    """Write a table of a `Layer` before its sums are made: all 0, (intervals of rows + 1, of columns + 1, 2, 1 + noises)."""
    for node in here:
        row, column = rows[nodes[node]["south"]] + 1, columns[nodes[node]["west"]] + 1
        leaf = nodes[node]["first"] == nodes[node]["end"]
        table[row, column, 0, 0] = values[node]
        if leaf:
            table[row, column, 1, 0] = nodes[node]["fresh"]
        for j in range(noises.size):
            table[row, column, 0, j + 1] = draws[node, noises[j]]
            if leaf and noises[j] == nodes[node]["fresh_noise"]:
                table[row, column, 1, j + 1] = 1


@compiled
def telescoped(nodes: Nodes, original: Int64, depths: Int32, values: Int64, draws: Int32) -> None:
    """D of every box, of an index in which every box has a cover; `nodes` have parents before children, and `original` is -1 for a group,
    which is no depth of its own. Written are `depths`, all 0, and `values`, (nodes,); and `draws`, (nodes, noises), of the covers before,
    of D afterwards.
    """
    near, chosen = np.full(nodes.size, np.inf), np.empty(nodes.size, dtype=np.int8)
    for node in range(nodes.size):
        chosen[node] = choice(nodes[node], near[node])
        values[node] = nodes[node]["total"]
        if chosen[node] == STEERED:
            values[node] = nodes[node]["steered"]
            for j in range(draws.shape[1]):
                draws[node, j] = j == nodes[node]["steered_noise"]
        below = nodes[node]["steered"] if nodes[node]["steered_noise"] >= 0 else near[node]
        for child in range(nodes[node]["first"], nodes[node]["end"]):
            depths[child] = depths[node] + (original[child] >= 0)
            near[child] = below
    for node in range(nodes.size - 1, -1, -1):
        if chosen[node] == NEITHER:
            values[node] = 0
            draws[node] = 0
            for child in range(nodes[node]["first"], nodes[node]["end"]):
                values[node] += values[child]
                for j in range(draws.shape[1]):
                    draws[node, j] += draws[child, j]
    for node in range(nodes.size):
        for child in range(nodes[node]["first"], nodes[node]["end"]):
            values[node] -= values[child]
            for j in range(draws.shape[1]):
                draws[node, j] -= draws[child, j]


@compiled
def add_layer(
    rectangles: Float64, rows: Int32, columns: Int32, noises: Int64, table: Int64, sums: Int64, draws: Int64
) -> None:
    """Add the sums of one depth, of a `Layer`, for rectangles, (m, 4), to `sums`, (2, m): what lies within to the first, what holds the
    query to the second; and how many draws of each noise they have to `draws`, (2, m, noises).
    """
    for query in range(rectangles.shape[0]):
        x0, y0 = max(rectangles[query, 0], 0.0), max(rectangles[query, 1], 0.0)
        x1, y1 = min(rectangles[query, 2], columns.shape[1] - 1.0), min(rectangles[query, 3], rows.shape[1] - 1.0)
        if not (x0 < x1 and y0 < y1):
            continue
        low, high, left, right = int(np.floor(y0)), int(np.ceil(y1)), int(np.floor(x0)), int(np.ceil(x1))
        touched = rows[1, low], rows[0, high], columns[1, left], columns[0, right]
        low, high, left, right = int(np.ceil(y0)), int(np.floor(y1)), int(np.ceil(x0)), int(np.floor(x1))
        within = rows[0, low], rows[1, high], columns[0, left], columns[1, right]
        none = within[0] >= within[1] or within[2] >= within[3]
        for at in range(table.shape[3]):
            inside = 0 if none else block(table, within, 0, at)
            around = inside + block(table, touched, 1, at) - (0 if none else block(table, within, 1, at))
            if at:
                draws[0, query, noises[at - 1]] += inside
                draws[1, query, noises[at - 1]] += around
            else:
                sums[0, query] += inside
                sums[1, query] += around


@compiled
def block(table: Int64, ends: tuple[int, int, int, int], kind: int, at: int) -> int:
    """The sum of a block of boxes: rows from the first to before the second of `ends`, columns from the third to before the fourth."""
    south, north, west, east = ends
    return int(
        table[north, east, kind, at]
        - table[south, east, kind, at]
        - table[north, west, kind, at]
        + table[south, west, kind, at]
    )
