"""The optimum on histograms where the number of groups of every region is public: a flow of least convex cost, exact in integers.

The network. Each leaf region supplies its public total. Each cell is an edge without capacity: a leaf cell from its region to where the
children of its parent meet at that size, any other cell from where its children meet to where its siblings do, a root cell to the sink.
The cost of an edge is weight (flow - noisy)^2. Totals above the leaves follow from those of the leaves.

The method. Prices of the relaxed problem come from Newton steps that correct one level's totals at a time. Rounded to integers they give
each cell the flow that is cheapest at its prices, which leaves some units too many or too few at nodes. These are repaired as in the
primal-dual method for flows of least cost: shortest distances from all nodes with units left, prices lowered by them, units moved
along edges that cost nothing then, until none is left. Where many are left, as many groups as a power of two move together first,
and half as many at a time afterwards. All of it is on integers, and prices prove the result (certificate.py).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from starling.groups.optimise import flow_kernels as kernels
from starling.groups.optimise.problem import Problem
from starling.groups.optimise.relaxed import priced
from starling.groups.optimise.tree import Int64
from starling.groups.optimise.water_kernels import Families

ROUNDS: Final = 12
"""Newton steps, each for the totals of one level in turn."""
FEW: Final = 7
"""Nodes begin with fewer than 2^FEW units too many or too few; where they have more, units are groups that move together."""
LARGEST: Final = 1 << 58
"""No price that a flow begins with is larger."""


def optimum_with_totals(problem: Problem, totals: Sequence[Int64]) -> tuple[tuple[Int64, ...], tuple[Int64, ...]]:
    """The optimum for totals of the regions of each level, root first, that add up; and prices that prove it.

    Returns the levels, and for each level the price of what lies below its cells: int64 (regions of the level, sizes), or (leaves, 1).
    """
    tree, sizes = problem.tree, problem.cells[0].shape[1]
    inner = int(tree.starts[-2])
    weights = np.repeat(problem.weights, np.array(tree.regions))
    noisy = np.concatenate(problem.cells)
    rows, meets = _start(problem, totals)
    counts = np.empty_like(noisy)
    rows_left: Int64 = np.empty_like(totals[-1])
    meets_left = np.empty((inner, sizes), dtype=np.int64)
    network, children = kernels.Network(noisy, tree.parent, weights, rows, meets), Families(tree.children, tree.offsets)
    unit = 0
    while unit != 1:
        rows_left[:], meets_left[:] = totals[-1], 0
        kernels.cheapest_flow(network, counts, rows_left, meets_left)
        most = max(int(np.abs(rows_left).max()), int(np.abs(meets_left).max()))
        unit = max(1, unit // 2) if unit else 1 << max(0, most.bit_length() - FEW)
        while True:
            # The sink may have too much or too little as well. Its price stays 0, and the others move instead.
            sink_left = int(counts[0].sum()) - problem.total
            left = (rows_left.max(), meets_left.max(), rows_left.min(), meets_left.min(), sink_left)
            if max(left) < unit or min(left) > -unit:
                break
            row_far = np.where(rows_left >= unit, 0, kernels.FAR)
            meet_far = np.where(meets_left >= unit, 0, kernels.FAR)
            begin = 0 if sink_left >= unit else kernels.FAR
            sink_far = kernels.distances(network, counts, row_far, meet_far, begin, unit)
            reached = [each[each < kernels.FAR].max(initial=0) for each in (row_far, meet_far, np.array([sink_far]))]
            furthest = max(map(int, reached))
            rows -= np.minimum(row_far, furthest) - min(sink_far, furthest)
            meets -= np.minimum(meet_far, furthest) - min(sink_far, furthest)
            moved, units = 0, (problem.total, unit)
            while more := kernels.move_units(network, children, counts, rows_left, meets_left, *units):
                moved += more
            if not moved:  # Only of several groups together: what is too few may be spread over cells that have fewer.
                break
    levels = tuple(counts[tree.rows(level)] for level in range(tree.levels))
    return levels, (*(meets[tree.rows(level)] for level in range(tree.levels - 1)), rows[:, None])


def _start(problem: Problem, totals: Sequence[Int64]) -> tuple[Int64, Int64]:
    """Integer prices near those of the relaxed problem, of the leaf regions and of where children meet."""
    tree, cells = problem.tree, problem.cells
    families = Families.of(tree, tree.levels - 2)
    noisy = np.concatenate(cells[:-1])
    first = int(tree.starts[-3])
    parent = tree.parent[: len(noisy)]
    doubled = 2.0 * np.repeat(problem.weights[:-1], np.array(tree.regions[:-1]))
    leaf_twice = 2.0 * problem.weights[-1]
    row_prices = np.zeros(len(cells[-1]))
    shares, values, slopes = (np.zeros(noisy.shape) for _ in range(3))
    shares[first:] = float(np.iinfo(np.int64).max)
    for number in range(ROUNDS):
        counts, sums, _, _ = kernels.active_at(cells[-1], families, shares[first:], row_prices, leaf_twice)
        if not priced(counts, sums, noisy, parent, doubled, leaf_twice, float(problem.total), shares, values, slopes):
            break
        level = tree.levels - 1 - number % (tree.levels - 1)
        if level == tree.levels - 1:
            _, _, active, reached = kernels.active_at(cells[-1], families, shares[first:], row_prices, leaf_twice)
            row_prices += leaf_twice * (totals[-1] - reached) / np.maximum(active, 1)
        else:
            rows = tree.rows(level)
            moved = (slopes[rows] / (1 + doubled[rows, None] * slopes[rows])).sum(axis=1)
            missing = totals[level] - (values[rows] + slopes[rows] * shares[rows]).sum(axis=1)
            step = np.divide(missing, moved, out=np.zeros_like(missing), where=moved > 0)
            for below in tree.parents[level:]:
                step = step[below]
            row_prices += step
    limit = float(LARGEST)
    as_integers = [np.rint(np.clip(each, -limit, limit)).astype(np.int64) for each in (row_prices, shares)]
    # What one group costs at the root, which is taken off everywhere so that the price of the sink is 0.
    root = shares[0, 0] + doubled[0] * (values[0, 0] + slopes[0, 0] * shares[0, 0] - noisy[0, 0])
    top = int(np.rint(np.clip(root, -limit, limit)))
    return as_integers[0] + top, top - as_integers[1]
