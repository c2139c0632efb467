"""A coarse grid of equal boxes, as many as fit the number of points (UG).

Privacy. Neighbours: one unit more or less, which has at most k points, k public. The original takes the number of points as public; here
1/50 of epsilon pays for it. How many boxes there are follows from this noisy number. They are disjoint, so that their counts
differ by at most k in all: L1 sensitivity k. Both measurements compose sequentially to epsilon.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Final

from starling.places.measurements import Int64, MeasuredTree
from starling.places.mechanism.growing import GrowingTree, of_a_partition
from starling.places.mechanism.method import Spent
from starling.privacy.guarantee import Guarantee, sequential
from starling.privacy.neighbours import Relation

TOTAL: Final = Fraction(1, 50)
"""The part of the budget that the number of points is measured with."""
LOAD: Final = 10
"""c of the original: the boxes are n epsilon/c."""


def side(number: Fraction) -> int:
    """ceil(sqrt(number)), at least 1.

    >>> side(Fraction(9)), side(Fraction(91, 10)), side(Fraction(-3))
    (3, 4, 1)
    """
    below = max(0, -(-number.numerator // number.denominator) - 1)
    return isqrt(below) + 1


@dataclass(frozen=True, slots=True)
class UniformGrid:
    """Boxes of a coarse grid: a `Method`.

    Attributes:
        shape: Cells of the public grid (rows, columns).
        relation: Neighbouring databases.
        epsilon: The cost of one unit over the whole grid; above 0.
        points: k, the most points of one unit; 1 where the unit is a point.

    Source: Qardaji, Yang and Li 2013, "Differentially private grids for geospatial data", Section IV-A; HTF (2021), Section 5.3.
    """

    shape: tuple[int, int]
    relation: Relation
    epsilon: Fraction
    points: int = 1

    @property
    def amounts(self) -> tuple[Fraction, Fraction]:
        """What one point pays for the number of points and for its box."""
        amount = self.epsilon / self.points
        return TOTAL * amount, (1 - TOTAL) * amount

    @property
    def guarantee(self) -> Guarantee:
        """A count, and one vector of counts."""
        names = ("points of the grid", "points of the boxes of a coarse grid")
        return sequential(
            "points of a coarse grid",
            [
                of_a_partition(name, self.relation, amount, self.points)
                for name, amount in zip(names, self.amounts, strict=True)
            ],
        )

    @property
    def budget(self) -> tuple[Spent, ...]:
        """The number of points, and the boxes."""
        total, boxes = self.amounts
        return (Spent("number of points", total * self.points), Spent("boxes", boxes * self.points))

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure the root, then the boxes; see `Method.draw`. A side with m cells or fewer is cut into its cells."""
        first, second = self.amounts
        tree = GrowingTree(exact)
        total = int(tree.measure(first, steered=True)[0])
        boxes = side(total * self.epsilon / self.points / LOAD)
        tree.split(tree.every, boxes, boxes)
        tree.measure(second, steered=False)
        return tree.measured()
