"""From measured trips to an estimate that answers how many lead from any rectangle to any: public in, public out.

Pairs of boxes. From the leaves up, the cheapest of three models of a pair is kept, as pieces.py keeps them of boxes: its trips spread
evenly, none, or those of its children, which combine with its own measurements by inverse variance. From the top down children are moved
in proportion to their variances, to add up to their parent, none below 0.

Within a pair of boxes that is not cut further, trips lie as the released origins do in the one box, and as the released destinations do in
the other, independently: both are known finer than pairs can be.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.places.measurements import Int32, Int64
from starling.places.postprocess import Float64, estimate
from starling.places.trips.measurements import MeasuredPairs, MeasuredTrips
from starling.privacy.compiled import compiled
from starling.privacy.distributions.accuracy import standard_deviation

CHILD: Final = 12.0
"""What each further child costs a pair that is cut, in its squared deviations."""
EMPTY: Final = 8.0
"""What a pair without trips is ahead of one whose trips are spread evenly."""
SURE: Final = 20.0
"""By so many times the variance of an empty pair is smaller."""
LEAST: Final = 1e-12
"""A variance that noise of much epsilon is taken to have, which doubles would lose."""
EVEN, NONE, CUT = 0, 1, 2
"""The three models of a pair."""


@dataclass(frozen=True, slots=True, eq=False)
class TripEstimate:
    """Estimated trips of pairs of boxes that tile all pairs of cells, and how they lie within them.

    Attributes:
        boxes: int32 (leaves, 8): the pairs of boxes, as `trips` has them.
        trips: float64 (leaves,): trips of each, none below 0.
        origins: float64 (rows + 1, columns + 1): at (i, j) the released origins in the first i rows and j columns.
        destinations: float64 (rows + 1, columns + 1): the same of destinations.
    """

    boxes: Int32
    trips: Float64
    origins: Float64
    destinations: Float64

    def count(self, queries: npt.ArrayLike) -> Float64:
        """float64 (queries,): the trips from a rectangle to a rectangle of the grid, float64 (queries, 8): pairs of boxes with fractions of
        cells.
        """
        chosen = self.trips != 0
        rectangles = np.asarray(queries, dtype=np.float64).reshape(-1, 8)
        return _answers(self.boxes[chosen], self.trips[chosen], self.origins, self.destinations, rectangles)


def estimate_trips(measured: MeasuredTrips) -> TripEstimate:
    """The estimate of all that is measured."""
    return filled(measured.pairs, margins(measured))


def margins(measured: MeasuredTrips) -> tuple[Float64, Float64]:
    """float64 (rows, columns) each: the released origins and destinations of each cell."""
    origins, destinations = (estimate("adaptive", each).grid() for each in (measured.origins, measured.destinations))
    return origins, destinations


def filled(measured: MeasuredPairs, ends: tuple[Float64, Float64]) -> TripEstimate:
    """The estimate of pairs, within which trips lie as the released origins and destinations do."""
    leaves, trips = fitted(measured)
    below: list[Float64] = []
    for grid in ends:
        sums = np.zeros((grid.shape[0] + 1, grid.shape[1] + 1))
        np.cumsum(np.cumsum(np.maximum(grid, 0), axis=0), axis=1, out=sums[1:, 1:])
        below.append(sums)
    return TripEstimate(measured.boxes[leaves], trips, *below)


def fitted(measured: MeasuredPairs) -> tuple[Int64, Float64]:
    """int64 (leaves,): the pairs that stay whole; float64 (leaves,): their trips."""
    nodes = len(measured.parents)
    variances = np.array([max(standard_deviation(each) ** 2, LEAST) for each in measured.noises])
    weights = 1 / variances[measured.noise]
    own = np.asarray(np.bincount(measured.node, weights, nodes), dtype=np.float64)
    value = np.bincount(measured.node, weights * measured.value, nodes) / np.where(own > 0, own, 1)
    sides = (measured.boxes[:, 1::2] - measured.boxes[:, ::2]).astype(np.float64)
    many, variance, model = _upwards(measured.parents, sides.prod(axis=1), own, value)
    trips = _downwards(measured.parents, many, variance, model)
    open_ = np.zeros(nodes, dtype=np.bool_)
    open_[0] = True
    for begin, end in zip(measured.begins[1:], [*measured.begins[2:], nodes], strict=True):
        above = measured.parents[begin:end]
        open_[begin:end] = open_[above] & (model[above] == CUT)
    leaves = np.flatnonzero(open_ & (model != CUT))
    return leaves, trips[leaves]


@compiled
def _upwards(parents: Int64, areas: Float64, own: Float64, value: Float64) -> tuple[Float64, Float64, Int64]:
    """Of each node the trips, their variance, and the model that is kept; `own` is the inverse variance of its measurements."""
    nodes = len(parents)
    squares, products, costs = areas**2 * own, areas * own * value, own * value**2
    below, below_variance, below_cost = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
    children = np.zeros(nodes, dtype=np.int64)
    many, variance, model = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes, dtype=np.int64)
    for node in range(nodes - 1, -1, -1):
        area, a, b, c = areas[node], squares[node], products[node], costs[node]
        even = c - b * b / a
        many[node], variance[node], cost = area * b / a, area * area / a, even
        if c - EMPTY < cost:
            many[node], variance[node], model[node], cost = 0.0, variance[node] / SURE, NONE, c - EMPTY
        if children[node] > 0:
            s, v, w = below[node], below_variance[node], own[node]
            split = below_cost[node] + CHILD * (children[node] - 1)
            if w > 0:
                split += (value[node] - s) ** 2 / (1 / w + v)
            if split < cost:
                variance[node] = 1 / (w + 1 / v)
                many[node], model[node], cost = (w * value[node] + s / v) * variance[node], CUT, split
        above = parents[node]
        if above >= 0:
            squares[above] += a
            products[above] += b
            costs[above] += c
            below[above] += many[node]
            below_variance[above] += variance[node]
            below_cost[above] += cost
            children[above] += 1
    return many, variance, model


@compiled
def _downwards(parents: Int64, many: Float64, variance: Float64, model: Int64) -> Float64:
    """Trips of each node, of which children add up to their parent, none below 0. Children of a node stand side by side."""
    trips = np.zeros(len(parents))
    trips[0] = max(many[0], 0.0)
    begin = 1
    while begin < len(parents):
        above, end = parents[begin], begin
        while end < len(parents) and parents[end] == above:
            end += 1
        if model[above] == CUT:
            _share(trips[above], many[begin:end], variance[begin:end], trips[begin:end])
        begin = end
    return trips


@compiled
def _share(whole: float, many: Float64, variance: Float64, out: Float64) -> None:
    """Move numbers, in proportion to their variances, until they add up to a whole, none below 0."""
    free = np.ones(len(many), dtype=np.bool_)
    for _ in range(len(many)):
        total, spread = -whole, 0.0
        for at in range(len(many)):
            if free[at]:
                total += many[at]
                spread += variance[at]
        negative = False
        for at in range(len(many)):
            out[at] = many[at] - total / spread * variance[at] if free[at] else 0.0
            if out[at] < 0:
                out[at], free[at], negative = 0.0, False, True
        if not negative:
            return


@compiled
def _answers(boxes: Int32, trips: Float64, origins: Float64, destinations: Float64, queries: Float64) -> Float64:
    out = np.zeros(len(queries))
    box, common = np.empty(8), np.empty(8)
    for at in range(len(queries)):
        for leaf in range(len(boxes)):
            apart = False
            for side in range(4):
                box[2 * side], box[2 * side + 1] = boxes[leaf, 2 * side], boxes[leaf, 2 * side + 1]
                common[2 * side] = max(box[2 * side], queries[at, 2 * side])
                common[2 * side + 1] = min(box[2 * side + 1], queries[at, 2 * side + 1])
                apart |= common[2 * side] >= common[2 * side + 1]
            if not apart:
                part = _part(origins, box[:4], common[:4]) * _part(destinations, box[4:], common[4:])
                out[at] += trips[leaf] * part
    return out


@compiled
def _part(sums: Float64, box: Float64, inner: Float64) -> float:
    """The part of the points of a box that lie in an inner one; of its area, where it has no points."""
    whole = _within(sums, box[0], box[1], box[2], box[3])
    if whole > 1e-9:
        return min(max(_within(sums, inner[0], inner[1], inner[2], inner[3]) / whole, 0.0), 1.0)
    return float((inner[1] - inner[0]) * (inner[3] - inner[2]) / ((box[1] - box[0]) * (box[3] - box[2])))


@compiled
def _within(sums: Float64, south: float, north: float, west: float, east: float) -> float:
    return float(
        _below(sums, north, east) - _below(sums, south, east) - _below(sums, north, west) + _below(sums, south, west)
    )


@compiled
def _below(sums: Float64, y: float, x: float) -> float:
    """Points south-west of a place of the grid; within a cell they lie evenly."""
    row, column = int(y), int(x)
    up, right = min(row + 1, sums.shape[0] - 1), min(column + 1, sums.shape[1] - 1)
    low = sums[row, column] + (x - column) * (sums[row, right] - sums[row, column])
    high = sums[up, column] + (x - column) * (sums[up, right] - sums[up, column])
    return float(low + (y - row) * (high - low))
