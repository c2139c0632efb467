"""Which measured boxes lie within a query and which together hold it, found by walking down from the whole grid.

A measurement is fresh if nothing in the tree depends on its value; a steered one decides what lies below its own box, and nothing else.
For each box the index keeps its cover: disjoint boxes with fresh measurements that tile it, either its own or those below it, whichever
have the smaller variance in all. What is chosen depends on the shape and on scales, never on a fresh value, so that the noise of a sum over
covers has a known distribution.

Why a steered measurement may take the place of a cover. Walk down from the whole grid, and look at the steered values of the boxes that
are not added themselves. A box v that is reached and lies within the query has noise of its own that is independent of all that was looked
at, and of everything outside v. So whether v's steered value or its cover is added may depend on the steered values of the boxes above it,
though not on v's own: it is taken if the nearest steered value above v is at least `NEAR` standard deviations of v's. Then the sum has
independent noise of known scales given what was looked at. One value in place of the many leaves of a crowded box has less noise.

The count of the whole grid says nothing of where points lie. So where the depth below it is not measured, the first steered value of a box
within the query is looked at, and the walk goes on below: an empty box is added by its leaves, which have little noise, and of a crowded
one the boxes below are added by their steered values. Which boxes these are depends on the depths that are measured alone.

`NEAR` matters for width alone; 16 was chosen on uber, twitter, BeijingTaxiE, cabspottingE, crime, earthquakes and three Gaussians.

Boxes with very many children, such as a grid that was measured cell by cell, get groups of them in between, by their place along a
curve; a group is no measurement, and its box may overlap others.
"""

from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.places.answers.regions import Shares
from starling.places.arrays import Bool, Float64, Int8, Int32, Int64
from starling.places.measurements import MeasuredTree
from starling.privacy.compiled import compiled
from starling.privacy.distributions.accuracy import standard_deviation
from starling.privacy.distributions.discrete import Distribution

MOST_CHILDREN: Final = 16
"""Of a box, before they are put into groups."""
GROUP: Final = 8
"""Children in a group."""
NEAR: Final = 16.0
"""Standard deviations of a steered measurement."""
NOTHING: Final = -1
"""Stands for the noise of a box without a measurement."""

NO_COVER: Final = 0
OWN_ALONE: Final = 1
"""The cover is the box itself, and some box below it has none."""
OWN: Final = 2
"""The cover is the box itself, although the boxes below it have covers too."""
BELOW: Final = 3
"""The cover is that of the boxes below."""

NEITHER: Final = 0
STEERED: Final = 1
COVER: Final = 2

APART: Final = 0
CUT: Final = 1
WITHIN: Final = 2

Nodes: TypeAlias = npt.NDArray[np.void]
"""Boxes of the index, level by level, siblings side by side: a record each, of these fields."""

SIDES: Final = ("south", "north", "west", "east")
_NODE: Final = np.dtype(
    [(name, np.int32) for name in SIDES]
    # Its children are the nodes from `first` to before `end`.
    + [(name, np.int64) for name in ("first", "end")]
    # Its measurements of least variance, fresh and steered, with their noises or NOTHING.
    + [(name, np.int64) for name in ("fresh", "fresh_noise", "steered", "steered_noise")]
    # What kind of cover it has, and the sum over it; whether a steered measurement lies in it; whether its own is looked at, and not added.
    + [("cover", np.int8), ("total", np.int64), ("steers", np.bool_), ("looked", np.bool_)]
    # From which steered value above it on its own steered measurement is taken.
    + [("needs", np.float64)]
)


class Sums(NamedTuple):
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
        deviations = np.array([standard_deviation(each) for each in self.noises])
        boxes, parents, original = grouped(measured.tree.boxes, measured.tree.parents)
        self._shape, self._original = measured.tree.shape, original
        self._nodes = np.zeros(len(boxes), dtype=_NODE)
        for name, ends in zip(SIDES, boxes.T, strict=True):
            self._nodes[name] = ends
        bounds = np.searchsorted(parents[1:], np.arange(len(boxes) + 1)) + 1
        self._nodes["first"], self._nodes["end"] = bounds[:-1], bounds[1:]
        real = original >= 0
        for name, steered in (("fresh", False), ("steered", True)):
            cover = least_noisy(measured, self.noises, deviations, steered=steered)
            self._nodes[name][real] = cover[original[real], 0]
            self._nodes[f"{name}_noise"] = NOTHING
            self._nodes[f"{name}_noise"][real] = cover[original[real], 1]
        self._nodes["needs"] = NEAR * deviations[self._nodes["steered_noise"]]
        self._terms = np.zeros((len(boxes), len(self.noises)), dtype=np.int32)
        choose_covers(self._nodes, deviations**2, self._terms)
        mark_looked(self._nodes, original)
        if self._nodes["cover"][0] == NO_COVER:
            raise ParameterError("measurements", "do not hold every cell", "give those of a release")

    def sums(self, rectangles: Float64) -> Sums:
        """Sums for each rectangle: float64 (m, 4) in cell units, found to be in order."""
        return self._walk(rectangles, np.empty(0, dtype=np.int8))

    def sums_of_region(self, shares: Shares) -> Sums:
        """Sums for one region, given by its shares of cells."""
        parts = [np.zeros(np.add(shares.share.shape, 1), dtype=np.int64) for _ in range(2)]
        for part, cells in zip(parts, (shares.share > 0, shares.share == 1), strict=True):
            part[1:, 1:] = cells.cumsum(axis=0).cumsum(axis=1)
        south, north, west, east = (self._nodes[name].astype(np.int64) for name in SIDES)
        areas = (north - south) * (east - west)
        south, north = (np.clip(each - shares.row, 0, shares.share.shape[0]) for each in (south, north))
        west, east = (np.clip(each - shares.column, 0, shares.share.shape[1]) for each in (west, east))
        touched, whole = (
            part[north, east] - part[south, east] - part[north, west] + part[south, west] for part in parts
        )
        relations = np.where(whole == areas, WITHIN, np.where(touched > 0, CUT, APART)).astype(np.int8)
        return self._walk(np.zeros((1, 4)), relations)

    @property
    def nodes(self) -> Nodes:
        """The boxes of the index, level by level, with groups of very many children in between."""
        return self._nodes

    @cached_property
    def tiles(self) -> Bool:
        """bool (nodes,): which boxes of the index are the smallest ones with fresh measurements that tile the grid."""
        chosen = np.zeros(len(self._nodes), dtype=np.bool_)
        finest(self._nodes, chosen)
        return chosen

    def _walk(self, rectangles: Float64, relations: Int8) -> Sums:
        sums = np.zeros((2, len(rectangles)), dtype=np.int64)
        draws = np.zeros((2, len(rectangles), len(self.noises)), dtype=np.int64)
        add_up(rectangles, relations, self._nodes, self._terms, sums, draws)
        return Sums(*sums, *draws)


def least_noisy(
    measured: MeasuredTree, noises: tuple[Distribution, ...], deviations: Float64, *, steered: bool
) -> Int64:
    """int64 (nodes, 2): for each box its fresh or steered measurement of least variance, the last of several; value, noise or `NOTHING`.

    `noises` are the distinct distributions of noise, `deviations`, float64 (noises,), theirs.
    """
    kinds = np.array([noises.index(each) for each in measured.noises], dtype=np.int64)[measured.noise]
    best = np.zeros((len(measured.tree.parents), 2), dtype=np.int64)
    best[:, 1] = NOTHING
    chosen = np.flatnonzero(measured.steered == steered)
    # The last one that is written stays: worst first. Few numbers of 16 bits are sorted by counting.
    rank = np.unique(-deviations, return_inverse=True)[1].astype(np.min_scalar_type(len(deviations)))
    order = chosen[np.argsort(rank[kinds[chosen]], kind="stable")]
    best[measured.node[order]] = np.stack([measured.value[order], kinds[order]], axis=1)
    return best


def grouped(boxes: Int32, parents: Int64) -> tuple[Int32, Int64, Int64]:
    """The tree with groups between a box and very many children, level by level, siblings side by side.

    Takes int32 (nodes, 4) and int64 (nodes,), parents before their children. Returns boxes, parents (in order), and for each node the one
    of the given tree that it is, or -1 for a group.
    """
    original = np.arange(len(boxes), dtype=np.int64)
    place = np.empty(0, dtype=np.int64)
    while True:
        children = np.bincount(parents[1:], minlength=len(parents))
        many = np.flatnonzero(np.concatenate([[False], children[parents[1:]] > MOST_CHILDREN]))
        if not len(many):
            break
        place = place if len(place) else morton(boxes)
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


def morton(boxes: Int32) -> Int64:
    """int64 (boxes,): places along a curve on which near boxes are mostly near: the bits of the first row and column of each in turn."""
    place = np.zeros(len(boxes), dtype=np.int64)
    for bit in range(31):
        for shift, side in ((1, 0), (0, 2)):
            place |= (boxes[:, side].astype(np.int64) >> bit & 1) << (2 * bit + shift)
    return place


@compiled
def breadth_first(by_parent: Int64, children: Int64) -> Int64:
    """All nodes, level by level, children of one node side by side: of nodes by their parents, the root first, and each node's children."""
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
def choose_covers(nodes: Nodes, variances: Float64, terms: Int32) -> None:
    """Find the cover of each box, children before parents: `cover`, `total` and `steers` of `nodes`, (nodes,), are written, and into
    `terms`, (nodes, noises), all 0, how many draws of each noise a cover has; `variances` are (noises,).
    """
    spread = np.zeros(nodes.size)
    for node in range(nodes.size - 1, -1, -1):
        first, end, noise = nodes[node]["first"], nodes[node]["end"], nodes[node]["fresh_noise"]
        below, sum_below, steers = end > first, 0.0, nodes[node]["steered_noise"] >= 0
        for child in range(first, end):
            below = below and nodes[child]["cover"] > 0
            sum_below += spread[child]
            steers = steers or nodes[child]["steers"]
        nodes[node]["steers"] = steers
        if noise >= 0 and (not below or variances[noise] <= sum_below):
            nodes[node]["cover"] = OWN if below else OWN_ALONE
            nodes[node]["total"], spread[node] = nodes[node]["fresh"], variances[noise]
            terms[node, noise] = 1
        elif below:
            nodes[node]["cover"], spread[node] = BELOW, sum_below
            total = 0
            for child in range(first, end):
                total += nodes[child]["total"]
                for j in range(variances.size):
                    terms[node, j] += terms[child, j]
            nodes[node]["total"] = total


@compiled
def mark_looked(nodes: Nodes, original: Int64) -> None:
    """Write `looked` of `nodes`, (nodes,): two depths or more below the grid, with no steered measurement but the grid's above the own;
    `original` is -1 for a group, which is no depth.
    """
    depths, below = np.zeros(nodes.size, dtype=np.int32), np.zeros(nodes.size, dtype=np.bool_)
    for node in range(nodes.size):
        steered = nodes[node]["steered_noise"] >= 0
        nodes[node]["looked"] = steered and not below[node] and depths[node] > 1
        for child in range(nodes[node]["first"], nodes[node]["end"]):
            depths[child] = depths[node] + (original[child] >= 0)
            below[child] = below[node] or (steered and node > 0)


@compiled
def finest(nodes: Nodes, chosen: npt.NDArray[np.bool_]) -> None:
    """Mark in `chosen`, (nodes,), the smallest boxes with covers that tile the grid: one is cut where all boxes below have covers."""
    chosen[0] = True
    for node in range(nodes.size):
        if chosen[node] and nodes[node]["cover"] != OWN_ALONE:
            chosen[node] = False
            for child in range(nodes[node]["first"], nodes[node]["end"]):
                chosen[child] = True


@compiled
def relation(rectangle: Float64, nodes: Nodes, node: int) -> int:
    """How a box lies to a rectangle: `APART`, `CUT` or `WITHIN`."""
    south, north, west, east = nodes[node]["south"], nodes[node]["north"], nodes[node]["west"], nodes[node]["east"]
    x0, y0, x1, y1 = rectangle[0], rectangle[1], rectangle[2], rectangle[3]
    if min(x1, east) <= max(x0, west) or min(y1, north) <= max(y0, south):
        return APART
    return WITHIN if x0 <= west and east <= x1 and y0 <= south and north <= y1 else CUT


@compiled
def choice(node: np.void, near: float) -> int:
    """What is added of a box within the query, given the nearest steered value above it: its `STEERED` value, its `COVER`, or `NEITHER`,
    and then what boxes below it give.
    """
    added = node["steered_noise"] >= 0 and not node["looked"]
    if added and near >= node["needs"]:
        return STEERED
    # Without a steered value of its own to add, boxes below may have one that is better than their cover.
    descends = not added and node["steers"] and node["cover"] == BELOW
    return NEITHER if descends or node["cover"] == NO_COVER else COVER


@compiled
def add_up(rectangles: Float64, relations: Int8, nodes: Nodes, terms: Int32, sums: Int64, draws: Int64) -> None:
    """Walk down for each rectangle, (m, 4), or for one region, to which `relations`, (nodes,), say how each node lies.

    What lies within is added to the first of `sums`, (2, m), all 0, what holds the query to the second; and how many draws of each noise
    they have to `draws`, (2, m, noises), all 0, from those of covers, `terms`, (nodes, noises).
    """
    stack, above = np.empty(nodes.size, dtype=np.int64), np.empty(nodes.size)
    for query in range(rectangles.shape[0]):
        stack[0], above[0], waiting = 0, np.inf, 1
        while waiting:
            waiting -= 1
            # A node in the complement counts for what lies within alone: a box above it holds the query already.
            node, held, near = stack[waiting], stack[waiting] < 0, above[waiting]
            if held:
                node = ~node
            lies = relations[node] if relations.size else relation(rectangles[query], nodes, node)
            if lies == APART:
                continue
            taken = choice(nodes[node], near) if lies == WITHIN else NEITHER
            for side in range(0 if taken == NEITHER else 1 if held else 2):
                sums[side, query] += nodes[node]["steered"] if taken == STEERED else nodes[node]["total"]
                for j in range(terms.shape[1]):
                    draws[side, query, j] += j == nodes[node]["steered_noise"] if taken == STEERED else terms[node, j]
            if taken != NEITHER:
                continue
            if not held and nodes[node]["cover"] == OWN_ALONE:
                sums[1, query] += nodes[node]["fresh"]
                draws[1, query, nodes[node]["fresh_noise"]] += 1
                held = True
            if nodes[node]["steered_noise"] >= 0:
                near = float(nodes[node]["steered"])
            for child in range(nodes[node]["first"], nodes[node]["end"]):
                stack[waiting], above[waiting] = ~child if held else child, near
                waiting += 1
