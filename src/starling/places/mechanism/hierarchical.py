"""A tree of grids, each with so many times the boxes of the one above as makes its cells cheap to reach (HB).

Privacy. Neighbours: one unit more or less, which has at most k points, k public. The boxes of one level are disjoint: L1 sensitivity k.
Levels compose sequentially, with equal amounts, to epsilon. The shape is public. A box of one cell is in every level from there on, and is
measured again in each.
"""

from dataclasses import dataclass
from fractions import Fraction

from starling.places.measurements import Int64, MeasuredTree
from starling.places.mechanism.growing import GrowingTree, of_levels, spent_on_levels
from starling.places.mechanism.ladders import shares
from starling.places.mechanism.method import Spent
from starling.privacy.guarantee import Guarantee, sequential
from starling.privacy.neighbours import Relation


def levels_below(side: int, fan_out: int) -> int:
    """How often a side is cut into so many parts until its parts are cells: ceil(log(side)/log(fan_out))."""
    levels = 0
    while fan_out**levels < side:
        levels += 1
    return levels


def fan_out(side: int) -> int:
    """The number of parts b that makes b h^2 least, h the levels that it needs; the smaller where two are equal.

    >>> fan_out(256), fan_out(1024), fan_out(1)
    (7, 6, 1)
    """
    return min(range(2, side + 1), key=lambda parts: parts * levels_below(side, parts) ** 2, default=1)


@dataclass(frozen=True, slots=True)
class Hierarchical:
    """All boxes of a tree of grids: a `Method`.

    Attributes:
        shape: Cells of the public grid (rows, columns).
        relation: Neighbouring databases.
        epsilon: The cost of one unit over the whole grid; above 0.
        points: k, the most points of one unit; 1 where the unit is a point.

    Source: Qardaji, Yang and Li 2013, "Understanding hierarchical methods for differentially private histograms", Section 4.
    """

    shape: tuple[int, int]
    relation: Relation
    epsilon: Fraction
    points: int = 1

    @property
    def fans(self) -> tuple[int, int]:
        """Into how many parts rows and columns are cut at each step."""
        rows, columns = self.shape
        return fan_out(rows), fan_out(columns)

    @property
    def amounts(self) -> tuple[Fraction, ...]:
        """What one point pays in each level, the root's first."""
        height = max(levels_below(side, fan) for side, fan in zip(self.shape, self.fans, strict=True))
        return shares(self.epsilon / self.points, [1] * (height + 1))

    @property
    def guarantee(self) -> Guarantee:
        """One vector of counts a level."""
        return sequential("points of the boxes of a tree of grids", of_levels(self.relation, self.amounts, self.points))

    @property
    def budget(self) -> tuple[Spent, ...]:
        """What is spent on each level."""
        return spent_on_levels(self.amounts, self.points)

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure level by level, the root first; see `Method.draw`."""
        tree = GrowingTree(exact)
        for depth, amount in enumerate(self.amounts):
            if depth:
                tree.split(tree.every, *self.fans)
            tree.measure(amount, steered=False)
        return tree.measured()
