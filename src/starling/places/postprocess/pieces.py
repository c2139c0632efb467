"""Which boxes of a tree are resolved further, are spread evenly, or are empty: a penalised choice, then counts that add up.

Measurements of a tree that grows by noisy counts are taken together bottom-up. Below each box one of three models is kept, whichever
costs least: points spread evenly (the squared distance of all measurements in the box to it, by their variances), no points (the
squared distance to 0, less 8), or a cut (the costs of the children, 12 for each child beyond the first, and the squared distance between
the box's own measurement and their sum). Then counts go top-down: a box's count is divided over its children so that none is negative.
"""

from math import isfinite
from typing import Final, NamedTuple

import numpy as np

from starling.places.arrays import Bool, Float64, Int64
from starling.places.measurements import MeasuredTree, Tree
from starling.places.postprocess.least_squares import Boxwise, merged, upwards
from starling.places.postprocess.leaves import Estimate
from starling.privacy.compiled import compiled
from starling.privacy.ordering import stable_order

CUT: Final = 12.0
"""What a cut costs for each child beyond the first, in squared standard deviations."""
EMPTY: Final = 8.0
"""What an empty box costs less."""
TIGHTER: Final = 20.0
"""The variance of an empty box is so many times smaller than that of a box with points spread evenly."""


class Chosen(NamedTuple):
    """The model of each box.

    Attributes:
        fit: The count of each box under its model, before counts are made to add up.
        cut: bool (nodes,): whether a box is resolved into its children.
        cost: float64 (nodes,): what the model costs.
    """

    fit: Boxwise
    cut: Bool
    cost: Float64


def piecewise(measured: MeasuredTree) -> Estimate:
    """Non-negative counts of the boxes that the choice keeps; they add up to the count of the whole grid."""
    own = merged(measured)
    tree, own = halved(measured.tree, own, upwards(measured.tree.parents, own).value)
    chosen = choose(tree, own)
    counts, leaves = divided(tree, chosen)
    return Estimate(tree.shape, tree.boxes[leaves], counts[leaves])


def halved(tree: Tree, own: Boxwise, guide: Float64) -> tuple[Tree, Boxwise]:
    """The tree with unmeasured halves between a box and its four quarters, so that two alike quarters may stay together.

    A box is first cut between rows if its halves of rows differ at least as much as its halves of columns, by `guide`, float64 (nodes,),
    and between columns otherwise.
    """
    parents, boxes = tree.parents, tree.boxes
    below, ends = tree.families
    four = np.flatnonzero(np.diff(ends, prepend=0) == 4)
    quarters = below[ends[four][:, None] + np.arange(-4, 0)]
    south, north, west, east = np.moveaxis(boxes[quarters], 2, 0)
    rows = (south[:, 0] == south[:, 1]) & (south[:, 2] == south[:, 3]) & (north[:, 0] == north[:, 1])
    columns = (west[:, 0] == west[:, 2]) & (west[:, 1] == west[:, 3]) & (east[:, 0] == east[:, 2])
    square = rows & columns & (south[:, 2] == north[:, 0]) & (west[:, 1] == east[:, 0])
    four, quarters = four[square], quarters[square]
    a, b, c, d = guide[quarters].T
    by_row = np.abs(a + b - c - d) >= np.abs(a + c - b - d)
    quarters = np.where(by_row[:, None], quarters, quarters[:, [0, 2, 1, 3]])
    # The halves of a box stand behind it, and so before its quarters.
    shift = np.zeros(len(parents), dtype=np.int64)
    shift[four] = 2
    place = np.arange(len(parents)) + np.cumsum(shift) - shift
    total = len(parents) + 2 * len(four)
    new_boxes, new_parents = np.empty((total, 4), dtype=np.int32), np.empty(total, dtype=np.int64)
    value, variance = np.zeros(total), np.full(total, np.inf)
    new_boxes[place], value[place], variance[place] = boxes, own.value, own.variance
    new_parents[place] = np.where(parents < 0, parents, place[parents])
    for half in range(2):
        one, other = quarters[:, 2 * half], quarters[:, 2 * half + 1]
        at = place[four] + 1 + half
        new_boxes[at] = np.where(np.arange(4) % 2 == 0, boxes[one], boxes[other])
        new_parents[at] = place[four]
        new_parents[place[one]] = new_parents[place[other]] = at
    return Tree(tree.shape, new_boxes, new_parents), Boxwise(value, variance)


def choose(tree: Tree, own: Boxwise) -> Chosen:
    """The model of each box that costs least, by what was measured; of equal ones the first of even spread, empty, cut."""
    nodes = len(tree.parents)
    work, children = np.zeros((6, nodes)), np.zeros(nodes, dtype=np.int64)
    chosen = Chosen(Boxwise(np.zeros(nodes), np.full(nodes, np.inf)), np.zeros(nodes, dtype=np.bool_), np.zeros(nodes))
    _choose(tree.parents, tree.areas, own, work, children, chosen.fit, chosen.cut, chosen.cost)
    return chosen


@compiled
def _choose(
    parents: Int64, areas: Int64, own: Boxwise, work: Float64, children: Int64, fit: Boxwise, cut: Bool, cost: Float64
) -> None:
    value, variance = own
    best, left = fit
    # All measurements at and below a box as densities: sum of weights, mean, squared distance from it. Merging means does not cancel.
    weight, mean, spread, sums, variances, below = work[0], work[1], work[2], work[3], work[4], work[5]
    for node in range(len(parents) - 1, -1, -1):
        area = float(areas[node])
        measured = isfinite(variance[node])
        if measured:
            added = area * area / variance[node]
            apart = value[node] / area - mean[node]
            total = weight[node] + added
            spread[node] += apart * apart * (weight[node] * added / total)
            mean[node] += apart * (added / total)
            weight[node] = total
        if weight[node] > 0:
            best[node], left[node], cost[node] = area * mean[node], area * area / weight[node], spread[node]
            if mean[node] * mean[node] * weight[node] < EMPTY:
                best[node], left[node] = 0.0, left[node] / TIGHTER
                cost[node] = spread[node] + mean[node] * mean[node] * weight[node] - EMPTY
        if children[node] > 0:
            price = below[node] + CUT * (children[node] - 1)
            if measured:
                price += (value[node] - sums[node]) ** 2 / (variance[node] + variances[node])
            if price < cost[node]:
                cut[node], cost[node], best[node], left[node] = True, price, sums[node], variances[node]
                if measured and not isfinite(variances[node]):
                    best[node], left[node] = value[node], variance[node]
                elif measured:
                    share = variances[node] / (variance[node] + variances[node])
                    best[node], left[node] = sums[node] + share * (value[node] - sums[node]), share * variance[node]
        above = parents[node]
        if above >= 0:
            children[above] += 1
            sums[above] += best[node]
            variances[above] += left[node]
            below[above] += cost[node]
            if weight[node] > 0:
                total = weight[above] + weight[node]
                apart = mean[node] - mean[above]
                spread[above] += spread[node] + apart * apart * (weight[above] * weight[node] / total)
                mean[above] += apart * (weight[node] / total)
                weight[above] = total


def divided(tree: Tree, chosen: Chosen) -> tuple[Float64, Bool]:
    """Counts that are not negative and add up at every box that is cut: of children z with variances w, max(0, z - t w).

    Returns float64 (nodes,), the counts, 0 below boxes that are not cut; and bool (nodes,), the boxes that tile the grid: reached by cuts,
    and not cut.
    """
    return _divided(*tree.families, tree.areas, chosen.fit, chosen.cut)


@compiled
def _divided(below: Int64, ends: Int64, areas: Int64, fit: Boxwise, cut: Bool) -> tuple[Float64, Bool]:
    nodes = len(cut)
    counts, chosen = np.zeros(nodes), np.zeros(nodes, dtype=np.bool_)
    counts[0], chosen[0] = max(fit.value[0], 0.0), True
    for node in range(nodes):
        if chosen[node] and cut[node]:
            chosen[node] = False
            begin = ends[node - 1] if node else 0
            _project(counts[node], below[begin : ends[node]], areas, fit, counts)
            for at in range(begin, ends[node]):
                chosen[below[at]] = True
    return counts, chosen


@compiled
def _project(total: float, children: Int64, areas: Int64, fit: Boxwise, counts: Float64) -> None:
    """The nearest non-negative counts with this sum, written for the children, where they are 0 before; children of which nothing is known,
    whose variance is infinite, share what the others leave, by area.

    Number by number: expressions of whole arrays take Numba long to compile.
    """
    if total <= 0 or _shared_out(total, children, areas, fit, counts):
        return
    value, variance = fit
    places, keys, known = np.empty(len(children), dtype=np.int64), np.empty(len(children)), 0
    for child in children:
        if isfinite(variance[child]):
            places[known], keys[known] = child, -(value[child] / variance[child])
            known += 1
    places, keys = places[:known], keys[:known]
    order = stable_order(keys)
    sums, variances, level = 0.0, 0.0, 0.0
    for rank in range(known):
        if rank and -keys[order[rank]] <= level:
            break
        sums += value[places[order[rank]]]
        variances += variance[places[order[rank]]]
        level = (sums - total) / variances
    added = 0.0
    for child in places:
        counts[child] = max(value[child] - level * variance[child], 0.0)
        added += counts[child]
    if added <= 0:  # Rounding of counts far larger than the total.
        for child in places:
            counts[child] = 0.0
        counts[places[order[0]]] = total
        return
    for child in places:
        counts[child] *= total / added


@compiled
def _shared_out(total: float, children: Int64, areas: Int64, fit: Boxwise, counts: Float64) -> bool:
    """Whether children of which nothing is known get something, and then all get theirs; arguments as of `_project`."""
    value, variance = fit
    unknown, taken = 0, 0.0
    for child in children:
        if isfinite(variance[child]):
            taken += max(value[child], 0.0)
        else:
            unknown += areas[child]
    if unknown == 0 or taken >= total:
        return False
    for child in children:
        if isfinite(variance[child]):
            counts[child] = max(value[child], 0.0)
        else:
            counts[child] = (total - taken) * (areas[child] / float(unknown))
    return True
