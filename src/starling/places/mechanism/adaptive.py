"""A quadtree that grows where noisy counts say that points lie: a few coarse depths, then a jump of two to a fine one that gets most.

Privacy. Neighbours: one unit more or less, which has at most k points, k public; each of them costs epsilon/k (growing.py).
First the number of points is measured with 1/50 of that. The finest depth follows from this noisy number, and from it the depths that are
measured, each with an amount of its own; the amounts add up to R = .98 epsilon/k. A box at such a depth is measured with its amount, and is
cut or not by its noisy count alone; between these depths every box is cut. A box that is not cut, whose path has not been given the amounts
of deeper levels, is measured afresh with exactly these. A box of one cell, at whatever depth it appears, measured or not, is measured once,
with all that its path has left: where a side is no power of two, cells appear above the depths that are measured, and would be left
without. So every path from the root to a leaf spends epsilon/k to the last bit, whatever the shape of the grid and of the tree, and the
shape of the tree follows from released values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import ClassVar, Final

from starling.places.measurements import MeasuredTree
from starling.places.mechanism import growing
from starling.places.mechanism.growing import Growing, GrowingTree
from starling.places.mechanism.ladders import remainders
from starling.places.mechanism.method import TOTAL, PathMethod
from starling.places.occupied import Exact

FIRST: Final = 3
"""The first depth that is measured, and the least of the finest one where the grid has as many."""
JUMP: Final = 2
"""From the last coarse depth to the finest: a box that is cut there becomes 16."""
LOAD: Final = 24
"""The boxes of the finest depth are so many times the noisy number of points times epsilon/k, rounded to the nearest power of four."""
FINE: Final = Fraction(2, 3)
"""The part of R that the finest depth gets; coarse ones share the rest evenly."""
THRESHOLD: Final = 2
"""A box is cut if its noisy count is above so many scales of its noise."""
LAST_THRESHOLD: Final = 3
"""The same at the last coarse depth, where 16 boxes follow."""
STREETS_LOAD: Final = 16
STREETS_FINE: Final = Fraction(4, 5)
STREETS_THRESHOLD: Final = 1
"""The same three choices where streets matter most: see `Streets`."""


def finest(shape: tuple[int, int], total: int, amount: Fraction, load: int) -> int:
    """The finest depth h: 4^h is load n amount to the nearest power of four, n the noisy number of points, of which each pays an amount in
    all; at least 3, and at most the ceil(log2) of the longer side, at which every box is a cell. In whole numbers.

    >>> finest((1024, 1024), 40_000, Fraction(1, 10), 24), finest((1024, 1024), -5, Fraction(1), 24), finest((1, 4), 99, Fraction(1), 24)
    (8, 3, 2)
    """
    levels = (max(shape) - 1).bit_length()
    depth = (max(floor(2 * load * total * amount), 2).bit_length() - 1) // 2
    return max(min(FIRST, levels), min(levels, depth))


@dataclass(frozen=True, slots=True)
class Adaptive(PathMethod):
    """A quadtree cut by its noisy counts, for squares of all sizes: a `Method`."""

    load: ClassVar[int] = LOAD
    fine: ClassVar[Fraction] = FINE
    thresholds: ClassVar[tuple[int, int]] = (THRESHOLD, LAST_THRESHOLD)
    """At coarse depths, and at the last of them."""

    def coarse(self, finest: int) -> Sequence[int]:
        """The depths above the finest that are measured, ascending: from 3 on, all but the one before the finest."""
        return range(FIRST, finest - JUMP + 1)

    def amounts(self, finest: int) -> Mapping[int, Fraction]:
        """What each measured depth gets of R, for one point; they add up to it."""
        rest, coarse = (1 - TOTAL) * self.amount, self.coarse(finest)
        each = {depth: (1 - self.fine) * rest / len(coarse) for depth in coarse}
        return each | {finest: rest - sum(each.values(), Fraction(0))}

    def draw(self, exact: Exact, /) -> MeasuredTree:
        """See `Method.draw`."""
        return self.grown(GrowingTree(exact))

    def grown(self, tree: GrowingTree) -> MeasuredTree:
        """Measure the root, then depth by depth."""
        total = int(tree.measure(TOTAL * self.amount, steered=True)[0])
        last = finest(self.shape, total, self.amount, self.load)
        while tree.bounded and 4 ** (self.coarse(last) or [0])[0] > growing.MOST_BOXES // 4:
            last -= 1
        self.grow(tree, self.amounts(last))
        return tree.measured()

    def grow(self, tree: Growing, amounts: Mapping[int, Fraction]) -> None:
        """Cut and measure below a root whose noisy count is known, by what depths are measured with: at each depth cells with all that is
        left, then boxes, then leaves afresh.
        """
        last, left = max(amounts), (1 - TOTAL) * self.amount
        after = dict(zip(amounts, remainders(list(amounts.values())), strict=True))
        for depth in range(last):
            single = tree.single
            tree.measure(left, single, steered=False)
            cut = ~single
            if depth in amounts:
                values = tree.measure(amounts[depth], cut, steered=True)
                above = floor(self.thresholds[depth + JUMP == last] / amounts[depth])
                cut[cut] = tree.above(values, above, next(each for each in amounts if each > depth) - depth)
                left = after[depth]
                tree.measure(left, ~cut & ~single, steered=False)
            tree.split(cut)
        tree.measure(left, steered=False)


@dataclass(frozen=True, slots=True)
class Streets(Adaptive):
    """The same for the smallest squares that the data can bear, at the price of large ones: at most three depths, the finest gets most."""

    load = STREETS_LOAD
    fine = STREETS_FINE
    thresholds = (STREETS_THRESHOLD, STREETS_THRESHOLD)

    def coarse(self, finest: int) -> Sequence[int]:
        """Four and two depths above the finest, or the root; see `Adaptive.coarse`."""
        return sorted({max(0, finest - 2 * JUMP), max(0, finest - JUMP)} - {finest})
