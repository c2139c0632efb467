"""Kernels of the flow of least convex cost. Regions are numbered as in `Tree`; the cell (v, s) is an edge between two nodes.

The edge starts at the leaf region v itself, or where the children of v meet at size s; it ends where the children of its parent meet, or at
the sink, whose price is 0. Each of `unit` groups more costs w (2 (flow - noisy) + unit) - price at its start + price at its end, which is
never negative; each of `unit` fewer, where there are as many, costs 2 w unit minus that.
"""

from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.groups.optimise.tree import Int64
from starling.groups.optimise.water_kernels import Families
from starling.privacy.compiled import compiled

Float64: TypeAlias = npt.NDArray[np.float64]

FAR: Final = 1 << 61
"""The distance of a node that is not reached."""


class Network(NamedTuple):
    """A network and its prices.

    Attributes:
        noisy: int64 (regions, sizes).
        parent: int64 (regions,): number of each region's parent; that of the root is not read.
        weights: int64 (regions,).
        rows: int64 (leaves,): prices of the leaf regions.
        meets: int64 (inner regions, sizes): prices of where children meet.
    """

    noisy: Int64
    parent: Int64
    weights: Int64
    rows: Int64
    meets: Int64


@compiled
def active_at(
    cells: Int64, families: Families, prices: Float64, row_prices: Float64, leaf_twice: float
) -> tuple[Float64, Float64, Float64, Float64]:
    """Leaves, (leaves, sizes), that are above 0 at the prices of their parents, (parents, sizes), and at their own, (leaves,).

    Returns for each parent and size, how many are active and the sum of their noisy counts, moved by their own price alone; for each leaf
    region, how many sizes are active and the sum of their counts. `leaf_twice` is twice the weight of the leaves.
    """
    rows, offsets = families
    counts, sums = np.zeros(prices.shape), np.zeros(prices.shape)
    active, reached = np.zeros(len(cells)), np.zeros(len(cells))
    sizes = cells.shape[1]
    for u in range(offsets.size - 1):
        number, added, price = counts[u], sums[u], prices[u]
        for i in range(offsets[u], offsets[u + 1]):
            r = rows[i]
            values, own = cells[r], row_prices[r] / leaf_twice
            for s in range(sizes):
                moved = values[s] + own
                count = moved + price[s] / leaf_twice
                if count > 0:
                    number[s] += 1
                    added[s] += moved
                    active[r] += 1
                    reached[r] += count
    return counts, sums, active, reached


@compiled
def cheapest_flow(network: Network, counts: Int64, rows_left: Int64, meets_left: Int64) -> None:
    """Give each cell the flow that is cheapest at these prices, and book it at its ends.

    Args:
        network: The network.
        counts: (regions, sizes), written.
        rows_left: (leaves,): lowered by what flows out.
        meets_left: (inner regions, sizes): raised by what flows in, lowered by what flows out.
    """
    noisy, parent, weights, rows, meets = network
    inner, sizes = meets.shape
    for v in range(len(noisy)):
        w = weights[v]
        for s in range(sizes):
            start = meets[v, s] if v < inner else rows[v - inner]
            end = meets[parent[v], s] if v > 0 else 0
            count = max(0, noisy[v, s] + (start - end + w) // (2 * w))
            counts[v, s] = count
            if v < inner:
                meets_left[v, s] -= count
            else:
                rows_left[v - inner] -= count
            if v > 0:
                meets_left[parent[v], s] += count


@compiled
def distances(  # noqa: C901, PLR0912, PLR0915 - upwards and downwards, leaves and others
    network: Network, counts: Int64, row_far: Int64, meet_far: Int64, sink_far: int, unit: int
) -> int:
    """Lower distances until no edge lowers one further; the sink's is returned.

    Args:
        network: The network.
        counts: (regions, sizes).
        row_far: (leaves,), lowered.
        meet_far: (inner regions, sizes), lowered.
        sink_far: Where it begins.
        unit: How many groups move together.
    """
    noisy, parent, weights, rows, meets = network
    inner, sizes = meets.shape
    end, end_far = np.zeros(sizes, dtype=np.int64), np.empty(sizes, dtype=np.int64)
    # A leaf region whose distance did not become lower lowers no other; where children meet, the same holds for its children.
    lowered_rows, lowered_meets = row_far < FAR, np.ones(inner, dtype=np.bool_)
    changed = True
    while changed:
        changed = False
        for v in range(len(noisy) - 1, -1, -1):  # upwards
            w, known, count = weights[v], noisy[v], counts[v]
            price, far = (meets[parent[v]], meet_far[parent[v]]) if v > 0 else (end, end_far)
            if v == 0:
                end_far[:] = sink_far
            if v >= inner:
                if not lowered_rows[v - inner]:
                    continue
                lowered_rows[v - inner] = False
                start, at, lower = rows[v - inner], row_far[v - inner], False
                for s in range(sizes):
                    shorter = at + w * (2 * (count[s] - known[s]) + unit) - start + price[s]
                    lower |= shorter < far[s]
                    far[s] = min(far[s], shorter)
                lowered_meets[parent[v]] |= lower
                changed |= lower
            else:
                starts, ats, lower = meets[v], meet_far[v], False
                for s in range(sizes):
                    shorter = ats[s] + w * (2 * (count[s] - known[s]) + unit) - starts[s] + price[s]
                    lower |= shorter < far[s]
                    far[s] = min(far[s], shorter)
                if v > 0:
                    lowered_meets[parent[v]] |= lower
                changed |= lower
        sink_far = end_far.min()
        for v in range(len(noisy)):  # downwards, where something flows
            w, known, count = weights[v], noisy[v], counts[v]
            price, far = (meets[parent[v]], meet_far[parent[v]]) if v > 0 else (end, end_far)
            if v == 0:
                end_far[:] = sink_far
            if v >= inner:
                if not lowered_meets[parent[v]]:
                    continue
                start, least = rows[v - inner], np.int64(FAR)
                for s in range(sizes):
                    if count[s] >= unit:
                        least = min(least, far[s] - w * (2 * (count[s] - known[s]) - unit) + start - price[s])
                lowered_rows[v - inner] |= least < row_far[v - inner]
                changed |= lowered_rows[v - inner]
                row_far[v - inner] = min(row_far[v - inner], least)
            else:
                starts, ats, lower = meets[v], meet_far[v], False
                for s in range(sizes):
                    if count[s] >= unit:
                        shorter = far[s] - w * (2 * (count[s] - known[s]) - unit) + starts[s] - price[s]
                        lower |= shorter < ats[s]
                        ats[s] = min(ats[s], shorter)
                lowered_meets[v] |= lower
                changed |= lower
        lowered_meets[:] = False
    return int(sink_far)


@compiled
def move_units(  # noqa: C901, PLR0912, PLR0915 - one search, its stack in arrays
    network: Network,
    children: Families,
    counts: Int64,
    rows_left: Int64,
    meets_left: Int64,
    total: int,
    unit: int,
) -> int:
    """Move units from nodes that have too many to nodes that have too few, along edges that cost nothing; how many were moved.

    A depth-first search from each node; a node from which nothing was reached is not entered again.

    Args:
        network: The network.
        children: All regions grouped by parent, by their numbers.
        counts: (regions, sizes), changed.
        rows_left: (leaves,): units too many, changed.
        meets_left: (inner regions, sizes): units too many, changed.
        total: What reaches the sink at last.
        unit: How many groups move together, from nodes with as many too many to nodes with as many too few.
    """
    noisy, parent, weights, rows, meets = network
    below_of, offsets = children
    inner, sizes = meets.shape
    sink = inner * sizes
    nodes = sink + 1 + len(rows)
    left, price = np.empty(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    left[:sink], left[sink + 1 :], left[sink] = meets_left.reshape(-1), rows_left, counts[0].sum() - total
    price[:sink], price[sink + 1 :] = meets.reshape(-1), rows
    turn, state = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int8)
    nodes_above, edges = np.empty(nodes + 1, dtype=np.int64), np.empty(nodes + 1, dtype=np.int64)
    moved = 0
    for source in range(nodes):
        while left[source] >= unit and state[source] != 2:
            depth = 0
            nodes_above[0] = source
            state[source] = 1
            while depth >= 0:
                node = nodes_above[depth]
                if left[node] <= -unit:
                    break
                if node > sink:  # a leaf region: up along any size
                    out, below, s0 = sizes, node - sink - 1 + inner, 0
                elif node == sink:  # down along any size
                    out, below, s0 = sizes, -1, 0
                else:  # up along its own cell, down to its children
                    below, s0 = node // sizes, node % sizes
                    out = 1 + offsets[below + 1] - offsets[below]
                advanced = False
                while turn[node] < out:
                    k = turn[node]
                    if node > sink:
                        v, s, up = below, k, True
                    elif node == sink:
                        v, s, up = 0, k, False
                    elif k == 0:
                        v, s, up = below, s0, True
                    else:
                        v, s, up = below_of[offsets[below] + k - 1], s0, False
                    if up:
                        other = sink if v == 0 else parent[v] * sizes + s
                        cost = weights[v] * (2 * (counts[v, s] - noisy[v, s]) + unit) - price[node] + price[other]
                    else:
                        other = v * sizes + s if v < inner else sink + 1 + v - inner
                        cost = price[other] - price[node] - weights[v] * (2 * (counts[v, s] - noisy[v, s]) - unit)
                        if counts[v, s] < unit:
                            cost = 1
                    if cost == 0 and state[other] == 0:
                        edges[depth] = (v * sizes + s) * 2 + up
                        depth += 1
                        nodes_above[depth] = other
                        state[other] = 1
                        advanced = True
                        break
                    turn[node] += 1
                if not advanced:
                    state[node] = 2
                    depth -= 1
                    if depth >= 0:
                        turn[nodes_above[depth]] += 1
            if depth > 0 or (depth == 0 and left[nodes_above[0]] <= -unit):
                left[source] -= unit
                left[nodes_above[depth]] += unit
                moved += 1
                for i in range(depth):
                    cell = edges[i] // 2
                    counts.reshape(-1)[cell] += unit if edges[i] % 2 == 1 else -unit
                for i in range(depth + 1):
                    state[nodes_above[i]] = 0
    rows_left[:] = left[sink + 1 :]
    meets_left[:] = left[:sink].reshape(meets_left.shape)
    return moved
