"""Kernels of the optimiser on histograms. Regions above the leaves are numbered as in `Tree`; cells are (regions, sizes).

A step is the t-th group that a cell takes; what it costs is an integer, larger for each further one.
"""

from typing import Final

import numpy as np

from starling.groups.optimise.tree import Int64
from starling.groups.optimise.water_kernels import BLOCK, Cells, Families
from starling.privacy.compiled import compiled
from starling.privacy.ordering import stable_order

DEPTHS: Final = 7
"""Water levels above the lowest one that are looked at for every region and size at once."""
BEYOND: Final = 1 << 62
"""Costs more than every step, or, negative, less."""
BUCKETS: Final = 1024
"""Costs within fewer integers than this are put in order by counting them."""


@compiled
def steps_above_leaves(
    cells: Cells,
    families: Families,
    guesses: Cells,
    noisy: Int64,
    lows: Int64,
    weight: int,
    leaf_weight: int,
    steps: Int64,
) -> None:
    """What each step in the window of a parent of leaves costs: its own part, and that of the leaf that takes it.

    Args:
        cells: (leaves, sizes).
        families: Rows of `cells`, grouped by parent.
        guesses: (parents, sizes): water levels that should lie just below those of the window.
        noisy: (parents, sizes).
        lows: (parents, sizes): the window has the steps from `lows + 1` on.
        weight: Of the parents.
        leaf_weight: Of the leaves.
        steps: (parents, sizes, width), written.
    """
    rows, offsets = families
    sizes, width = cells.shape[1], steps.shape[2]
    reach, more = np.empty(BLOCK, dtype=np.int64), np.empty((DEPTHS, BLOCK), dtype=cells.dtype)
    bars = np.empty(BLOCK, dtype=cells.dtype)
    for u in range(offsets.size - 1):
        family = rows[offsets[u] : offsets[u + 1]]
        for begin in range(0, sizes, BLOCK):
            end = min(begin + BLOCK, sizes)
            guess = guesses[u, begin:end]
            reach[:] = 0
            more[:] = 0
            for i in range(family.size):
                values = cells[family[i], begin:end]
                for s in range(values.size):
                    reach[s] += max(0, values[s] + guess[s])
                for depth in range(DEPTHS):
                    number = more[depth]
                    for s in range(values.size):
                        bars[s] = -guess[s] - depth
                    for s in range(values.size):
                        number[s] += values[s] >= bars[s]
            for s in range(end - begin):
                low, own = lows[u, begin + s], noisy[u, begin + s]
                filled, depth = reach[s], 0
                result = filled <= low
                for i in range(width):
                    while filled < low + 1 + i and depth < DEPTHS:
                        filled += more[depth, s]
                        depth += 1
                    result = result and filled >= low + 1 + i
                    level = guess[s] + depth
                    steps[u, begin + s, i] = weight * (2 * (low + 1 + i - own) - 1) + leaf_weight * (2 * level - 1)
                if not result:
                    _steps_by_sorting(cells, family, begin + s, own, low, weight, leaf_weight, steps[u, begin + s])


@compiled
def water_level(values: Int64, target: int) -> int:
    """The least j for which the sum of max(0, value + j) reaches `target`, at least 1; values decrease."""
    level, added = np.int64(BEYOND), np.int64(0)
    for k in range(values.size):
        added += values[k]
        level = min(level, -((added - target) // (k + 1)))
    return int(level)


@compiled
def _steps_by_sorting(
    cells: Cells, family: Int64, s: int, own: int, low: int, weight: int, leaf_weight: int, steps: Int64
) -> None:
    """`steps_above_leaves` for one region and size, wherever the window lies."""
    values = np.empty(family.size, dtype=np.int64)
    for i in range(family.size):
        values[i] = -np.int64(cells[family[i], s])
    put_in_order(values, np.empty(BUCKETS, dtype=np.int64))
    for i in range(family.size):
        values[i] = -values[i]
    for i in range(steps.size):
        level = water_level(values, low + 1 + i)
        steps[i] = weight * (2 * (low + 1 + i - own) - 1) + leaf_weight * (2 * level - 1)


@compiled
def steps_above(regions: Families, noisy: Int64, lows: Int64, weight: int, steps: Int64, first: int, last: int) -> None:
    """What each step in the windows of regions `first` to `last` costs: their own part, and that of the child that takes it.

    Args:
        regions: All of them grouped by parent, by their numbers.
        noisy: (inner regions, sizes).
        lows: (inner regions, sizes).
        weight: Of regions `first` to `last`.
        steps: (inner regions, sizes, width), written for these regions; a step that no child can take within its window costs BEYOND, one
            that lies below their windows -BEYOND.
        first: First region.
        last: One after the last region.
    """
    children, offsets = regions
    sizes, width = steps.shape[1:]
    numbers = np.empty(BUCKETS, dtype=np.int64)
    for v in range(first, last):
        family = children[offsets[v] : offsets[v + 1]]
        merged = np.empty(family.size * width, dtype=np.int64)
        for s in range(sizes):
            base = np.int64(0)
            for i in range(family.size):
                base += lows[family[i], s]
                for step in range(width):
                    merged[i * width + step] = steps[family[i], s, step]
            put_in_order(merged, numbers)
            for i in range(width):
                target = lows[v, s] + 1 + i
                rank = target - base - 1
                least = -BEYOND if rank < 0 else BEYOND if rank >= merged.size else merged[rank]
                steps[v, s, i] = weight * (2 * (target - noisy[v, s]) - 1) + least


@compiled
def put_in_order(costs: Int64, numbers: Int64) -> None:
    """Sort costs within +-BEYOND in place: by counting, with room for BUCKETS numbers, where they are near each other, as around one
    price.
    """
    least, largest = costs.min(), costs.max()
    if least <= largest - BUCKETS:
        ordered = stable_order(costs)
        for place in range(costs.size):
            ordered[place] = costs[ordered[place]]
        for place in range(costs.size):
            costs[place] = ordered[place]
        return
    numbers[: largest - least + 1] = 0
    for cost in costs:
        numbers[cost - least] += 1
    place = 0
    for above in range(largest - least + 1):
        costs[place : place + numbers[above]] = least + above
        place += numbers[above]


@compiled
def take_at_root(steps: Int64, starts: Int64, lows: Int64, total: int, counts: Int64) -> None:
    """Give each size of the root the steps that cost least, `total` in all; equal ones to smaller sizes first.

    Args:
        steps: (steps,): those of a size after one another, increasing.
        starts: (sizes + 1,): where those of each size begin.
        lows: (sizes,).
        total: Steps below the windows counted too.
        counts: (sizes,), written.
    """
    want = min(max(total - lows.sum(), 0), steps.size)
    last = BEYOND * 2 - 1 if want == steps.size else steps[stable_order(steps)[want]]
    rest = want
    for s in range(lows.size):
        taken = 0
        while starts[s] + taken < starts[s + 1] and steps[starts[s] + taken] < last:
            taken += 1
        counts[s] = lows[s] + taken
        rest -= taken
    for s in range(lows.size):
        at = starts[s] + counts[s] - lows[s]
        if rest > 0 and at < starts[s + 1] and steps[at] == last:
            counts[s] += 1
            rest -= 1


@compiled
def take_below(
    regions: Families,
    noisy: Int64,
    lows: Int64,
    weight: int,
    steps: Int64,
    turns: Int64,
    counts: Int64,
    first: int,
    last: int,
) -> None:
    """Share the counts of regions `first` to `last` among their children; among equal steps the first in turn shifts with the size.

    Args:
        regions: All of them grouped by parent, by their numbers.
        noisy: (inner regions, sizes).
        lows: (inner regions, sizes).
        weight: Of regions `first` to `last`.
        steps: (inner regions, sizes, width).
        turns: (sizes,): what the shift follows from.
        counts: (inner regions, sizes): those of `first` to `last` are read, those of their children written.
        first: First region.
        last: One after the last region.
    """
    children, offsets = regions
    sizes, width = steps.shape[1:]
    for v in range(first, last):
        family = children[offsets[v] : offsets[v + 1]]
        for s in range(sizes):
            count, low = counts[v, s], lows[v, s]
            limit = -BEYOND
            if count > low:
                limit = steps[v, s, count - low - 1] - weight * (2 * (count - noisy[v, s]) - 1)
            rest, equal = count, 0
            for i in range(family.size):
                u = family[i]
                taken = 0
                while taken < width and steps[u, s, taken] < limit:
                    taken += 1
                counts[u, s] = lows[u, s] + taken
                rest -= counts[u, s]
                equal += taken < width and steps[u, s, taken] == limit
            turn = -(turns[s] % equal) if equal > 0 else 0
            for i in range(family.size):
                u = family[i]
                taken = counts[u, s] - lows[u, s]
                if taken < width and steps[u, s, taken] == limit:
                    counts[u, s] += (turn if turn >= 0 else turn + equal) < rest
                    turn += 1
