"""Which measured boxes lie within a query and which together hold it, found by walking down from the whole grid.

Only fresh measurements are used: those on whose value no shape depends. For each box of the tree the index keeps its cover: disjoint
boxes with fresh measurements that tile it, either its own or those below it, whichever have the smaller variance in all. What is chosen
depends on the shape of the tree and on scales, never on a fresh value, so sums over a cover have noise of a known distribution.

Boxes with very many children, such as a grid that was measured cell by cell, get groups of them in between, by their place along a
curve; a group is no measurement, and its box may overlap others.
"""

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.places.answers.rectangles import Float64
from starling.places.answers.regions import Shares
from starling.places.measurements import Int32, Int64, MeasuredTree
from starling.privacy.compiled import compiled
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import Distribution

MOST_CHILDREN: Final = 16
"""Of a box, before they are put into groups."""
GROUP: Final = 8
"""Children in a group."""
NOTHING: Final = -1
"""Stands for the noise of a box without a fresh measurement."""

NO_COVER: Final = 0
OWN_ALONE: Final = 1
"""The cover is the box itself, and some box below it has none."""
OWN: Final = 2
"""The cover is the box itself, although the boxes below it have covers too."""
BELOW: Final = 3
"""The cover is that of the boxes below."""

APART: Final = 0
CUT: Final = 1
WITHIN: Final = 2

Int8: TypeAlias = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums of fresh measurements on both sides of queries.

    Attributes:
        inside: int64 (queries,): of disjoint boxes within the query.
        touched: int64 (queries,): of disjoint boxes that together hold it.
        inside_terms: int64 (queries, noises): how many draws of each noise the first has.
        touched_terms: int64 (queries, noises): how many draws of each noise the second has.
    """

    inside: Int64
    touched: Int64
    inside_terms: Int64
    touched_terms: Int64


@dataclass(frozen=True, slots=True, eq=False)
class Tiling:
    """The smallest boxes with fresh measurements that tile the grid.

    Attributes:
        boxes: int32 (boxes, 4): first row, row after the last, first column, column after the last.
        values: int64 (boxes,): the measurement of each.
        noise: int64 (boxes,): its noise, in `noises`.
        noises: The distributions.
    """

    boxes: Int32
    values: Int64
    noise: Int64
    noises: tuple[Distribution, ...]


class FreshCover:
    """An index of the fresh measurements of a tree.

    Args:
        measured: Measurements of which the fresh ones tile the grid.

    Attributes:
        noises: The distinct distributions of noise.

    Raises:
        ParameterError: some cell lies in no box with a fresh measurement.
    """

    def __init__(self, measured: MeasuredTree) -> None:
        self.noises: tuple[Distribution, ...] = tuple(dict.fromkeys(measured.noises))
        kinds = np.array([self.noises.index(each) for each in measured.noises], dtype=np.int64)[measured.noise]
        variances = np.array([standard_deviation(each) ** 2 for each in self.noises])
        boxes, parents, original = grouped(measured.tree.boxes, measured.tree.parents)
        self._boxes, self._own = boxes, np.zeros((len(boxes), 2), dtype=np.int64)
        self._own[:, 1] = NOTHING
        self._own[original >= 0] = freshest(measured, kinds, variances)[original[original >= 0]]
        self._first = np.searchsorted(parents[1:], np.arange(len(boxes) + 1)) + 1
        self._total = np.zeros(len(boxes), dtype=np.int64)
        self._terms = np.zeros((len(boxes), len(self.noises)), dtype=np.int32)
        self._cover = np.zeros(len(boxes), dtype=np.int8)
        choose_covers(self._first, self._own, variances, self._total, self._terms, self._cover)
        if not self._cover[0]:
            raise ParameterError("measurements", "do not hold every cell", "give those of a release")

    def sums(self, rectangles: Float64) -> Sums:
        """Sums for each rectangle.

        Args:
            rectangles: float64 (m, 4) in cell units, found to be in order.
        """
        return self._walk(rectangles, np.empty(0, dtype=np.int8))

    def sums_of_region(self, shares: Shares) -> Sums:
        """Sums for one region, given by its shares of cells."""
        parts = [np.zeros(np.add(shares.share.shape, 1), dtype=np.int64) for _ in range(2)]
        for part, cells in zip(parts, (shares.share > 0, shares.share == 1), strict=True):
            part[1:, 1:] = cells.cumsum(axis=0).cumsum(axis=1)
        rows, columns = shares.share.shape
        south, north = (np.clip(self._boxes[:, side] - shares.row, 0, rows) for side in (0, 1))
        west, east = (np.clip(self._boxes[:, side] - shares.column, 0, columns) for side in (2, 3))
        touched, whole = (
            part[north, east] - part[south, east] - part[north, west] + part[south, west] for part in parts
        )
        areas = np.diff(self._boxes[:, :2].astype(np.int64))[:, 0] * np.diff(self._boxes[:, 2:])[:, 0]
        relations = np.where(whole == areas, WITHIN, np.where(touched > 0, CUT, APART)).astype(np.int8)
        return self._walk(np.zeros((1, 4)), relations)

    def tiling(self) -> Tiling:
        """The smallest boxes with fresh measurements that tile the grid, in the order of the tree."""
        kept = np.zeros(len(self._boxes), dtype=np.bool_)
        finest(self._first, self._cover, kept)
        return Tiling(self._boxes[kept], self._own[kept, 0], self._own[kept, 1], self.noises)

    def _walk(self, rectangles: Float64, relations: Int8) -> Sums:
        sums = np.zeros((2, len(rectangles)), dtype=np.int64)
        draws = np.zeros((2, len(rectangles), len(self.noises)), dtype=np.int64)
        tree = (self._boxes, self._first, self._own, self._total, self._terms, self._cover)
        add_up(rectangles, relations, *tree, sums, draws)
        return Sums(sums[0], sums[1], draws[0], draws[1])


def freshest(measured: MeasuredTree, kinds: Int64, variances: Float64) -> Int64:
    """int64 (nodes, 2): for each box its fresh measurement of least variance, the last of several; value, and noise or `NOTHING`.

    Args:
        measured: The measurements.
        kinds: int64 (measurements,): the noise of each.
        variances: float64 (noises,).
    """
    found = np.zeros((len(measured.tree.parents), 2), dtype=np.int64)
    found[:, 1] = NOTHING
    fresh = np.flatnonzero(~measured.steered)
    # The last one that is written stays: worst first.
    order = fresh[np.argsort(-variances[kinds[fresh]], kind="stable")]
    found[measured.node[order]] = np.stack([measured.value[order], kinds[order]], axis=1)
    return found


def grouped(boxes: Int32, parents: Int64) -> tuple[Int32, Int64, Int64]:
    """The tree with groups between a box and very many children, level by level, siblings side by side.

    Args:
        boxes: int32 (nodes, 4).
        parents: int64 (nodes,): before their children; -1 for the root, node 0.

    Returns:
        Boxes, parents (in order), and for each node the one of the given tree that it is, or -1 for a group.
    """
    original = np.arange(len(boxes), dtype=np.int64)
    place = morton(boxes[:, 0], boxes[:, 2])
    while True:
        children = np.bincount(parents[1:], minlength=len(parents))
        many = np.flatnonzero(np.concatenate([[False], children[parents[1:]] > MOST_CHILDREN]))
        if not len(many):
            break
        many = many[np.lexsort((place[many], parents[many]))]
        above, starts = np.unique(parents[many], return_index=True)
        rank = np.arange(len(many)) - np.repeat(starts, children[above])
        begins = np.flatnonzero(rank % GROUP == 0)
        group = np.cumsum(rank % GROUP == 0) - 1
        corners = [
            one.reduceat(boxes[many, at], begins)
            for at, one in enumerate((np.minimum, np.maximum, np.minimum, np.maximum))
        ]
        parents = np.concatenate([parents, parents[many[begins]]])
        parents[many] = len(boxes) + group
        place = np.concatenate([place, place[many[begins]]])
        original = np.concatenate([original, np.full(len(begins), -1)])
        boxes = np.concatenate([boxes, np.stack(corners, axis=1).astype(np.int32)])
    order = breadth_first(np.argsort(parents, kind="stable"), np.bincount(parents[1:], minlength=len(parents)))
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    above = np.concatenate([parents[:1], places[parents[order[1:]]]])
    return boxes[order], above, original[order]


def morton(rows: Int32, columns: Int32) -> Int64:
    """The place of each cell along a curve on which near cells are mostly near: the bits of row and column in turn."""
    place = np.zeros(len(rows), dtype=np.int64)
    for bit in range(31):
        place |= ((rows.astype(np.int64) >> bit) & 1) << (2 * bit + 1) | ((columns.astype(np.int64) >> bit) & 1) << (
            2 * bit
        )
    return place


@compiled
def breadth_first(by_parent: Int64, children: Int64) -> Int64:
    """All nodes, level by level, children of one node side by side.

    Args:
        by_parent: (nodes,): nodes by their parents, the root first.
        children: (nodes,): how many children each has.
    """
    begins = np.ones(children.size + 1, dtype=np.int64)
    for node in range(children.size):
        begins[node + 1] = begins[node] + children[node]
    order = np.zeros(children.size, dtype=np.int64)
    end = 1
    for at in range(children.size):
        node = order[at]
        for child in range(begins[node], begins[node + 1]):
            order[end] = by_parent[child]
            end += 1
    return order


@compiled
def choose_covers(first: Int64, own: Int64, variances: Float64, total: Int64, terms: Int32, cover: Int8) -> None:
    """Find the cover of each box, children before parents.

    Args:
        first: (nodes + 1,): where the children of each node begin, and end where those of the next begin.
        own: (nodes, 2): fresh values, and their noise, -1 where there is none.
        variances: (noises,).
        total: (nodes,), written: the sum of the cover.
        terms: (nodes, noises), written: how many draws of each noise it has.
        cover: (nodes,), written: `NO_COVER`, `OWN_ALONE`, `OWN` or `BELOW`.
    """
    spread = np.zeros(own.shape[0])
    for node in range(own.shape[0] - 1, -1, -1):
        value, noise = own[node, 0], own[node, 1]
        below, sum_below = first[node + 1] > first[node], 0.0
        for child in range(first[node], first[node + 1]):
            below = below and cover[child] > 0
            sum_below += spread[child]
        if noise >= 0 and (not below or variances[noise] <= sum_below):
            cover[node] = OWN if below else OWN_ALONE
            total[node], spread[node] = value, variances[noise]
            terms[node, noise] = 1
        elif below:
            cover[node], spread[node] = BELOW, sum_below
            for child in range(first[node], first[node + 1]):
                total[node] += total[child]
                for j in range(variances.size):
                    terms[node, j] += terms[child, j]


@compiled
def finest(first: Int64, cover: Int8, kept: npt.NDArray[np.bool_]) -> None:
    """Find the smallest boxes with covers that tile the grid: a box is cut further where all boxes below it have covers.

    Args:
        first: (nodes + 1,).
        cover: (nodes,).
        kept: (nodes,), all false; true for these boxes in the end.
    """
    kept[0] = True
    for node in range(cover.size):
        if kept[node] and cover[node] != OWN_ALONE:
            kept[node] = False
            for child in range(first[node], first[node + 1]):
                kept[child] = True


@compiled
def relation(rectangle: Float64, box: Int32) -> int:
    """How a box lies to a rectangle: `APART`, `CUT` or `WITHIN`."""
    south, north, west, east = box[0], box[1], box[2], box[3]
    x0, y0, x1, y1 = rectangle[0], rectangle[1], rectangle[2], rectangle[3]
    if min(x1, east) <= max(x0, west) or min(y1, north) <= max(y0, south):
        return APART
    return WITHIN if x0 <= west and east <= x1 and y0 <= south and north <= y1 else CUT


@compiled
def add_up(
    rectangles: Float64,
    relations: Int8,
    boxes: Int32,
    first: Int64,
    own: Int64,
    total: Int64,
    terms: Int32,
    cover: Int8,
    sums: Int64,
    draws: Int64,
) -> None:
    """Walk down for each rectangle, or for one region.

    Args:
        rectangles: (m, 4).
        relations: (nodes,): how each node lies to the region; empty for rectangles.
        boxes: (nodes, 4).
        first: (nodes + 1,): where children begin, as the others for `choose_covers`.
        own: (nodes, 2).
        total: (nodes,).
        terms: (nodes, noises).
        cover: (nodes,).
        sums: (2, m), all 0: what lies within is added to the first, what holds the query to the second.
        draws: (2, m, noises), all 0: how many draws of each noise they have.
    """
    stack = np.empty(boxes.shape[0], dtype=np.int64)
    for query in range(rectangles.shape[0]):
        stack[0], waiting = 0, 1
        while waiting:
            waiting -= 1
            # A node in the complement counts for what lies within alone: a box above it holds the query already.
            node, held = stack[waiting], stack[waiting] < 0
            if held:
                node = ~node
            lies = relations[node] if relations.size else relation(rectangles[query], boxes[node])
            if lies == WITHIN and cover[node] != NO_COVER:
                for side in range(1 if held else 2):
                    sums[side, query] += total[node]
                    for j in range(terms.shape[1]):
                        draws[side, query, j] += terms[node, j]
            elif lies != APART:
                if not held and cover[node] == OWN_ALONE:
                    sums[1, query] += own[node, 0]
                    draws[1, query, own[node, 1]] += 1
                    held = True
                for child in range(first[node], first[node + 1]):
                    stack[waiting] = ~child if held else child
                    waiting += 1
