"""The consistent histograms nearest to noisy ones: an exact optimum in integers, with a certificate.

The problem (Fioretto, Van Hentenryck and Zhu 2021, Model 1, with weights): integers x[u, s] >= 0 for every region u and size s that
minimise the sum of w_level (x - noisy)^2, where children add up to their parent and the root's sizes to the public total.

The method. Each size is a tree of its own; the total ties the trees together at the root. The relaxed problem is solved by Newton's
method on its dual: for given active leaves (those above 0) the optimum is a closed form, up the tree and down again. The integer optimum
is near: each cell above the leaves gets a window of integers around the relaxed value, and what each further group would cost there
is merged upwards as in the paper's Algorithm 1. The total takes the cheapest steps and they are shared out downwards. The costs are convex
and the sums laminar, so an optimum within the windows that touches no end of one is an optimum. Otherwise the windows are put around what
was found, and widened. Floating point chooses the windows, and never the result: which of several optima is returned is
decided by public rules on integers.
"""

from collections.abc import Sequence
from fractions import Fraction
from operator import index
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.groups.optimise import histogram_kernels as kernels
from starling.groups.optimise import water_kernels
from starling.groups.optimise.certificate import certify
from starling.groups.optimise.tree import Int64, Projection, Tree
from starling.groups.optimise.water import Families, like, nearest_with_sum

PASSES: Final = 30
"""The most passes of Newton's method; in floating point it may cycle where a leaf is exactly 0."""
RADIUS: Final = 3
"""How far a window reaches to either side at first."""
ROUNDS: Final = 3
"""After so many rounds windows become wider."""
LIMIT: Final = 1 << 61
"""No cost of a step may reach this."""
SPARE: Final = 1 << 16
"""How far beyond the total a window may reach in the check of the bound."""


def project_histogram(
    noisy: Sequence[npt.ArrayLike],
    parents: Sequence[npt.ArrayLike],
    total: int,
    weights: Sequence[int] | None = None,
) -> Projection:
    """The consistent histograms with the least weighted squared distance from noisy ones.

    Args:
        noisy: Integers (regions of the level, sizes) for each level, root first; any integers.
        parents: For each level below the root, integers (regions of the level,): each region's row in the level above, in any order.
        total: The public number of groups.
        weights: A positive integer for each level; 1 everywhere if None.

    Returns:
        The optimum; the objective is an integer, the gap 0, and `certified` says what an independent check found (certificate.py).

    Raises:
        ParameterError: for shapes that do not fit, a total below 0, weights that are not positive integers, or magnitudes at which the
            costs of the problem would not fit into 64 bits: 8 (largest absolute noisy count + total + 2^16) times the larger of
            the number of regions and the sum of the weights must stay below 2^61.

    >>> found = project_histogram([[[3, 1]], [[2, 0], [2, 0]]], [[0, 0]], total=4)
    >>> [level.tolist() for level in found.levels], found.objective, found.certified
    ([[[3, 1]], [[2, 0], [1, 1]]], 2, True)
    """
    tree = Tree.of(parents)
    cells = tree.cells(noisy)
    exact = _weights(weights, tree.levels)
    groups = checked_total(total)
    check_magnitudes(tree, cells, groups, exact)
    levels = _optimum(tree, cells, groups, exact)
    found = certify(levels, cells, tree.parents, groups, exact)
    return Projection(levels, found.objective, found.optimal, Fraction(0) if found.optimal else None)


def checked_total(total: int) -> int:
    """A public number of groups, at least 0."""
    if index(total) < 0:
        raise ParameterError(field="total", problem=f"is {total}", fix="give a number of groups, at least 0")
    return index(total)


def _weights(weights: Sequence[int] | None, levels: int) -> tuple[int, ...]:
    """One positive weight for each level."""
    found = (1,) * levels if weights is None else tuple(index(weight) for weight in weights)
    if len(found) != levels or min(found) < 1:
        raise ParameterError(
            field="weights", problem=f"are {list(found)}", fix=f"give {levels} positive integers, one for each level"
        )
    return found


def check_magnitudes(tree: Tree, cells: Sequence[Int64], total: int, weights: Sequence[int]) -> None:
    """Raises ParameterError where the costs of the problem would not fit into 64 bits."""
    largest = max(max(abs(int(array.min())), abs(int(array.max()))) for array in cells)
    if 8 * (largest + total + SPARE) * max(sum(weights), int(tree.starts[-1])) >= LIMIT:
        raise ParameterError(
            field="noisy",
            problem="and the total, times the weights or the number of regions, come too near the end of 64 bits",
            fix="give smaller counts or weights",
        )


def _optimum(tree: Tree, cells: Sequence[Int64], total: int, weights: Sequence[int]) -> tuple[Int64, ...]:
    """The optimal levels."""
    if total == 0:
        return tuple(np.zeros_like(array) for array in cells)
    if tree.levels == 1:
        return (nearest_with_sum(cells[0].T, Families.whole(cells[0].shape[1]), np.array([[total]])).T.copy(),)
    windows = _Windows(tree, cells, total, weights)
    return windows.optimum()


class _Windows:
    """The integer optimum near the relaxed one, for a tree of at least two levels and a total above 0."""

    def __init__(self, tree: Tree, cells: Sequence[Int64], total: int, weights: Sequence[int]) -> None:
        self.tree, self.total, self.weights = tree, total, weights
        self.inner = int(tree.starts[-2])
        self.noisy = np.concatenate(cells[:-1])
        self.first = int(tree.starts[-3])
        self.families = Families.of(tree, tree.levels - 2)
        self.leaves = self.families.narrowed(cells[-1], total)

    def optimum(self) -> tuple[Int64, ...]:
        """The optimal levels."""
        families, leaves = self.families, self.leaves
        values, guesses, largest = self._relaxed()
        radius = RADIUS
        counts = np.clip(np.rint(values), 0, self.total).astype(np.int64)
        rounds = 0
        while True:
            lows = np.maximum(counts - radius, 0)
            counts, steps = self._within(lows, 2 * radius, guesses)
            if not kernels.at_an_end(counts, lows, 2 * radius):
                break
            rounds += 1
            if rounds >= ROUNDS:
                radius *= 2
        levels = self._water_levels(counts[self.first :], lows[self.first :], steps[self.first :], largest)
        filled = np.empty(leaves.shape, dtype=np.int64)
        water_kernels.fill(leaves, families.rows, families.offsets, counts[self.first :], levels, filled)
        return (*(counts[self.tree.rows(level)] for level in range(self.tree.levels - 1)), filled)

    def _relaxed(self) -> tuple[npt.NDArray[np.float64], water_kernels.Cells, water_kernels.Cells]:
        """Relaxed counts of the inner regions; water levels below those of the windows and the largest children."""
        tree, families, leaves = self.tree, self.families, self.leaves
        shape = (self.inner - self.first, leaves.shape[1])
        parent = np.concatenate([[0], *(rows + tree.starts[level] for level, rows in enumerate(tree.parents[:-1]))])
        twice = 2.0 * np.repeat(self.weights[:-1], np.array(tree.regions[:-1]))
        leaf_twice = 2.0 * self.weights[-1]
        largest, sums = np.empty(shape, dtype=leaves.dtype), np.empty(shape, dtype=np.int64)
        water_kernels.largest_and_sums(leaves, families.rows, families.offsets, largest, sums)
        counts = np.repeat(np.diff(families.offsets)[:, None], shape[1], axis=1)
        everyone = counts.copy(), sums.copy()
        shares, values, slopes = (np.empty(self.noisy.shape) for _ in range(3))
        above = np.empty(shape, dtype=leaves.dtype)
        bound = families.bound(leaves)
        for _ in range(PASSES):
            if not kernels.prices(
                counts, sums, self.noisy, parent, twice, leaf_twice, float(self.total), shares, values, slopes
            ):
                counts[:], sums[:] = everyone
                continue
            kernels.thresholds(shares[self.first :], leaf_twice, bound, above)
            if not water_kernels.active(leaves, families.rows, families.offsets, above, counts, sums):
                break
        guesses = like(np.maximum(-largest, -above - kernels.DEPTHS // 2 - 1), leaves)
        return values + slopes * shares, guesses, largest

    def _within(self, lows: Int64, width: int, guesses: water_kernels.Cells) -> tuple[Int64, Int64]:
        """The optimal counts of the inner regions within windows, and what their steps cost."""
        tree, families = self.tree, self.families
        steps = np.empty((*lows.shape, width), dtype=np.int64)
        kernels.steps_above_leaves(
            self.leaves,
            families.rows,
            families.offsets,
            guesses,
            self.noisy[self.first :],
            lows[self.first :],
            self.weights[-2],
            self.weights[-1],
            steps[self.first :],
        )
        levels = range(tree.levels - 2)
        for level in reversed(levels):
            rows = tree.rows(level)
            kernels.steps_above(
                tree.children, tree.offsets, self.noisy, lows, self.weights[level], steps, rows.start, rows.stop
            )
        counts = np.empty_like(lows)
        kernels.take_at_root(steps[0], lows[0], self.total, counts[0])
        for level in levels:
            rows = tree.rows(level)
            kernels.take_below(
                tree.children, tree.offsets, self.noisy, lows, self.weights[level], steps, counts, rows.start, rows.stop
            )
        return counts, steps

    def _water_levels(
        self, counts: Int64, lows: Int64, steps: Int64, largest: water_kernels.Cells
    ) -> water_kernels.Cells:
        """The water level of each parent of leaves, read off the cost of its last step."""
        at = np.maximum(counts - lows - 1, 0)[:, :, None]
        last = np.take_along_axis(steps, at, axis=2)[:, :, 0]
        own = self.weights[-2] * (2 * (counts - self.noisy[self.first :]) - 1)
        level = ((last - own) // self.weights[-1] + 1) // 2
        return like(np.where(counts > 0, level, -largest), self.leaves)
