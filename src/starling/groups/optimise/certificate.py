"""Whether consistent histograms are an optimum, proved from the histograms alone.

The counts are a flow: groups run from the root's sizes down to the leaves, and each cell is an edge with a convex cost. A flow is optimal
if and only if its residual network has no negative cycle. Here a simple cycle moves one group from one leaf cell to another:
it makes the cells above the one smaller by 1 and those above the other larger, up to where the two meet. So it is enough that, below
every region and size and at the top over all sizes, the least cost of one group more plus the least cost of one group fewer is not
negative. All numbers are integers. Nothing here is shared with the optimisers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from starling.groups.optimise.tree import Int64, squares
from starling.privacy.compiled import compiled

NEVER: Final = 1 << 62
"""The cost of taking a group from where there is none."""
BLOCK: Final = 512
"""Sizes that are looked at together, so that the parents of a level stay in the cache."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was found.

    Attributes:
        feasible: Whether no count is below 0, children add up to their parents and the root to the total.
        optimal: Whether they are feasible and no feasible integers have a smaller objective.
        objective: The sum of weight (count - noisy count)^2.
    """

    feasible: bool
    optimal: bool
    objective: int


def certify(
    levels: Sequence[Int64], noisy: Sequence[Int64], parents: Sequence[Int64], total: int, weights: Sequence[int]
) -> Certificate:
    """Check whether `levels` minimise the sum of weight (count - noisy)^2 among consistent integers >= 0.

    Args:
        levels: int64 (regions of the level, sizes) for each level, root first.
        noisy: int64 of the same shapes.
        parents: For each level below the root, int64 (regions of the level,): rows of the level above.
        total: What the root adds up to.
        weights: A positive integer for each level. Weights times differences, added up over the levels, must stay below 2^60.
    """
    feasible, optimal = sum(map(int, levels[0][0])) == total, True
    objective = 0
    # What one group more or fewer costs below the cells of a level; nothing below the leaves.
    more: Int64 = np.zeros((1, levels[0].shape[1]), dtype=np.int64)
    fewer = more
    for level in reversed(range(len(levels))):
        counts, measurements = levels[level], noisy[level]
        rows = parents[level - 1] if level else np.zeros(1, dtype=np.int64)
        shape = levels[level - 1].shape if level else counts.shape
        more_above, fewer_above = np.full(shape, NEVER, dtype=np.int64), np.full(shape, NEVER, dtype=np.int64)
        sums = np.zeros(shape, dtype=np.int64)
        _gather(counts, measurements, rows, weights[level], more, fewer, more_above, fewer_above, sums)
        objective += weights[level] * sum(squares(counts, measurements))
        feasible = feasible and counts.min() >= 0 and (level == 0 or bool(np.array_equal(sums, levels[level - 1])))
        more, fewer = more_above, fewer_above
        optimal = optimal and (level == 0 or bool((more + fewer).min() >= 0))
    optimal = optimal and int(more.min()) + int(fewer.min()) >= 0
    return Certificate(bool(feasible), bool(feasible) and optimal, objective)


def certify_with_totals(
    levels: Sequence[Int64],
    noisy: Sequence[Int64],
    parents: Sequence[Int64],
    totals: Sequence[Int64],
    weights: Sequence[int],
    prices: Sequence[Int64],
) -> Certificate:
    """Check whether `levels` are an optimum where the total of every region is public, by prices that prove it.

    At an optimum each cell's flow is the cheapest one at the difference of the prices at its ends: one group more would cost at least that
    difference, and one fewer, where there is one, save at most that. The prices of a flow that is one prove it (duality of
    convex flows); prices that are wrong prove nothing, and neither do prices so large that a difference could leave 64 bits.

    Args:
        levels: int64 (regions of the level, sizes) for each level, root first.
        noisy: int64 of the same shapes.
        parents: For each level below the root, int64 (regions of the level,): rows of the level above.
        totals: int64 (regions of the level,) for each level.
        weights: A positive integer for each level.
        prices: For each level what one group costs below its cells: int64 (regions of the level, sizes), or (regions of the level, 1) at
            the leaves. What it costs above the root's cells is 0.
    """
    feasible, objective = True, 0
    optimal = all(each.min() > -NEVER // 2 and each.max() < NEVER // 2 for each in prices)
    for level, (counts, measurements, weight) in enumerate(zip(levels, noisy, weights, strict=True)):
        above = np.zeros((1, 1), dtype=np.int64) if level == 0 else prices[level - 1]
        rows = np.zeros(1, dtype=np.int64) if level == 0 else parents[level - 1]
        added = np.zeros((1, counts.shape[1]) if level == 0 else levels[level - 1].shape, dtype=np.int64)
        for row, parent in enumerate(rows.tolist()):
            count, off = counts[row], counts[row] - measurements[row]
            paid = prices[level][row] - above[parent]
            added[parent] += count
            feasible = feasible and count.min() >= 0 and sum(count.tolist()) == totals[level][row]
            more = bool((weight * (2 * off + 1) >= paid).all())
            fewer = bool(((count == 0) | (weight * (2 * off - 1) <= paid)).all())
            optimal = optimal and more and fewer
        objective += weight * sum(squares(counts, measurements))
        feasible = feasible and (level == 0 or bool(np.array_equal(added, levels[level - 1])))
    return Certificate(bool(feasible), bool(feasible) and optimal, objective)


@compiled
def _gather(
    counts: Int64,
    noisy: Int64,
    rows: Int64,
    weight: int,
    more: Int64,
    fewer: Int64,
    more_above: Int64,
    fewer_above: Int64,
    sums: Int64,
) -> None:
    """Add the cells of a level to what is below them, and give each parent the least of its children.

    Args:
        counts: (regions, sizes).
        noisy: (regions, sizes).
        rows: (regions,): each region's parent.
        weight: Of the level.
        more: (regions, sizes), or (1, sizes) for all of them: the cost of one group more below.
        fewer: The cost of one group fewer below, shaped like `more`.
        more_above: (parents, sizes), lowered to the least of the children.
        fewer_above: (parents, sizes), lowered to the least of the children.
        sums: (parents, sizes), to which the children are added.
    """
    regions, sizes = counts.shape
    deep = 1 if len(more) == regions else 0
    for begin in range(0, sizes, BLOCK):
        for r in range(regions):
            count, known = counts[r, begin : begin + BLOCK], noisy[r, begin : begin + BLOCK]
            more_below, fewer_below = more[r * deep, begin : begin + BLOCK], fewer[r * deep, begin : begin + BLOCK]
            parent = rows[r]
            cheapest, gentlest = more_above[parent, begin : begin + BLOCK], fewer_above[parent, begin : begin + BLOCK]
            added = sums[parent, begin : begin + BLOCK]
            for s in range(count.size):
                off = count[s] - known[s]
                added[s] += count[s]
                cheapest[s] = min(cheapest[s], weight * (2 * off + 1) + more_below[s])
                gone = weight * (1 - 2 * off) + fewer_below[s] if count[s] > 0 else NEVER
                gentlest[s] = min(gentlest[s], gone)
