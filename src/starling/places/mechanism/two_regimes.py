"""A quadtree that grows where noisy counts say that points lie, as `adaptive` did before 0.3: for what was charged or released then.

Privacy. Neighbours: one unit more or less, which has at most k points, k public; each of them costs epsilon/k (growing.py).
First the number of points is measured with 1/50 of that. This noisy number says how the rest is spent. Where it is small, noisy counts
divide the budget (dynamic.py). Elsewhere amounts go by depth: the height of the tree follows from the noisy number, and the rest is divided
over the depths 2 to the height. A box at depth d is measured with the amount of depth d, and is cut or not by its noisy count alone. A
leaf, whose path has not been given the amounts of deeper levels, is measured afresh with exactly these. So every path from the root to a
leaf spends epsilon/k to the last bit, whatever the shape, and the shape follows from released values.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Final

from starling.places.measurements import MeasuredTree
from starling.places.mechanism import dynamic
from starling.places.mechanism.growing import GrowingTree
from starling.places.mechanism.ladders import remainders, shares
from starling.places.mechanism.method import TOTAL, PathMethod
from starling.places.occupied import Exact

MANY: Final = 20_000
"""From a noisy number of points times epsilon/k of this on, amounts go by depth."""
GROWTH: Final = Fraction(6, 5)
"""Each depth gets so many times the amount of the one above."""
FIRST: Final = 2
"""The first depth that is measured; above it every box is cut."""
THRESHOLDS: Final = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2))
"""A box is cut if its noisy count is above this many scales of its noise, by depth from the first; the last holds for all further."""


def height(shape: tuple[int, int], total: int, amount: Fraction) -> int:
    """The height of the tree: min(ceil(log2 of the longer side), max(3, ceil(log4 max(n amount, 4)) + 2)), in whole numbers, n the noisy
    number of points, of which each pays an amount in all.

    >>> height((1024, 1024), 3_500_000, Fraction(1, 10)), height((1024, 1024), -5, Fraction(1)), height((1, 4), 9, Fraction(1))
    (10, 3, 2)
    """
    enough = 1
    while 4**enough < total * amount:
        enough += 1
    return min((max(shape) - 1).bit_length(), max(3, enough + 2))


@dataclass(frozen=True, slots=True)
class TwoRegimes(PathMethod):
    """As `adaptive` was before 0.3: a `Method`.

    Attributes:
        many: From a noisy number of points times epsilon/k of this on, amounts go by depth.
    """

    many: int = MANY

    def draw(self, exact: Exact, /) -> MeasuredTree:
        """Measure the root, then depth by depth; at each depth first all boxes, then the leaves afresh. See `Method.draw`."""
        tree = GrowingTree(exact)
        total = int(tree.measure(TOTAL * self.amount, steered=True)[0])
        rest = (1 - TOTAL) * self.amount
        if total * self.amount >= self.many:
            grow(tree, height(self.shape, total, self.amount), rest)
        else:
            dynamic.grow(tree, (max(self.shape) - 1).bit_length(), rest)
        return tree.measured()


def grow(tree: GrowingTree, levels: int, amount: Fraction) -> None:
    """Cut and measure below a root whose noisy count is known, to a height of so many levels, by amounts that grow with depth and add
    up.
    """
    if levels < FIRST:
        if levels:
            tree.split(tree.every)
        tree.measure(amount, steered=False)
        return
    amounts = shares(amount, [GROWTH**depth for depth in range(FIRST, levels + 1)])
    left = (amount,) * FIRST + remainders(amounts)
    for depth in range(levels + 1):
        cut = (tree.areas > 1) & (depth < levels)
        if depth >= FIRST:
            own = amounts[depth - FIRST]
            values = tree.measure(own, steered=cut)
            cut &= tree.above(values, floor(THRESHOLDS[min(depth - FIRST, len(THRESHOLDS) - 1)] / own))
        if left[depth]:
            tree.measure(left[depth], ~cut, steered=False)
        tree.split(cut)
