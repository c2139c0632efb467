"""A quadtree that is cut while its noisy counts, biased by depth, are above 0; these are not released, its leaves are (PrivTree).

Privacy. Neighbours: one unit more or less, which has at most k points, k public; each of them costs e = epsilon/k. A part z of
e pays for the shape, half of it in the original, and what is left for the leaves: they are disjoint, so that a point is in one of them.
If the number of points is measured too, that pays for itself.

The shape. With L = 7/(3 z) and D the integer that is next above L ln 4: a box of c points at depth d is cut if x + Z > 0, where
x = max(c - d D, -D) and Z is discrete Laplace noise of scale L. What comes out is whether it is cut, not the value. With q = e^(-1/L),
P(cut | x) = q^(1-x)/(1+q) for x <= 1 and 1 - q^x/(1+q) for x >= 0. Let one point be added. It lies in boxes along one path, all of which
are cut but the last.

- The last is cut with a larger probability than before: not cutting it is less likely by a factor of at least q, as x grows by at most 1.
- A box that is cut becomes likelier by a factor of e^g(x), g(x) = 1/L for x <= 0; for x >= 1, from ln(1 + u) <= u,
  g(x) <= q^x (1-q)/(1+q)/(1 - q^x/(1+q)) <= q^x/(2 L (1 - q^x)), as (1-q)/(1+q) = tanh(1/2L) <= 1/2L. A box with c - d D < -D is not
  changed.
- Counts do not grow along the path, so that x falls by at least D at each step until then: at most two boxes have -D <= x <= 0, and where
  there are two, their x are -D and 0. The others have x of at least D, 2 D, ... if there are two, at least a, a + D, ... if there is one,
  with x = a - D and 1 <= a <= D; since g falls with x from 1/L on, the first case is the worst. As q^D <= 1/4, the sum of all is
  at most (2 + sum over j >= 1 of 1/(2 (4^j - 1)))/L < 2.2106/L < (7/3)/L = z.

The two kinds have opposite signs, so that the loss is at most z; tests recompute it: it is .91 to .95 of z. A unit of k points is k
changes by one point (group privacy).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from starling.errors import PlanError
from starling.places.arrays import Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.growing import GrowingTree, noisy
from starling.places.mechanism.method import Method
from starling.privacy.events import PureDP
from starling.privacy.guarantee import Guarantee

LN_4_UP: Final = Fraction(138629436112, 10**11)
"""A little above ln 4."""


def shape_noise(amount: Fraction) -> tuple[Fraction, int]:
    """The scale of the noise and the bias of each depth, for a shape that costs one point this amount.

    >>> shape_noise(Fraction(1, 20))
    (Fraction(140, 3), 65)
    """
    scale = Fraction(7, 3) / amount
    return scale, -(-scale * LN_4_UP // 1)


@dataclass(frozen=True, slots=True)
class PrivTree(Method):
    """A quadtree of private shape, with its leaves measured: a `Method`.

    Attributes:
        total: The part of epsilon that the number of points is measured with; the original measures none.
        cuts: The part of the rest that pays for the shape; leaves are measured with what is left.

    Source: Zhang, Xiao and Xie 2016, "PrivTree: A differentially private algorithm for hierarchical decompositions", Algorithm 2, with
    threshold 0 and fan-out 4; integer noise and bias are ours.
    """

    measured = "points of the leaves of a private quadtree"
    total: Fraction = Fraction(0)
    cuts: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        if not 0 <= self.total < 1:
            raise PlanError("total", "is not a part from 0 to less than 1", "give a part of the budget")
        if not 0 < self.cuts < 1:
            raise PlanError("cuts", "is not a part above 0 and below 1", "give a part of the budget")

    @property
    def amounts(self) -> tuple[Fraction, Fraction, Fraction]:
        """What one point pays for the number of points, 0 where it is not measured, for the shape and for its leaf."""
        total = self.total * self.amount
        rest = self.amount - total
        return total, self.cuts * rest, (1 - self.cuts) * rest

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """A count if the number of points is measured, the shape, and one vector of counts."""
        total, cuts, leaves = self.amounts
        name = "which boxes are cut"
        return {
            **({"number of points": [self.disjoint("points of the grid", total)]} if total else {}),
            name: [Guarantee(name, self.relation, PureDP(self.points * cuts))],
            "leaves": [self.disjoint("points of leaves", leaves)],
        }

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure the root if so wished, then cut depth by depth, and measure the leaves of each depth; see `Method.draw`."""
        total, cuts, leaves = self.amounts
        tree = GrowingTree(exact)
        if total:
            tree.measure(total, steered=False)
        grow(tree, cuts, leaves)
        return tree.measured()


def grow(tree: GrowingTree, shape: Fraction, leaves: Fraction) -> None:
    """Cut a root, and measure the leaves: what one point pays for the shape, and for its leaf."""
    scale, bias = shape_noise(shape)
    depth = 0
    while len(tree.boxes):
        cut = tree.areas > 1
        biased = np.maximum(tree.exact()[cut] - depth * bias, -bias)
        cut[cut] = noisy(biased, 1 / scale) > 0
        tree.measure(leaves, ~cut, steered=False)
        tree.split(cut)
        depth += 1
