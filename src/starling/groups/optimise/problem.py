"""The problem that optimisers on histograms solve, checked: noisy counts on a tree, a public total, a weight for each level."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Final

import numpy.typing as npt

from starling.errors import ParameterError
from starling.groups.optimise.tree import Int64, Tree

LIMIT: Final = 1 << 61
"""No cost of a further group may reach this."""
SPARE: Final = 1 << 16
"""How far beyond the total an optimiser may look."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Noisy histograms and what is public.

    Attributes:
        tree: The regions.
        cells: int64 (regions of the level, sizes) for each level, root first.
        total: Number of groups, at least 0.
        weights: A positive integer for each level.
    """

    tree: Tree
    cells: tuple[Int64, ...]
    total: int
    weights: tuple[int, ...]

    @classmethod
    def of(
        cls, noisy: Sequence[npt.ArrayLike], parents: Sequence[npt.ArrayLike], total: int, weights: Sequence[int] | None
    ) -> "Problem":
        """The problem, checked. Takes what `project_histogram` does.

        Raises:
            ParameterError: for shapes that do not fit, a total below 0, weights that are not positive integers, or magnitudes at which
                costs would not fit into 64 bits: 8 (largest absolute noisy count + total + 2^16) times the larger of the number of
                regions and the sum of the weights must stay below 2^61.
        """
        tree = Tree.of(parents)
        cells = tree.cells(noisy)
        groups = index(total)
        if groups < 0:
            raise ParameterError("total", f"is {total}", "give a number of groups, at least 0")
        exact = (1,) * tree.levels if weights is None else tuple(index(weight) for weight in weights)
        if len(exact) != tree.levels or min(exact) < 1:
            fix = f"give {tree.levels} positive integers, one for each level"
            raise ParameterError("weights", f"are {list(exact)}", fix)
        largest = max(max(abs(int(array.min())), abs(int(array.max()))) for array in cells)
        if 8 * (largest + groups + SPARE) * max(sum(exact), int(tree.starts[-1])) >= LIMIT:
            problem = "and the total, times the weights or the number of regions, come too near the end of 64 bits"
            raise ParameterError("noisy", problem, "give smaller counts or weights")
        return cls(tree, cells, groups, exact)
