"""Cross tables in whole numbers that still agree exactly, each number at most 2^(k-1) away from its estimate in a table of k columns.

Not the cells are rounded but their running totals: P(x) is the sum of all cells up to x in every column, and, where there are several
regions, up to a region in the order of their tree. A cell is the alternating sum of the 2^k totals at its corners, or 2^(k+1) with
regions; so is the sum of a box of cells, and a region above is a run of those within it. Each rounded total is off by at most 1/2. So a
number is off by at most half its corners, and so is the sum of a box, however many cells it has. The total at the end of a column is the
total of the table without it: tables agree, whatever was rounded.

The rounding depends on published numbers alone. It is not random, so that it may bias a number by less than its bound.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from starling.hierarchy.trees import Floats
from starling.tables.measurements import Int64
from starling.tables.plan.residuals import Shape, Table, subsets

Places = npt.NDArray[np.intp]


def tree_order(shape: Shape) -> Places:
    """The regions of the finest level in an order in which those of every region above stand together."""
    paths = [np.arange(shape.regions[-1])]
    for parents in reversed(shape.parents):
        paths.append(np.array(parents, dtype=np.intp)[paths[-1]])
    return np.lexsort(paths)


def rounded_together(table: Int64, bits: int, order: Places) -> Int64:
    """A table in units of 2^-bits records, (finest regions, values of each column ...), in whole records."""
    sums = table[order]
    for axis in range(sums.ndim):
        sums = sums.cumsum(axis=axis)
    sums = (sums + ((1 << bits) >> 1)) >> bits
    for axis in range(sums.ndim):
        sums = np.diff(sums, axis=axis, prepend=0)
    whole = np.empty_like(sums)
    whole[order] = sums
    return whole


def most_moved_sum(shape: Shape, weights: Mapping[tuple[int, Table], Floats]) -> float:
    """How far a weighted sum of numbers may be from that of their estimates; 0 where the sum holds by construction.

    Args:
        shape: The tables.
        weights: As `query_variance` takes them.
    """
    order = tree_order(shape)
    corners: dict[Table, Floats] = {}
    for (level, table), each in weights.items():
        finest = each
        for parents in shape.parents[level:]:
            finest = finest[np.array(parents, dtype=np.intp)]
        finest = finest[order]
        # The weight of a running total: that of the cell at its end, less that of the cell after it, along every column.
        for axis in range(finest.ndim):
            finest = -np.diff(finest, axis=axis, append=0.0)
        for ended in subsets(table):
            # The last total along a column is that of the table without it.
            inside = (slice(None), *(-1 if column in ended else slice(-1) for column in table))
            rest = tuple(column for column in table if column not in ended)
            corners[rest] = corners[rest] + finest[inside] if rest in corners else finest[inside]
    return sum(float(np.abs(each).sum()) for each in corners.values()) / 2
