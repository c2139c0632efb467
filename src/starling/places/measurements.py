"""What is measured: noisy counts of boxes of cells, and in what order they follow from each other. Nothing here draws.

Measurements are public, and shipped with a release as they were drawn, before any post-processing.
"""

from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np

from starling.errors import ParameterError
from starling.places.arrays import Bool, Int16, Int32, Int64
from starling.privacy.compiled import compiled
from starling.privacy.distributions.discrete import Distribution
from starling.privacy.ordering import stable_order

PAIRS: Final = 8
"""Children of a box that are compared two by two."""
ROOT = -1
"""Stands for the parent of the root."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Boxes of cells, each cut into the boxes of its children, which tile it.

    Attributes:
        shape: Cells of the public grid (rows, columns), each at least 1.
        boxes: int32 (nodes, 4): first row, row after the last, first column, column after the last. The root, node 0, is the whole grid.
        parents: int64 (nodes,): each node's parent, which stands before it; -1 for the root.
    """

    shape: tuple[int, int]
    boxes: Int32
    parents: Int64

    @property
    def leaves(self) -> Bool:
        """bool (nodes,): whether a node has no children; the leaves tile the grid."""
        without = np.ones(len(self.parents), dtype=np.bool_)
        without[self.parents[1:]] = False
        return without

    @property
    def areas(self) -> Int64:
        """int64 (nodes,): cells of each box."""
        top, bottom, left, right = self.boxes.astype(np.int64).T
        areas: Int64 = (bottom - top) * (right - left)
        return areas

    def check(self) -> None:
        """Check a tree of others. Raises ParameterError where the root is not the grid, a parent stands behind its child, or children do
        not tile their parent.
        """
        if self.boxes.shape != (len(self.parents), 4) or self.boxes.dtype != np.int32 or self.parents.dtype != np.int64:
            raise ParameterError(
                "tree", "has boxes or parents of another shape or type", "give int32 (nodes, 4), int64 (nodes,)"
            )
        rows, columns = self.shape
        whole = len(self.parents) > 0 and self.boxes[0].tolist() == [0, rows, 0, columns] and self.parents[0] == ROOT
        if not whole or not (self.areas > 0).all():
            raise ParameterError(
                "tree", "does not begin with the whole grid, or has an empty box", "give the root first"
            )
        above = self.parents[1:]
        if not ((above >= 0) & (above < np.arange(1, len(self.parents)))).all():
            raise ParameterError("tree", "has a node that stands before its parent", "give parents before children")
        own, outer = self.boxes[1:].T, self.boxes[above].T
        inside = (own[0] >= outer[0]) & (own[1] <= outer[1]) & (own[2] >= outer[2]) & (own[3] <= outer[3])
        areas = np.zeros(len(self.parents), dtype=np.int64)
        np.add.at(areas, above, self.areas[1:])
        apart = inside.all() and bool((areas == self.areas)[~self.leaves].all()) and _apart(*self.families, self.boxes)
        if not apart:
            raise ParameterError("tree", "has children that do not tile their parent", "cut a box into whole boxes")

    @property
    def families(self) -> tuple[Int64, Int64]:
        """int64 (nodes - 1,): the boxes that have a parent, one family after the other; int64 (nodes,): the end of each parent's family."""
        above = self.parents[1:]
        below = np.argsort(above, kind="stable") + 1
        return below, np.cumsum(np.bincount(above, minlength=len(self.parents)))


@compiled
def _apart(below: Int64, ends: Int64, boxes: Int32) -> bool:
    """Whether no two boxes of a family share a cell; all lie within their parent, and their areas add up to its own.

    Of many children the corners are counted, those of two opposite ones as +1 and of the others as -1, and those of the parent the other
    way round: they cancel everywhere if and only if the children tile the parent, as a function is the double sum of its corners.
    """
    for parent in range(len(ends)):
        begin = ends[parent - 1] if parent else 0
        family = below[begin : ends[parent]]
        if len(family) <= PAIRS:
            for i in range(len(family)):
                a, b, c, d = boxes[family[i]]
                for j in range(i):
                    e, f, g, h = boxes[family[j]]
                    if a < f and e < b and c < h and g < d:
                        return False
            continue
        corners = np.empty(4 * len(family) + 4, dtype=np.int64)
        for i in range(len(family) + 1):
            node, odd = (family[i], 0) if i < len(family) else (parent, 1)
            top, bottom, left, right = boxes[node]
            corners[4 * i] = np.int64(top) << 32 | np.int64(left) << 1 | odd
            corners[4 * i + 1] = np.int64(bottom) << 32 | np.int64(right) << 1 | odd
            corners[4 * i + 2] = np.int64(top) << 32 | np.int64(right) << 1 | (1 - odd)
            corners[4 * i + 3] = np.int64(bottom) << 32 | np.int64(left) << 1 | (1 - odd)
        total, last = 0, np.int64(-1)
        for i in stable_order(corners):
            if corners[i] >> 1 != last:
                if total != 0:
                    return False
                total, last = 0, corners[i] >> 1
            total += 1 - 2 * (corners[i] & 1)
        if total != 0:
            return False
    return True


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredTree:
    """Noisy counts of the boxes of a tree. A box may be measured several times, or not at all.

    Attributes:
        tree: The boxes. Their shape follows from what is public and from the noisy values alone.
        node: int64 (measurements,): the box of each.
        value: int64 (measurements,): the noisy counts.
        noise: int16 (measurements,): the distribution of the noise of each, in `noises`.
        steered: bool (measurements,): whether the tree below the box depends on the value, in its shape or in what is measured there, so
            that an interval around it does not keep its level given the shape. Nothing outside the box depends on it.
        searched: int64 (values,): other noisy values that the shape follows from, such as those of a search for a cut, in the order
            in which they were drawn.
    """

    tree: Tree
    node: Int64
    value: Int64
    noise: Int16
    noises: tuple[Distribution, ...]
    steered: Bool
    searched: Int64 = field(default_factory=lambda: np.empty(0, dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredCoefficients:
    """Noisy coefficients of a transform of the whole grid.

    Attributes:
        shape: Cells of the public grid (rows, columns).
        value: int64 (padded rows, padded columns): the noisy coefficients, in an order that the mechanism documents.
        noise: The distribution of the noise of each.
    """

    shape: tuple[int, int]
    value: Int64
    noise: Distribution


Measured: TypeAlias = MeasuredTree | MeasuredCoefficients
