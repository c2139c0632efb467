"""The nearest integers, none below 0, with given sums: children that are filled up to one water level."""

from typing import Final

import numpy as np

from starling.groups.optimise import water_kernels as kernels
from starling.groups.optimise.tree import Int64
from starling.groups.optimise.water_kernels import Cells, Families

NARROW: Final = 1 << 29
"""Cells and totals up to this are worked on as int32."""
WIDE: Final = 1 << 60
"""No water level of an int64 cell lies beyond this."""


def narrowed(cells: Int64, total: int) -> Cells:
    """The cells as int32 where no sum of a cell and a water level can leave it, otherwise as they are."""
    narrow = np.empty(cells.shape, dtype=np.int32)
    return narrow if total <= NARROW and kernels.narrow(cells, narrow, NARROW) else cells


def bound(cells: Cells) -> int:
    """How far a water level may lie from 0."""
    return 2 * NARROW if cells.dtype == np.int32 else WIDE


def largest_and_sums(cells: Cells, families: Families) -> tuple[Cells, Int64]:
    """The largest child of each region and size, in the type of the cells, and the sum of all children, int64: (parents, sizes) each."""
    ordered, starts = cells[families.rows], families.offsets[:-1]
    return np.maximum.reduceat(ordered, starts, axis=0), np.add.reduceat(ordered, starts, axis=0, dtype=np.int64)


def nearest_with_sum(values: Int64, families: Families, targets: Int64) -> Int64:
    """For each parent and size, the integers >= 0 nearest to its children's values, (regions, sizes), that add up to its target, none below
    0.

    The unique water level decides, and among children with equal claims the first in turn shifts with the size.
    """
    cells = narrowed(np.ascontiguousarray(values), int(targets.max()))
    largest, sums = largest_and_sums(cells, families)
    counts = np.repeat(np.diff(families.offsets)[:, None], targets.shape[1], axis=1)
    # With all children active the sum reaches the target; the sum is convex in the level, so that Newton's method stays above it.
    levels = -((sums - targets) // counts)
    while True:
        kernels.active(cells, families, like(-levels, cells), counts, sums)
        excess = np.where(targets > 0, (sums + counts * levels - targets) // np.maximum(counts, 1), 0)
        if not excess.any():
            break
        levels -= excess
    levels = np.where(targets > 0, levels, -largest)
    filled = np.empty(cells.shape, dtype=np.int64)
    kernels.fill(cells, families, targets, like(levels, cells), filled)
    return filled


def nearest_row(values: Int64, total: int) -> Int64:
    """The integers >= 0 nearest to the values of one region, (1, sizes), with that sum."""
    sizes = values.shape[1]
    family = Families(np.arange(sizes), np.array([0, sizes]))
    return nearest_with_sum(values.T, family, np.array([[total]], dtype=np.int64)).T.copy()


def like(values: Int64, cells: Cells) -> Cells:
    """Water levels in the type of the cells that they belong to."""
    return values.astype(np.int32) if cells.dtype == np.int32 else values.astype(np.int64)
