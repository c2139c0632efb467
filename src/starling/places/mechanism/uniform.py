"""One noisy count of the whole grid, spread evenly.

Privacy. Neighbours: one unit more or less, which has at most k points, k public. The number of points differs by at most k: sensitivity k.
Discrete Laplace noise of scale k/epsilon is epsilon-DP (SafeTab 2022, Lemma 6).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starling.places.measurements import Int64, MeasuredTree
from starling.places.mechanism.growing import GrowingTree
from starling.places.mechanism.method import Method
from starling.privacy.guarantee import Guarantee


@dataclass(frozen=True, slots=True)
class Uniform(Method):
    """The grid measured as a whole: a `Method`.

    Source: HTF (2021), Section 5.5, "Uniform".
    """

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """One count."""
        return {"the whole grid": [self.disjoint("points of the grid", self.amount)]}

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure the whole grid; see `Method.draw`."""
        tree = GrowingTree(exact)
        tree.measure(self.amount, steered=False)
        return tree.measured()
