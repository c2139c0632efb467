"""A noisy count for every cell of the public grid, or one of the whole grid, which is spread evenly.

Privacy. Neighbours: one unit more or less, which has at most k points, k public. The counts of neighbours, and the number of points, differ
by at most k in all: L1 sensitivity k. Discrete Laplace noise of scale k/epsilon in every cell, empty or not, or of the one count, is
epsilon-DP (SafeTab 2022, Lemma 6). Shape and scale come from the plan, never from the data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from starling.places.arrays import Int64
from starling.places.measurements import ROOT, MeasuredTree, Tree
from starling.places.mechanism.growing import GrowingTree, noisy
from starling.places.mechanism.method import Method
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.guarantee import Guarantee


@dataclass(frozen=True, slots=True)
class Singular(Method):
    """Every cell measured once: a `Method`.

    Source: HTF (2021), Section 5.5, "Singular".
    """

    @property
    def stages(self) -> Mapping[str, Sequence[Guarantee]]:
        """One vector of counts."""
        return {"cells": [self.disjoint("points of every cell", self.amount)]}

    def draw(self, exact: Int64, /) -> MeasuredTree:
        """Measure every cell, row by row, below an unmeasured root; see `Method.draw`."""
        values = noisy(exact.reshape(-1), self.amount)
        return of_cells(self.shape, values, DiscreteLaplace(1 / self.amount))


def of_cells(shape: tuple[int, int], values: Int64, noise: DiscreteLaplace) -> MeasuredTree:
    """Noisy counts of all cells, int64 (rows * columns,), row by row, below an unmeasured root. A grid of one cell is its own root."""
    rows, columns = shape
    first, last = np.divmod(np.arange(rows * columns, dtype=np.int32), np.int32(columns))
    cells = np.stack([first, first + 1, last, last + 1], axis=1).astype(np.int32)
    alone = len(values) == 1
    whole = np.array([[0, rows, 0, columns]], dtype=np.int32)
    boxes = whole if alone else np.concatenate([whole, cells])
    parents = np.zeros(len(boxes), dtype=np.int64)
    parents[0] = ROOT
    return MeasuredTree(
        tree=Tree(shape, boxes, parents),
        node=np.arange(len(values), dtype=np.int64) + (0 if alone else 1),
        value=values,
        noise=np.zeros(len(values), dtype=np.int16),
        noises=(noise,),
        steered=np.zeros(len(values), dtype=np.bool_),
    )


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
