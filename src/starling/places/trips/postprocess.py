"""From measured trips to an estimate that answers how many lead from any rectangle to any: public in, public out.

Pairs of boxes. From the leaves up, the cheapest of three models of a pair is kept, as pieces.py keeps them of boxes: its trips spread
as both ends are, none, or those of its children, which combine with its own measurements by inverse variance. From the top down children
are moved in proportion to their variances, to add up to their parent, none below 0.

Spread as both ends are: within a pair of boxes, trips lie as the released origins do in the one box, and as the released destinations do
in the other, independently. Both are known finer than pairs can be. Where all but a few of them lie in one of the parts that a pair has in
the tree, it is given by its parts, each with its share: that changes no answer, and says better where trips lead.

What a model costs beside its squared deviations is estimated (empirical Bayes). Let the numbers of leaves be 0 with a chance p, and else
anything up to a size r, far beyond their noise, of deviation s. Twice the logarithm of the odds that a leaf has no trips is then
2 ln (r/(s sqrt(2 pi))) + 2 ln (p/(1 - p)), before its number is seen: much where few pairs have many trips, as with flights, and little
where most pairs have some. Half of the numbers of empty leaves lie below 0, so that p is twice the share of numbers that do; r is
the mean number of the leaf that a trip lies in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, log, pi, sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.places.arrays import Float64, Int32, Int64
from starling.places.postprocess import estimate
from starling.places.trips.measurements import MeasuredPairs, MeasuredTrips
from starling.privacy.compiled import compiled
from starling.privacy.distributions.accuracy import standard_deviation

CHILD: Final = 2.0
"""What each further child costs a pair that is cut, in its squared deviations, beside what is estimated."""
STRENGTH: Final = 1.5
"""By so much what is estimated counts: a leaf that is wrongly taken for empty is lost among few, one that is not is one of many."""
EVENLY: Final = 0.02
"""The part of each end that is taken to lie evenly over the grid, as no box that seems empty surely is."""
SURE: Final = 20.0
"""By so many times the variance of an empty pair is smaller."""
LEAST: Final = 1e-12
"""A variance that noise of much epsilon is taken to have, which doubles would lose."""
ALONE: Final = 0.95
"""The share of a part that has all but a few of the trips that are spread over a pair."""
SPREAD, NONE, CUT = 0, 1, 2
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


def margins(measured: MeasuredTrips) -> tuple[Float64, Float64]:
    """float64 (rows, columns) each: the released origins and destinations of each cell."""
    origins, destinations = (estimate("adaptive", each).grid() for each in (measured.origins, measured.destinations))
    return origins, destinations


def filled(measured: MeasuredPairs, ends: tuple[Float64, Float64]) -> TripEstimate:
    """The estimate of pairs, within which trips lie as the released origins and destinations do."""
    below: list[Float64] = []
    for grid in ends:
        sums = np.zeros((grid.shape[0] + 1, grid.shape[1] + 1))
        np.cumsum(np.cumsum(np.maximum(grid, 0), axis=0), axis=1, out=sums[1:, 1:])
        below.append(sums)
    leaves, trips = fitted(measured, parts(measured.boxes, below), parts(measured.boxes, below, 0.0))
    return TripEstimate(measured.boxes[leaves], trips, *below)


def parts(boxes: Int32, ends: Sequence[Float64], evenly: float = EVENLY) -> Float64:
    """float64 (pairs,): the part of all trips that lies in each pair of boxes, if origins and destinations are independent.

    Args:
        boxes: int32 (pairs, 8).
        ends: Of origins and of destinations, the points in the first rows and columns, as `TripEstimate` has them.
        evenly: The part of each end that lies evenly; where it is above 0, all parts are.
    """
    result = np.ones(len(boxes))
    for end, sums in enumerate(ends):
        south, north, west, east = boxes[:, 4 * end : 4 * end + 4].T
        areas = ((north - south) * (east - west)) / ((sums.shape[0] - 1) * (sums.shape[1] - 1))
        inside = sums[north, east] - sums[south, east] - sums[north, west] + sums[south, west]
        share = np.maximum(inside, 0) / sums[-1, -1] if sums[-1, -1] > 0 else areas
        result *= (1 - evenly) * share + evenly * areas
    return result


def emptiness(values: Int64, variances: Float64) -> float:
    """By how much a leaf without trips is likelier than one with some, before its number is seen: twice a logarithm, at least 0.

    Args:
        values: int64 (leaves,): the noisy numbers of leaves.
        variances: float64 (leaves,): of their noise.

    >>> round(emptiness(np.array([-1, 1, -1, 1000]), np.ones(4)), 2), emptiness(np.array([2, 3, 2, 3]), np.ones(4))
    (21.17, 0.0)
    """
    numbers = values.tolist()
    part = min(max(2 * np.count_nonzero(values < 0) / len(numbers), 0.01), 0.99)
    squares = fsum(each * each for each in numbers) - fsum(variances.tolist())
    size, deviation = max(squares, 0.0) / max(fsum(numbers), 1.0), sqrt(fsum(variances.tolist()) / len(numbers))
    return max(2 * log(max(size / (deviation * sqrt(2 * pi)), 1.0)) + 2 * log(part / (1 - part)), 0.0)


def fitted(measured: MeasuredPairs, parts: Float64, shares: Float64) -> tuple[Int64, Float64]:
    """int64 (leaves,): the pairs that are not cut further; float64 (leaves,): their trips.

    Args:
        measured: The tree.
        parts: float64 (nodes,): the part of all trips that each pair of boxes has where trips are spread; above 0.
        shares: The part by which a pair that stays whole is given by its parts; as `parts`, but it may be 0.
    """
    nodes = len(measured.parents)
    variances = np.array([max(standard_deviation(each) ** 2, LEAST) for each in measured.noises])[measured.noise]
    own = np.asarray(np.bincount(measured.node, 1 / variances, nodes), dtype=np.float64)
    value = np.bincount(measured.node, measured.value / variances, nodes) / np.where(own > 0, own, 1)
    fresh = ~measured.steered
    empty = STRENGTH * emptiness(measured.value[fresh], variances[fresh])
    many, variance, model = _upwards(measured.parents, parts, own, value, empty)
    trips, leaves = _downwards(measured.parents, many, variance, model, shares)
    return leaves, trips[leaves]


@compiled
def _upwards(
    parents: Int64, parts: Float64, own: Float64, value: Float64, empty: float
) -> tuple[Float64, Float64, Int64]:
    """Of each node the trips, their variance, and the model that is kept; `own` is the inverse variance of its measurements."""
    nodes = len(parents)
    squares, products, costs = parts**2 * own, parts * own * value, own * value**2
    below, below_variance, below_cost = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
    children = np.zeros(nodes, dtype=np.int64)
    many, variance, model = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes, dtype=np.int64)
    for node in range(nodes - 1, -1, -1):
        part, a, b, c = parts[node], squares[node], products[node], costs[node]
        many[node], variance[node], cost = part * b / a, part * part / a, c - b * b / a
        none = c - empty
        if none < cost:
            many[node], variance[node], model[node], cost = 0.0, variance[node] / SURE, NONE, none
        if children[node] > 0:
            s, v, w = below[node], below_variance[node], own[node]
            split = below_cost[node] + (CHILD + empty) * (children[node] - 1)
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
def _downwards(
    parents: Int64, many: Float64, variance: Float64, model: Int64, shares: Float64
) -> tuple[Float64, Int64]:
    """Trips of each node, of which children add up to their parent, none below 0; and the nodes that are reached from the first through
    those that are cut, and not cut. Children of a node stand side by side. A node whose trips are spread is cut too, and its children get
    their shares, where one of them has all but a few; `model` is changed so.
    """
    trips, reached = np.zeros(len(parents)), np.zeros(len(parents), dtype=np.bool_)
    trips[0], reached[0] = max(many[0], 0.0), True
    begin = 1
    while begin < len(parents):
        above, end = parents[begin], begin
        while end < len(parents) and parents[end] == above:
            end += 1
        whole = shares[begin:end].sum()
        if reached[above] and model[above] == CUT:
            _share(trips[above], many[begin:end], variance[begin:end], trips[begin:end])
            reached[begin:end] = True
        elif reached[above] and model[above] == SPREAD and shares[begin:end].max() > ALONE * whole:
            for child in range(begin, end):
                trips[child], model[child] = trips[above] * shares[child] / whole, SPREAD
            model[above] = CUT
            reached[begin:end] = True
        begin = end
    return trips, np.flatnonzero(reached & (model != CUT))


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
