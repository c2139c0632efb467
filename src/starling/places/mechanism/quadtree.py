"""Trees of public shape whose boxes are all measured, level by level: quadtrees, and trees of grids (HB).

Privacy. Neighbours: one unit more or less, which has at most k points, k public. The boxes of one level are disjoint, so that their counts
differ by at most k in all: L1 sensitivity k, and discrete Laplace noise of scale k/e is e-DP (SafeTab 2022, Lemma 6). The levels compose
sequentially: their amounts add up to epsilon; those of a tree of grids are equal. The shape is public. A box of one cell can't be cut; it
is in every level from there on, and is measured again in each, so that every path spends all of epsilon.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, Literal, TypeAlias

from starling.errors import PlanError
from starling.places.arrays import Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.growing import GrowingTree
from starling.places.mechanism.ladders import cube_root, shares
from starling.places.mechanism.method import Method
from starling.privacy.guarantee import Guarantee

Levels: TypeAlias = Literal["geometric", "uniform", "steep"]
GROWTH: Final[dict[Levels, int]] = {"geometric": 2, "uniform": 1, "steep": 4}
"""Depth d gets a share in proportion to the cube root of this to the power of d: 2 by Cormode et al. (2012), 4 by the rule of
HTF (2021), eq. 16, at two binary levels a step."""
HIGHEST: Final = 26
"""The largest grid has 2^26 cells."""


def level_amounts(amount: Fraction, height: int, levels: Levels) -> tuple[Fraction, ...]:
    """What each level is measured with, the root's first, so many levels below it, by how they share an amount."""
    return shares(amount, [cube_root(GROWTH[levels] ** depth) for depth in range(height + 1)])


class LevelMethod(Method):
    """A method that measures all boxes of a tree of public shape, level by level."""

    __slots__ = ()

    @property
    @abstractmethod
    def amounts(self) -> tuple[Fraction, ...]:
        """What one point pays for its box in each level, the root's first."""

    @property
    def fans(self) -> tuple[int, int]:
        """Into how many parts rows and columns are cut at each step."""
        return 2, 2

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """One vector of counts a level."""
        return self.counts_by_level()

    def counts_by_level(self) -> Mapping[str, Sequence[Guarantee]]:
        """The guarantee of the counts of each level, by its name."""
        names = (f"boxes at depth {depth}" for depth in range(len(self.amounts)))
        return {name: [self.disjoint(name, amount)] for name, amount in zip(names, self.amounts, strict=True)}

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure level by level, the root first; see `Method.draw`."""
        tree = GrowingTree(exact)
        for depth, amount in enumerate(self.amounts):
            if depth:
                tree.split(tree.every, *self.fans)
            tree.measure(amount, steered=False)
        return tree.measured()


@dataclass(frozen=True, slots=True)
class Quadtree(LevelMethod):
    """All boxes of a quadtree, cut at their midpoints: a `Method`.

    Attributes:
        height: Levels below the root, from 0 to 26; the original takes the best of 6 to 8 by the data, which costs nothing there.
        levels: How they share the budget.

    Raises:
        PlanError: another height.

    Source: Cormode et al. 2012, "Differentially private spatial decompositions", Section 4; HTF (2021), Section 5.4.
    """

    measured = "points of the boxes of a quadtree"
    least: ClassVar[int] = 0
    """The least height."""
    height: int = 7
    levels: Levels = "geometric"

    def __post_init__(self) -> None:
        if not self.least <= self.height <= HIGHEST:
            fix = "take the levels down to boxes that matter"
            raise PlanError("height", f"is not from {self.least} to {HIGHEST}", fix)

    @property
    def amounts(self) -> tuple[Fraction, ...]:
        """What one point pays in each level, the root's first."""
        return level_amounts(self.amount, self.height, self.levels)


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
