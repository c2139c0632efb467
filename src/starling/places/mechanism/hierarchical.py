"""A tree of grids, each with so many times the boxes of the one above as makes its cells cheap to reach (HB).

Privacy. Neighbours: one unit more or less, which has at most k points, k public. The boxes of one level are disjoint: L1 sensitivity k.
Levels compose sequentially, with equal amounts, to epsilon. The shape is public. A box of one cell is in every level from there on, and is
measured again in each.
"""

from dataclasses import dataclass
from fractions import Fraction

from starling.places.mechanism.ladders import shares
from starling.places.mechanism.quadtree import LevelMethod


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
class Hierarchical(LevelMethod):
    """All boxes of a tree of grids: a `Method`.

    Source: Qardaji, Yang and Li 2013, "Understanding hierarchical methods for differentially private histograms", Section 4.
    """

    measured = "points of the boxes of a tree of grids"

    @property
    def fans(self) -> tuple[int, int]:
        """Into how many parts rows and columns are cut at each step."""
        rows, columns = self.shape
        return fan_out(rows), fan_out(columns)

    @property
    def amounts(self) -> tuple[Fraction, ...]:
        """What one point pays in each level, the root's first."""
        height = max(levels_below(side, fan) for side, fan in zip(self.shape, self.fans, strict=True))
        return shares(self.amount, [1] * (height + 1))
