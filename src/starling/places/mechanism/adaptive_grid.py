"""A coarse grid whose boxes are cut into finer grids by their noisy counts (AG).

Privacy. Neighbours: one unit more or less, which has at most k points, k public; each of them costs epsilon/k (growing.py).
The original takes the number of points as public; here 1/50 of epsilon pays for it, and the coarse grid follows from this noisy number.
Its boxes are measured with half of the rest, and each is cut by its noisy count into a grid of boxes, which are measured with the other
half. A box that is not cut is measured again. The boxes of each of the two grids are disjoint: L1 sensitivity k. All compose
sequentially to epsilon.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from starling.places.arrays import Int64
from starling.places.measurements import MeasuredTree
from starling.places.mechanism.growing import GrowingTree
from starling.places.mechanism.method import TOTAL, Method
from starling.places.mechanism.uniform_grid import LOAD, side
from starling.privacy.guarantee import Guarantee

LEAST: Final = 10
"""Boxes along each side of the coarse grid, at least."""
FINE_LOAD: Final = 5
"""c2 of the original: a box with a noisy count of y is cut into about y epsilon_2/c2 boxes."""


@dataclass(frozen=True, slots=True)
class AdaptiveGrid(Method):
    """Boxes of a coarse grid and of finer grids in them: a `Method`.

    Source: Qardaji, Yang and Li 2013, "Differentially private grids for geospatial data", Section IV-B; HTF (2021), Section 5.3.
    """

    measured = "points of a coarse grid and of finer ones"

    @property
    def amounts(self) -> tuple[Fraction, Fraction, Fraction]:
        """What one point pays for the number of points, for its coarse box, and for its fine one."""
        half = (1 - TOTAL) * self.amount / 2
        return TOTAL * self.amount, half, half

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """A count, and two vectors of counts."""
        total, coarse, fine = self.amounts
        return {
            "number of points": [self.disjoint("points of the grid", total)],
            "coarse boxes": [self.disjoint("points of the boxes of a coarse grid", coarse)],
            "fine boxes": [self.disjoint("points of the boxes of fine grids", fine)],
        }

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure the root, the coarse boxes, then the fine ones; see `Method.draw`."""
        first, coarse, fine = self.amounts
        tree = GrowingTree(exact)
        total = int(tree.measure(first, steered=True)[0])
        boxes = max(LEAST, -(-side(total * self.amount / LOAD) // 4))
        tree.split(tree.every, boxes, boxes)
        values = tree.measure(coarse, steered=tree.areas > 1)
        distinct, place = np.unique(values, return_inverse=True)
        sides = np.array([side(value * fine / FINE_LOAD) for value in distinct.tolist()], dtype=np.int64)[place]
        tree.split(tree.every, sides, sides)
        tree.measure(fine, steered=False)
        return tree.measured()
