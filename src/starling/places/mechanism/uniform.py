"""One noisy count of the whole grid, spread evenly.

Privacy. Neighbours: one unit more or less, which has at most k points, k public. The number of points differs by at most k: sensitivity k.
Discrete Laplace noise of scale k/epsilon is epsilon-DP (SafeTab 2022, Lemma 6).
"""

from dataclasses import dataclass
from fractions import Fraction

from starling.places.measurements import Int64, MeasuredTree
from starling.places.mechanism.growing import GrowingTree, of_a_partition
from starling.places.mechanism.method import Spent
from starling.privacy.guarantee import Guarantee
from starling.privacy.neighbours import Relation


@dataclass(frozen=True, slots=True)
class Uniform:
    """The grid measured as a whole: a `Method`.

    Attributes:
        shape: Cells of the public grid (rows, columns).
        relation: Neighbouring databases.
        epsilon: The cost of one unit over the whole grid; above 0.
        points: k, the most points of one unit; 1 where the unit is a point.

    Source: HTF (2021), Section 5.5, "Uniform".
    """

    shape: tuple[int, int]
    relation: Relation
    epsilon: Fraction
    points: int = 1

    @property
    def guarantee(self) -> Guarantee:
        """One count."""
        return of_a_partition("points of the grid", self.relation, self.epsilon / self.points, self.points)

    @property
    def budget(self) -> tuple[Spent, ...]:
        """All is spent on the one count."""
        return (Spent("the whole grid", self.epsilon),)

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure the whole grid; see `Method.draw`."""
        tree = GrowingTree(exact)
        tree.measure(self.epsilon / self.points, steered=False)
        return tree.measured()
