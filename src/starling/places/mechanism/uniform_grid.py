"""A coarse grid of equal boxes, as many as fit the number of points (UG), or as the plan says.

Privacy. Neighbours: one unit more or less, which has at most k points, k public. The original takes the number of points as public; here
1/50 of epsilon pays for it. How many boxes there are follows from this noisy number. They are disjoint, so that their counts
differ by at most k in all: L1 sensitivity k. Both measurements compose sequentially to epsilon. Where the plan says how many boxes there
are, all of epsilon pays for their counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Final

from starling.errors import ParameterError
from starling.places.arrays import Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.growing import GrowingTree
from starling.places.mechanism.method import TOTAL, Method
from starling.privacy.guarantee import Guarantee

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
class UniformGrid(Method):
    """Boxes of a coarse grid: a `Method`.

    Attributes:
        boxes: Boxes along each side, public; 0 for as many as fit the noisy number of points.

    Raises:
        ParameterError: fewer than no boxes.

    Source: Qardaji, Yang and Li 2013, "Differentially private grids for geospatial data", Section IV-A; HTF (2021), Section 5.3.
    """

    measured = "points of a coarse grid"
    boxes: int = 0

    def __post_init__(self) -> None:
        if self.boxes < 0:
            raise ParameterError("boxes", "are below 0", "give a number along each side, or 0 to measure how many fit")

    @property
    def amounts(self) -> tuple[Fraction, Fraction]:
        """What one point pays for the number of points and for its box."""
        total = Fraction(0) if self.boxes else TOTAL * self.amount
        return total, self.amount - total

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """A count where no number of boxes is public, and one vector of counts."""
        total, boxes = self.amounts
        whole = {"number of points": [self.disjoint("points of the grid", total)]} if total else {}
        return {**whole, "boxes": [self.disjoint("points of the boxes of a coarse grid", boxes)]}

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure the root, then the boxes; see `Method.draw`. A side with m cells or fewer is cut into its cells."""
        first, second = self.amounts
        tree = GrowingTree(exact)
        boxes = self.boxes
        if first:
            total = int(tree.measure(first, steered=True)[0])
            boxes = side(total * self.amount / LOAD)
        tree.split(tree.every, boxes, boxes)
        tree.measure(second, steered=False)
        return tree.measured()
