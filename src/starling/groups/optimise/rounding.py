"""From cumulative counts that nearly add up to consistent histograms of integers, from the root down.

The root's cumulative counts are rounded. Below a region whose histogram is fixed, children have groups only of the sizes that it has:
between two of them their c stays the same, and the target of that stretch is the mean of its targets. First the region's groups are shared
out over the children, so that c at size N comes nearest to its target; then, from the largest size down, its n[s] groups of size s, so that
what is left to each child, its c below s, comes nearest to the target there. From the large sizes, because few groups are as large: there c
is known best, from many sizes, and a group given wrongly could not be made good.

Sharing out is water-filling: the children furthest from their targets get groups until all stand at one distance, and what is left of a
whole group goes by largest remainder, to the first child in the order of rows among equals. Whatever the targets are, the result is not
negative and adds up, since nothing else is ever given out. Where the totals of children are public, they are what is shared out first.
"""

from math import floor

import numpy as np
import numpy.typing as npt

from starling.groups.optimise.cumulative_problem import CumulativeProblem
from starling.groups.optimise.tree import Int64
from starling.privacy.compiled import compiled
from starling.privacy.ordering import stable_order

Float = npt.NDArray[np.float64]

_FEW = 4
"""So many groups are given out one at a time."""
_HALVINGS = 100


def round_cumulative(problem: CumulativeProblem, targets: Float) -> tuple[Int64, ...]:
    """Consistent histograms whose cumulative counts are near to finite targets, (regions, sizes), level after level: int64 for each
    level.
    """
    tree = problem.tree
    counts = np.zeros(targets.shape, dtype=np.int64)
    counts[0] = round_root(targets[0], int(problem.tops[0]))
    for region in range(int(tree.starts[-2])):
        children = tree.children[tree.offsets[region] : tree.offsets[region + 1]]
        sizes = np.flatnonzero(counts[region])
        means = np.zeros((len(children), len(sizes)))
        stretch_means(targets, children, sizes, means)
        share_out(means, sizes, region, children, problem, counts)
    return tuple(counts[tree.rows(level)] for level in range(tree.levels))


def round_root(targets: Float, total: int) -> Int64:
    """The nearest integers to the targets, none below the one before, from 0 to the total, which is the last: as a histogram."""
    values = np.rint(np.clip(targets, 0.0, float(total))).astype(np.int64)
    values[-1] = total
    return np.diff(np.minimum(np.maximum.accumulate(values), total), prepend=0)


def share_out(
    targets: Float, sizes: Int64, region: int, children: Int64, problem: CumulativeProblem, counts: Int64
) -> None:
    """Write the histograms of the children of a region, whose own is done; theirs are 0 in `counts`, int64 (regions, sizes).

    Targets are finite numbers (children, sizes of the region): c of each child from that size to before the next one, ascending.
    """
    if len(sizes):
        whole = int(counts[region].sum())
        room = np.where(problem.known[children], problem.tops[children], whole)
        _share(targets, sizes, counts[region, sizes], whole, room, children, counts)


@compiled
def stretch_means(values: Float, regions: Int64, sizes: Int64, means: Float) -> None:
    """Write the mean of each region's values from each of the sizes, ascending, to before the next one; from the last one to the end."""
    for row in range(regions.size):
        value = values[regions[row]]
        for number in range(sizes.size):
            end = sizes[number + 1] if number + 1 < sizes.size else value.size
            total = 0.0
            for s in range(sizes[number], end):
                total += value[s]
            means[row, number] = total / (end - sizes[number])


@compiled
def _share(
    targets: Float, sizes: Int64, groups: Int64, whole: int, room: Int64, children: Int64, counts: Int64
) -> None:
    """Share out all groups, `whole` in number, then those of each size; `room` is the most that each child can have, and all that it has
    if that is known.
    """
    last = sizes.size - 1
    left, added = np.empty(children.size, dtype=np.int64), np.empty(children.size, dtype=np.int64)
    wanted, short = np.empty(children.size), np.empty(children.size)
    for child in range(children.size):
        wanted[child] = targets[child, last]
    pour(whole, wanted, room, short, left)
    for number in range(last, -1, -1):
        for child in range(children.size):
            room[child] = min(left[child], groups[number])
            wanted[child] = left[child] - (targets[child, number - 1] if number else 0.0)
        pour(groups[number], wanted, room, short, added)
        for child in range(children.size):
            left[child] -= added[child]
            counts[children[child], sizes[number]] = added[child]


@compiled
def pour(groups: int, wanted: Float, room: Int64, short: Float, added: Int64) -> None:
    """Integers `added` from 0 to `room` with sum `groups` and the least sum of (wanted - added)^2, (children,) each.

    The optimum up to the rounding of doubles; the bounds and the sum are exact. `groups` is at least 0 and at most the sum of `room`;
    `short` is overwritten.
    """
    left = np.int64(groups)
    for child in range(wanted.size):
        added[child] = 0
    if groups > _FEW:
        level = water_level(groups, wanted, room)
        for child in range(wanted.size):
            part = np.int64(floor(min(max(wanted[child] - level, 0.0), float(room[child]))))
            added[child] = min(part, room[child], left)
            left -= added[child]
    while left > _FEW:
        for child in range(wanted.size):
            short[child] = added[child] - wanted[child]
        for child in stable_order(short):
            if left > 0 and added[child] < room[child]:
                added[child] += 1
                left -= 1
    while left > 0:
        best = -1
        for child in range(wanted.size):
            if added[child] < room[child] and (best < 0 or wanted[child] - added[child] > wanted[best] - added[best]):
                best = child
        added[best] += 1
        left -= 1


@compiled
def water_level(groups: int, wanted: Float, room: Int64) -> float:
    """The least level, up to rounding, at which min(max(wanted - level, 0), room) sums to at most `groups`."""
    low, high = np.inf, -np.inf
    for child in range(wanted.size):
        low = min(low, wanted[child] - room[child])
        high = max(high, wanted[child])
    for _ in range(_HALVINGS):
        level = 0.5 * (low + high)
        if level in (low, high):
            break
        filled = 0.0
        for child in range(wanted.size):
            filled += min(max(wanted[child] - level, 0.0), float(room[child]))
        if filled > groups:
            low = level
        else:
            high = level
    return high
