"""A binary tree of boxes that are cut at private medians, and measured level by level.

Privacy. Neighbours: one unit more or less, which has at most k points, k public. 15 % of epsilon pays for medians, in equal parts for
each level; the rest for counts.

- A cut is drawn by the exponential mechanism, with the score -|2 L - n|: n points in the box, L of them on the near side of the cut. One
  point more changes 2 L - n by 1, whichever side it lies on: sensitivity 1 for a point. A level that pays m for its medians draws each
  with probability proportional to e^(m score/(2 k)), which is m/k-DP for a point. The boxes of a level are disjoint, so that a point is in
  one of them, and the k points of a unit pay m in all, however they lie (group privacy).
- The counts of the boxes of one level differ by at most k in all: L1 sensitivity k.

Levels compose sequentially. A box of one cell is not cut; it is in every level from there on, and is measured again in each, so that the
counts of every path spend the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from starling.places.arrays import Int32, Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.boxes import cut_axis, halves
from starling.places.mechanism.growing import GrowingTree
from starling.places.mechanism.quadtree import Quadtree, level_amounts
from starling.privacy.events import ExponentialMechanism
from starling.privacy.guarantee import Guarantee, sequential
from starling.privacy.sampling.selection import exponential_mechanism

MEDIANS: Final = Fraction(3, 20)
"""The part of the budget that medians are drawn with."""


@dataclass(frozen=True, slots=True)
class KdTree(Quadtree):
    """All boxes of a tree with private medians: a `Method`.

    Attributes:
        height: Levels below the root, from 1 to 26; the original takes the best by the data, which costs nothing there.
        levels: How they share the budget of counts.

    Raises:
        PlanError: another height.

    Source: Cormode et al. 2012, "Differentially private spatial decompositions", Section 5; HTF (2021), Section 5.2.
    """

    measured = "points of the boxes of a tree of medians"
    least = 1
    height: int = 10

    @property
    def amounts(self) -> tuple[Fraction, ...]:
        """What one point pays for its box in each level, the root's first."""
        return level_amounts((1 - MEDIANS) * self.amount, self.height, self.levels)

    @property
    def median(self) -> Fraction:
        """What a unit pays for the medians of a level."""
        return MEDIANS * self.epsilon / self.height

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """The medians, and one vector of counts a level."""
        event = ExponentialMechanism(self.median, Fraction(self.points))
        medians = [Guarantee(f"cuts at depth {depth}", self.relation, event) for depth in range(self.height)]
        return {"medians": medians, **self.counts_by_level()}

    @property
    def guarantee(self) -> Guarantee:
        """The counts, then the medians."""
        medians, *counts = self.stages.values()
        return sequential(self.measured, [*(each for level in counts for each in level), *medians])

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure level by level, the root first, rows and columns cut in turn; see `Method.draw`."""
        tree = GrowingTree(exact)
        for depth, amount in enumerate(self.amounts):
            tree.measure(amount, steered=False)
            if depth == self.height:
                break
            large = tree.areas > 1
            boxes = tree.boxes[large]
            axis = cut_axis(boxes, depth % 2)
            near, far = halves(boxes, axis, medians(tree.sums, boxes, axis, self.median / self.points))
            parts = np.repeat(tree.boxes, 1 + large, axis=0)
            above = np.repeat(np.arange(len(large)), 1 + large)
            cut = large[above]
            parts[cut] = np.stack([near, far], axis=1).reshape(-1, 4)
            tree.grow(parts, above)
        return tree.measured()


def medians(sums: Int64, boxes: Int32, axis: Int64, amount: Fraction) -> Int64:
    """After how many rows or columns, by `axis` 0 or 1, each box, int32 (boxes, 4), is cut, drawn by the exponential mechanism; that side
    has at least 2 cells, one point pays an amount, and `sums`, what `boxes.cumulative` makes of the counts, are confidential.
    """
    places = np.ones(len(boxes), dtype=np.int64)
    for which, (box, along) in enumerate(zip(boxes.tolist(), axis.tolist(), strict=True)):
        if box[2 * along + 1] - box[2 * along] > 2:
            places[which] = 1 + int(exponential_mechanism(balances(sums, box, along), amount)[0])
    return places


def balances(sums: Int64, box: list[int], axis: int) -> Int64:
    """int64 (cuts,): the score -|2 L - n| of each cut of a box along an axis, 0 for rows, from what `boxes.cumulative` makes of the
    counts.
    """
    top, bottom, left, right = box
    whole = sums[top : bottom + 1, left : right + 1]
    edge = whole[:, -1] - whole[:, 0] if axis == 0 else whole[-1] - whole[0]
    near = edge - edge[0]
    result: Int64 = -np.abs(2 * near[1:-1] - near[-1])
    return result
