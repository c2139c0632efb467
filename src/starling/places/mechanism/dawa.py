"""Intervals of cells along a Hilbert curve, merged where a noisy search finds points spread evenly (a variant of DAWA).

The variant. Cells stand in the order of a Hilbert curve on the smallest square of a power of two that holds the grid. Intervals are those
that halving the curve gives, so that each is a square or two squares side by side, cut off at the edges of the grid. The deviation of
an interval from being spread evenly, sum of |c - n/q| over its q cells, is measured for all of them, and not below 0 afterwards. The cost
of an interval as one bucket is its noisy deviation plus 1/e, the scale of the noise of a bucket; that of cutting it is the cost of its
halves. The cheapest partition is found from the cells upwards, ties merge, and its buckets are measured. The original has also intervals
that do not come from halving, and a second stage that measures sums of buckets fitted to the queries; neither is here.

Privacy. Neighbours: one unit more or less, which has at most k points, k public. A quarter of epsilon pays for deviations, in equal parts
for each length of intervals. As in `htf`, floor(1024 s/q) is measured, which one point changes by at most 2048; it lies in one interval
of each length, so that the vector of one length has L1 sensitivity 2048 k. The buckets are disjoint: L1 sensitivity k. All compose
sequentially to epsilon. The noisy deviations are not kept, which is post-processing: there are as many as cells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Final

import numpy as np

from starling.places.arrays import Bool, Int32, Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.boxes import GRAIN, SENSITIVITY, deviations
from starling.places.mechanism.growing import GrowingTree, noisy
from starling.places.mechanism.method import Method
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.guarantee import Guarantee, measurement

PARTITION: Final = Fraction(1, 4)
"""The part of the budget that deviations are measured with."""


@dataclass(frozen=True, slots=True, eq=False)
class Halving:
    """The intervals of one length.

    Attributes:
        boxes: int32 (intervals, 4), along the curve.
        parts: int64 (intervals,): the first of the intervals of half the length that each consists of; it has one or two.
    """

    boxes: Int32
    parts: Int64

    def two(self, below: int) -> Bool:
        """bool (intervals,): whether each has two parts, of so many intervals below."""
        return np.asarray(np.diff(self.parts, append=below) == 2)


@dataclass(frozen=True, slots=True)
class Dawa(Method):
    """Buckets along a Hilbert curve: a `Method`.

    Source: Li, Hay, Miklau and Wang 2014, "A data- and workload-aware algorithm for range queries under differential privacy".
    """

    measured = "points of the buckets of a partition"

    @property
    def lengths(self) -> int:
        """How many lengths of intervals there are above cells, at least 1."""
        return max(2 * (max(self.shape) - 1).bit_length(), 1)

    @property
    def amounts(self) -> tuple[Fraction, Fraction]:
        """What one point pays for a change of 1 in the deviations of one length, and for its bucket."""
        return PARTITION * self.amount / self.lengths / SENSITIVITY, (1 - PARTITION) * self.amount

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """One vector of deviations for each length, and one of counts."""
        search, buckets = self.amounts
        noise, sensitivity = DiscreteLaplace(1 / search), SENSITIVITY * self.points
        names = (f"deviations of intervals of {2**length} cells" for length in range(1, self.lengths + 1))
        return {
            "deviations": [measurement(name, self.relation, noise, sensitivity) for name in names],
            "buckets": [self.disjoint("points of buckets", buckets)],
        }

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure deviations from the shortest intervals up, then the buckets from the longest down; see `Method.draw`."""
        search, amount = self.amounts
        tree = GrowingTree(exact)
        cells = np.ascontiguousarray(exact)
        halvings, boxes = halve(self.shape)
        bucket = floor(GRAIN / amount)
        costs, below = np.full(len(boxes), bucket), len(boxes)
        merged: list[Bool] = []
        for halving in halvings:
            two = halving.two(below)
            cut = np.add.reduceat(costs, halving.parts)
            measured = noisy(deviations(cells, tree.sums, halving.boxes[two]), search)
            as_one = np.full(len(two), np.iinfo(np.int64).max)
            as_one[two] = np.maximum(measured, 0) + bucket
            merged.append(as_one <= cut)
            costs, below = np.minimum(as_one, cut), len(two)
        interval = np.zeros(1, dtype=np.int64)
        for place in reversed(range(len(halvings))):
            smaller = halvings[place - 1].boxes if place else boxes
            leaf = merged[place][interval]
            tree.measure(amount, leaf, steered=False)
            first = halvings[place].parts[interval[~leaf]]
            number = 1 + halvings[place].two(len(smaller))[interval[~leaf]].astype(np.int64)
            interval = np.repeat(first, number) + (
                np.arange(number.sum()) - np.repeat(number.cumsum() - number, number)
            )
            tree.grow(smaller[interval], np.repeat(np.flatnonzero(~leaf), number))
        tree.measure(amount, steered=False)
        return tree.measured()


def halve(shape: tuple[int, int]) -> tuple[list[Halving], Int32]:
    """The intervals of each length that halving the curve gives, the shortest first, and the cells as boxes in its order."""
    bits = (max(shape) - 1).bit_length()
    rows, columns = (each.reshape(-1) for each in np.indices(shape))
    along = hilbert(rows, columns, bits)
    order = np.argsort(along)
    along, row, column = along[order], rows[order], columns[order]
    cells = np.stack([row, row + 1, column, column + 1], axis=1).astype(np.int32)
    halves: list[Halving] = []
    boxes = cells
    for _ in range(2 * bits):
        along >>= 1
        parts = np.flatnonzero(np.diff(along, prepend=-1))
        along = along[parts]
        ends = (np.minimum, np.maximum, np.minimum, np.maximum)
        boxes = np.stack([end.reduceat(boxes[:, side], parts) for side, end in enumerate(ends)], axis=1)
        halves.append(Halving(boxes, parts))
    return halves, cells


def hilbert(rows: Int64, columns: Int64, bits: int) -> Int64:
    """int64 (cells,): how many cells a Hilbert curve, which fills a square of 2^bits rows, passes before each, by row and column from 0.

    >>> hilbert(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), 1).tolist()
    [0, 3, 1, 2]
    """
    x, y = columns.copy(), rows.copy()
    along = np.zeros(len(x), dtype=np.int64)
    for bit in reversed(range(bits)):
        right, upper = x >> bit & 1, y >> bit & 1
        along = along << 2 | (3 * right ^ upper)
        x, y = x & (1 << bit) - 1, y & (1 << bit) - 1
        # The lower quarters are turned, so that the curve enters where the last one left.
        last = (1 << bit) - 1
        turned = (right == 1) & (upper == 0)
        x, y = np.where(turned, last - x, x), np.where(turned, last - y, y)
        x, y = np.where(upper == 0, y, x), np.where(upper == 0, x, y)
    return along
