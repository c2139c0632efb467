"""The problem that optimisers on cumulative counts solve, checked: noisy c[r,s], how noisy they are, and what is public."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.groups.optimise.cumulative_kernels import Regions
from starling.groups.optimise.tree import Int64, Tree, checked_totals, squares

Float: TypeAlias = npt.NDArray[np.float64]
Bool: TypeAlias = npt.NDArray[np.bool_]

MOST: Final = 1 << 60
"""The largest total."""
FINEST: Final = 1 << 20
"""The weight of the least variance."""


@dataclass(frozen=True, slots=True, eq=False)
class CumulativeProblem:
    """Noisy numbers of groups of at most each size, for every region.

    Regions are numbered level after level, the root first.

    Attributes:
        tree: The regions.
        cells: int64 (regions of the level, sizes) for each level, root first.
        variances: float64 (levels, sizes): of the noise.
        tops: int64 (regions,): the most groups that a region can have: its own total where that is public, else that of the root.
        known: bool (regions,): whether that total is public, so that c at the last size is it.
    """

    tree: Tree
    cells: tuple[Int64, ...]
    variances: Float
    tops: Int64
    known: Bool

    @classmethod
    def of(
        cls,
        noisy: Sequence[npt.ArrayLike],
        parents: Sequence[npt.ArrayLike],
        total: int,
        variances: Sequence[npt.ArrayLike] | None,
        region_totals: Sequence[npt.ArrayLike] | None,
    ) -> "CumulativeProblem":
        """The problem, checked. Takes and raises what `project_cumulative` does.

        Where the total of a region is public, what stands at its last size is not looked at.
        """
        tree = Tree.of(parents)
        cells = tree.cells(noisy)
        groups = index(total)
        if not 0 <= groups <= MOST:
            raise ParameterError("total", f"is {total}", "give a number of groups from 0 to 2^60")
        regions = int(tree.starts[-1])
        if region_totals is None:
            tops = np.full(regions, groups, dtype=np.int64)
        else:
            tops = np.concatenate(checked_totals(tree, region_totals, groups))
        known = np.full(regions, region_totals is not None)
        known[0] = True
        return cls(tree, cells, _variances(variances, tree.levels, cells[0].shape[1]), tops, known)

    @property
    def sizes(self) -> int:
        """How many sizes there are."""
        return int(self.cells[0].shape[1])

    def regions(self) -> Regions:
        """The tree and the public totals as kernels take them."""
        tree = self.tree
        return Regions(tree.starts, tree.parent, tree.children, self.tops.astype(np.float64), self.known)

    def weights(self) -> Int64:
        """The weight of each level and size, int64 (levels, sizes): 2^20 times the least variance over the variance, at least 1."""
        shares: Float = self.variances.min() / self.variances
        return np.maximum(np.rint(FINEST * shares), 1).astype(np.int64)

    def stacked(self) -> Float:
        """The noisy counts of all regions, float64 (regions, sizes); public totals stand where they are public."""
        values = np.empty((len(self.tops), self.sizes))
        for level, cells in enumerate(self.cells):
            values[self.tree.rows(level)] = cells
        values[self.known, -1] = self.tops[self.known]
        return values

    def objective(self, levels: Sequence[Int64]) -> int:
        """The sum of weight (c - noisy)^2 over all cells that were measured, exactly, for consistent histograms."""
        whole = 0
        for level, (counts, noisy, weights) in enumerate(zip(levels, self.cells, self.weights(), strict=True)):
            sizes = self.sizes - 1 if self.known[self.tree.rows(level)].all() else self.sizes
            sums = squares(np.cumsum(counts[:, :sizes], axis=1), noisy[:, :sizes])
            whole += sum(int(weight) * each for weight, each in zip(weights, sums, strict=False))
        return whole


def _variances(stated: Sequence[npt.ArrayLike] | None, levels: int, sizes: int) -> Float:
    """The variance of each level and size."""
    if stated is None:
        return np.ones((levels, sizes))
    try:
        result = np.array([np.broadcast_to(np.asarray(each, dtype=np.float64), sizes) for each in stated])
    except ValueError:
        result = np.empty((0, sizes))
    if len(result) != levels or not (np.isfinite(result).all() and (result > 0).all()):
        fix = "give each level one variance, or one for each size"
        raise ParameterError("variances", "are not numbers above 0 for every level", fix)
    return result
