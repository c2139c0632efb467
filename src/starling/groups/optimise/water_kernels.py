"""Kernels on children that are filled up to a water level: each gets max(0, value + level). Cells are (regions, sizes), int32 or int64."""

from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.groups.optimise.tree import Int64, Tree
from starling.privacy.compiled import compiled

Cells: TypeAlias = npt.NDArray[np.int32] | npt.NDArray[np.int64]

BLOCK: Final = 512
"""Sizes that are worked on at a time, so that the children of a region stay in the cache."""


class Families(NamedTuple):
    """Rows of one level grouped by their parent.

    Attributes:
        rows: int64 (regions of the level,).
        offsets: int64 (parents + 1,): the children of parent u are `rows[offsets[u]:offsets[u + 1]]`.
    """

    rows: Int64
    offsets: Int64

    @classmethod
    def of(cls, tree: Tree, level: int) -> "Families":
        """The children of the regions of a level above the last one."""
        above = tree.rows(level)
        offsets = tree.offsets[above.start : above.stop + 1]
        rows = tree.children[offsets[0] : offsets[-1]] - tree.starts[level + 1]
        return cls(rows, offsets - offsets[0])


@compiled
def narrow(wide: Int64, cells: npt.NDArray[np.int32], largest: int) -> bool:
    """Copy to int32; whether all lie within `largest`. One pass, where NumPy would take three."""
    source, target = wide.reshape(-1), cells.reshape(-1)
    low, high = np.int64(0), np.int64(0)
    for i in range(source.size):
        low, high = min(low, source[i]), max(high, source[i])
        target[i] = np.int32(source[i])
    return bool(-largest <= low and high <= largest)


@compiled
def active(cells: Cells, families: Families, above: Cells, counts: Int64, sums: Int64) -> bool:
    """How many children of each region and size exceed `above`, and their sum; whether either differs from what stood there."""
    rows, offsets = families
    changed = np.int64(0)
    sizes = cells.shape[1]
    number, added = np.empty(BLOCK, dtype=above.dtype), np.empty(BLOCK, dtype=np.int64)
    for u in range(offsets.size - 1):
        for begin in range(0, sizes, BLOCK):
            end = min(begin + BLOCK, sizes)
            least = above[u, begin:end]
            number[:] = 0
            added[:] = 0
            for i in range(offsets[u], offsets[u + 1]):
                values = cells[rows[i], begin:end]
                for s in range(values.size):
                    if values[s] > least[s]:
                        number[s] += 1
                        added[s] += values[s]
            old_counts, old_sums = counts[u, begin:end], sums[u, begin:end]
            for s in range(end - begin):
                changed |= (old_counts[s] ^ number[s]) | (old_sums[s] ^ added[s])
                old_counts[s] = number[s]
                old_sums[s] = added[s]
    return bool(changed != 0)


@compiled
def fill(cells: Cells, families: Families, targets: Int64, levels: Cells, filled: Int64) -> None:
    """The nearest integers, none below 0, to the children of each region and size that add up to a target.

    Each child gets max(0, value + level - 1), and as many of those that lie above 0 at `level` as are needed one more; who is first
    among them shifts with the size.

    Args:
        cells: (leaves, sizes).
        families: Rows of `cells`, grouped by parent.
        targets: (parents, sizes).
        levels: (parents, sizes): the water level of each target; where that is 0, any at which no child lies above 0.
        filled: (leaves, sizes), written.
    """
    rows, offsets = families
    sizes = cells.shape[1]
    rest, eligible, turn = np.empty((3, BLOCK), dtype=np.int64)
    for u in range(offsets.size - 1):
        for begin in range(0, sizes, BLOCK):
            end = min(begin + BLOCK, sizes)
            level = levels[u, begin:end]
            for s in range(end - begin):
                rest[s], eligible[s] = targets[u, begin + s], 0
            for i in range(offsets[u], offsets[u + 1]):
                values = cells[rows[i], begin:end]
                for s in range(values.size):
                    height = values[s] + level[s]
                    rest[s] -= max(0, height - 1)
                    eligible[s] += height > 0
            for s in range(end - begin):
                turn[s] = -((begin + s) % eligible[s]) if eligible[s] > 0 else 0
            for i in range(offsets[u], offsets[u + 1]):
                values, result = cells[rows[i], begin:end], filled[rows[i], begin:end]
                for s in range(values.size):
                    height = values[s] + level[s]
                    place = turn[s] if turn[s] >= 0 else turn[s] + eligible[s]
                    result[s] = max(0, height - 1) + (1 if height > 0 and place < rest[s] else 0)
                    turn[s] += height > 0
