"""The nearest integers, none below 0, with given sums: children that are filled up to one water level."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from starling.groups.optimise import water_kernels as kernels
from starling.groups.optimise.tree import Int64, Tree

NARROW: Final = 1 << 29
"""Cells and totals up to this are worked on as int32."""
WIDE: Final = 1 << 60
"""No water level of an int64 cell lies beyond this."""


@dataclass(frozen=True, slots=True, eq=False)
class Families:
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

    @classmethod
    def whole(cls, count: int) -> "Families":
        """One family of that many rows."""
        return cls(np.arange(count), np.array([0, count]))

    @staticmethod
    def narrowed(cells: Int64, total: int) -> kernels.Cells:
        """The cells as int32 where no sum of a cell and a water level can leave it, otherwise as they are."""
        if total > NARROW:
            return cells
        narrow = np.empty(cells.shape, dtype=np.int32)
        return narrow if kernels.narrow(cells, narrow, NARROW) else cells

    @staticmethod
    def bound(cells: kernels.Cells) -> int:
        """How far a water level may lie from 0."""
        return 2 * NARROW if cells.dtype == np.int32 else WIDE


def nearest_with_sum(values: Int64, families: Families, targets: Int64) -> Int64:
    """For each parent and size, the integers >= 0 nearest to its children's values that add up to its target.

    Args:
        values: (regions of a level, sizes).
        families: Which rows are children of which parent.
        targets: (parents, sizes), none below 0.

    Returns:
        (regions of a level, sizes): the unique water level decides, and among children with equal claims the first in turn shifts with
        the size.
    """
    cells = families.narrowed(np.ascontiguousarray(values), int(targets.max()))
    shape = targets.shape
    largest, sums = np.empty(shape, dtype=cells.dtype), np.empty(shape, dtype=np.int64)
    kernels.largest_and_sums(cells, families.rows, families.offsets, largest, sums)
    counts = np.repeat(np.diff(families.offsets)[:, None], shape[1], axis=1)
    # With all children active the sum reaches the target; the sum is convex in the level, so that Newton's method stays above it.
    levels = -((sums - targets) // counts)
    while True:
        kernels.active(cells, families.rows, families.offsets, like(-levels, cells), counts, sums)
        excess = np.where(targets > 0, (sums + counts * levels - targets) // np.maximum(counts, 1), 0)
        if not excess.any():
            break
        levels -= excess
    levels = np.where(targets > 0, levels, -largest)
    filled = np.empty(cells.shape, dtype=np.int64)
    kernels.fill(cells, families.rows, families.offsets, targets, like(levels, cells), filled)
    return filled


def like(values: Int64, cells: kernels.Cells) -> kernels.Cells:
    """Water levels in the type of the cells that they belong to."""
    return values.astype(np.int32) if cells.dtype == np.int32 else values.astype(np.int64)
