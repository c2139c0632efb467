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
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.groups.optimise import histogram_kernels as kernels
from starling.groups.optimise import water_kernels
from starling.groups.optimise.certificate import certify, certify_with_totals
from starling.groups.optimise.problem import Problem
from starling.groups.optimise.region_totals import checked_totals, optimum_with_totals
from starling.groups.optimise.relaxed import relaxed_optimum
from starling.groups.optimise.tree import Int64, Projection
from starling.groups.optimise.water import Families, like, nearest_with_sum

RADIUS: Final = 3
"""How far a window reaches to either side at first."""
ROUNDS: Final = 3
"""After so many rounds windows become wider."""


def project_histogram(
    noisy: Sequence[npt.ArrayLike],
    parents: Sequence[npt.ArrayLike],
    total: int,
    weights: Sequence[int] | None = None,
    region_totals: Sequence[npt.ArrayLike] | None = None,
) -> Projection:
    """The consistent histograms with the least weighted squared distance from noisy ones.

    Args:
        noisy: Integers (regions of the level, sizes) for each level, root first; any integers.
        parents: For each level below the root, integers (regions of the level,): each region's row in the level above, in any order.
        total: The public number of groups.
        weights: A positive integer for each level; 1 everywhere if None.
        region_totals: Where the number of groups of every region is public: integers (regions of the level,) for each level, root first,
            whose root is `total`.

    Returns:
        The optimum; the objective is an integer, the gap 0, and `certified` says what an independent check found (certificate.py).

    Raises:
        ParameterError: where `Problem.of` refuses it: shapes, total, weights, or magnitudes too near the end of 64 bits; and for
            region totals that are below 0 or do not add up.

    >>> found = project_histogram([[[4, 1]], [[2, 0], [1, 1]]], [[0, 0]], total=4)
    >>> [level.tolist() for level in found.levels], found.objective, found.certified
    ([[[3, 1]], [[2, 0], [1, 1]]], 1, True)
    """
    problem = Problem.of(noisy, parents, total, weights)
    totals = None if region_totals is None else checked_totals(problem.tree, region_totals, problem.total)
    if totals is None or problem.tree.levels == 1:
        levels = _optimum(problem)
        found = certify(levels, problem.cells, problem.tree.parents, problem.total, problem.weights)
    else:
        levels, prices = optimum_with_totals(problem, totals)
        found = certify_with_totals(levels, problem.cells, problem.tree.parents, totals, problem.weights, prices)
    return Projection(levels, found.objective, found.optimal, Fraction(0) if found.optimal else None)


def _optimum(problem: Problem) -> tuple[Int64, ...]:
    """The optimal levels."""
    tree, cells, total = problem.tree, problem.cells, problem.total
    if total == 0:
        return tuple(np.zeros_like(array) for array in cells)
    if tree.levels == 1:
        return (nearest_with_sum(cells[0].T, Families.whole(cells[0].shape[1]), np.array([[total]])).T.copy(),)
    return _Windows(problem).optimum()


class _Windows:
    """The integer optimum near the relaxed one, for a tree of at least two levels and a total above 0."""

    def __init__(self, problem: Problem) -> None:
        tree, cells, total = problem.tree, problem.cells, problem.total
        self.tree, self.total, self.weights = tree, total, problem.weights
        self.noisy = np.concatenate(cells[:-1])
        self.first = int(tree.starts[-3])
        self.families = Families.of(tree, tree.levels - 2)
        self.leaves = self.families.narrowed(cells[-1], total)

    def optimum(self) -> tuple[Int64, ...]:
        """The optimal levels."""
        families, leaves = self.families, self.leaves
        relaxed = relaxed_optimum(self.tree, families, leaves, self.noisy, self.total, self.weights)
        bound = families.bound(leaves)
        lowest = np.clip(np.floor(relaxed.levels), -bound, bound).astype(np.int64) - kernels.DEPTHS // 2
        guesses = like(np.maximum(-relaxed.largest, lowest), leaves)
        radius = RADIUS
        counts = np.clip(np.rint(relaxed.values), 0, self.total).astype(np.int64)
        rounds = 0
        while True:
            lows = np.maximum(counts - radius, 0)
            counts, steps = self._within(lows, 2 * radius, guesses)
            if not kernels.at_an_end(counts, lows, 2 * radius):
                break
            rounds += 1
            if rounds >= ROUNDS:
                radius *= 2
        levels = self._water_levels(counts[self.first :], lows[self.first :], steps[self.first :], relaxed.largest)
        filled = np.empty(leaves.shape, dtype=np.int64)
        water_kernels.fill(leaves, families.rows, families.offsets, counts[self.first :], levels, filled)
        return (*(counts[self.tree.rows(level)] for level in range(self.tree.levels - 1)), filled)

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
