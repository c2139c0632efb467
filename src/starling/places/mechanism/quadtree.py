"""A quadtree of public shape whose boxes are all measured, level by level.

Privacy. Neighbours: one unit more or less, which has at most k points, k public. The boxes of one level are disjoint, so that their counts
differ by at most k in all: L1 sensitivity k, and discrete Laplace noise of scale k/e is e-DP (SafeTab 2022, Lemma 6). The levels compose
sequentially: their amounts add up to epsilon. The shape is public. A box of one cell can't be cut; it is in every level from there on, and
is measured again in each, so that every path spends all of epsilon.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, TypeAlias

from starling.errors import PlanError
from starling.places.measurements import Int64, MeasuredTree
from starling.places.mechanism.growing import GrowingTree, of_levels, spent_on_levels
from starling.places.mechanism.ladders import cube_root, shares
from starling.places.mechanism.method import Spent
from starling.privacy.guarantee import Guarantee, sequential
from starling.privacy.neighbours import Relation

Levels: TypeAlias = Literal["geometric", "uniform", "steep"]
GROWTH: Final[dict[Levels, int]] = {"geometric": 2, "uniform": 1, "steep": 4}
"""Depth d gets a share in proportion to the cube root of this to the power of d: 2 by Cormode et al. (2012), 4 by the rule of
HTF (2021), eq. 16, at two binary levels a step."""
HIGHEST: Final = 26
"""The largest grid has 2^26 cells."""


def level_amounts(amount: Fraction, height: int, levels: Levels) -> tuple[Fraction, ...]:
    """What each level is measured with, the root's first.

    Args:
        amount: What all levels spend together.
        height: Levels below the root.
        levels: How they share it.
    """
    return shares(amount, [cube_root(GROWTH[levels] ** depth) for depth in range(height + 1)])


def check_height(height: int, least: int) -> None:
    """Check a height that a plan states.

    Raises:
        PlanError: it is below `least`, or beyond that of the largest grid of cells.
    """
    if not least <= height <= HIGHEST:
        raise PlanError("height", f"is not from {least} to {HIGHEST}", "take the levels down to boxes that matter")


@dataclass(frozen=True, slots=True)
class Quadtree:
    """All boxes of a quadtree, cut at their midpoints: a `Method`.

    Attributes:
        shape: Cells of the public grid (rows, columns).
        relation: Neighbouring databases.
        epsilon: The cost of one unit over the whole grid; above 0.
        points: k, the most points of one unit; 1 where the unit is a point.
        height: Levels below the root, from 0 to 26; the original takes the best of 6 to 8 by the data, which costs nothing there.
        levels: How they share the budget.

    Raises:
        PlanError: another height.

    Source: Cormode et al. 2012, "Differentially private spatial decompositions", Section 4; HTF (2021), Section 5.4.
    """

    shape: tuple[int, int]
    relation: Relation
    epsilon: Fraction
    points: int = 1
    height: int = 7
    levels: Levels = "geometric"

    def __post_init__(self) -> None:
        check_height(self.height, 0)

    @property
    def amounts(self) -> tuple[Fraction, ...]:
        """What one point pays in each level, the root's first."""
        return level_amounts(self.epsilon / self.points, self.height, self.levels)

    @property
    def guarantee(self) -> Guarantee:
        """One vector of counts a level."""
        return sequential("points of the boxes of a quadtree", of_levels(self.relation, self.amounts, self.points))

    @property
    def budget(self) -> tuple[Spent, ...]:
        """What is spent on each level."""
        return spent_on_levels(self.amounts, self.points)

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure level by level, the root first; see `Method.draw`."""
        tree = GrowingTree(exact)
        for depth, amount in enumerate(self.amounts):
            if depth:
                tree.split(tree.every)
            tree.measure(amount, steered=False)
        return tree.measured()
