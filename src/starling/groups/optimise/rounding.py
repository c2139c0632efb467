"""From cumulative counts that nearly add up to consistent histograms of integers, from the root down.

The root's cumulative counts are rounded. Below a region whose histogram is fixed, for s = 0, 1, ..., N its n[s] groups of size s go to
the children: so that c of each child, what it has up to s, comes nearest to its target. That is water-filling: the children furthest below
their targets get groups until they stand at one distance, and what is left of a whole group by largest remainder, the first child in
the order of rows first. Whatever the targets are, the result is not negative and adds up, since nothing else is ever given out.

Where the children's totals are public no child gets more than is left of its total; at size N all of it is given out.
"""

import numpy as np
import numpy.typing as npt

from starling.groups.optimise.cumulative_problem import CumulativeProblem
from starling.groups.optimise.tree import Int64
from starling.privacy.compiled import compiled

Float = npt.NDArray[np.float64]

_FEW = 4
"""So many groups are given out one at a time."""
_HALVINGS = 100


def round_cumulative(problem: CumulativeProblem, targets: Float) -> tuple[Int64, ...]:
    """Consistent histograms whose cumulative counts are near to targets.

    Args:
        problem: The tree and the public totals.
        targets: Finite numbers (regions, sizes): cumulative counts of all regions, level after level.

    Returns:
        int64 (regions of the level, sizes) for each level, root first.
    """
    tree = problem.tree
    counts = np.zeros(targets.shape, dtype=np.int64)
    round_root(targets[0], int(problem.tops[0]), counts[0])
    for region in range(int(tree.starts[-2])):
        children = tree.children[tree.offsets[region] : tree.offsets[region + 1]]
        share_out(targets, counts, region, children, problem.tops, problem.known)
    return tuple(counts[tree.rows(level)] for level in range(tree.levels))


@compiled
def round_root(targets: Float, total: int, counts: Int64) -> None:
    """The nearest integers to the targets, none below the one before, from 0 to the total, which is the last: as a histogram."""
    reached = np.int64(0)
    for s in range(targets.size):
        value = np.int64(np.rint(min(max(targets[s], 0.0), float(total))))
        if s == targets.size - 1:
            value = np.int64(total)
        value = min(max(value, reached), np.int64(total))
        counts[s] = value - reached
        reached = value


@compiled
def share_out(
    targets: Float, counts: Int64, region: int, children: Int64, tops: Int64, known: npt.NDArray[np.bool_]
) -> None:
    """Write the histograms of the children of a region, whose own is done.

    Args:
        targets: (regions, sizes).
        counts: (regions, sizes): histograms.
        region: The parent.
        children: Numbers of its children.
        tops: (regions,): the most groups that a region can have.
        known: (regions,): whether its total is that.
    """
    number = children.size
    given, added, room, wanted = (
        np.zeros(number, np.int64),
        np.zeros(number, np.int64),
        np.zeros(number, np.int64),
        np.zeros(number),
    )
    for s in range(targets.shape[1]):
        groups = counts[region, s]
        if groups == 0:
            continue
        for child in range(number):
            below = children[child]
            wanted[child] = targets[below, s] - given[child]
            room[child] = min(groups, tops[below] - given[child]) if known[below] else groups
        pour(groups, wanted, room, added)
        for child in range(number):
            given[child] += added[child]
            counts[children[child], s] = added[child]


@compiled
def pour(groups: int, wanted: Float, room: Int64, added: Int64) -> None:
    """Integers from 0 to `room` with sum `groups` and the least sum of (wanted - added)^2.

    The optimum up to the rounding of doubles; the bounds and the sum are exact.

    Args:
        groups: At least 1, at most the sum of `room`.
        wanted: Finite (children,).
        room: (children,).
        added: (children,), written.
    """
    added[:] = 0
    left = np.int64(groups)
    if groups > _FEW:
        level = water_level(groups, wanted, room)
        for child in range(wanted.size):
            part = np.int64(np.floor(min(max(wanted[child] - level, 0.0), float(room[child]))))
            added[child] = min(part, room[child], left)
            left -= added[child]
    while left > _FEW:
        for child in np.argsort(added - wanted, kind="mergesort"):
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
