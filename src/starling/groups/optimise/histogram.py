"""The consistent histograms nearest to noisy ones: an exact optimum in integers, with a certificate.

The problem (Fioretto, Van Hentenryck and Zhu 2021, Model 1, with weights): integers x[u, s] >= 0 for every region u and size s that
minimise the sum of w_level (x - noisy)^2, where children add up to their parent and the root's sizes to the public total.

The method. Each size is a tree of its own; the total ties the trees together at the root. The relaxed problem is solved by Newton's
method on its dual: for given active leaves (those above 0) the optimum is a closed form, up the tree and down again. The integer optimum
is near: each cell above the leaves gets a window of integers around the relaxed value, and what each further group would cost there
is merged upwards as in the paper's Algorithm 1. The total takes the cheapest steps and they are shared out downwards. The costs are convex
and the sums laminar, so an optimum within the windows that touches no end of one is an optimum. Otherwise the sizes at which it touches
one get windows around what was found, and wider ones. Floating point chooses the windows, and never the result: which of several optima
is returned is decided by public rules on integers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.groups.optimise import histogram_kernels as kernels
from starling.groups.optimise import water_kernels
from starling.groups.optimise.certificate import certify, certify_with_totals
from starling.groups.optimise.problem import Problem
from starling.groups.optimise.region_totals import optimum_with_totals
from starling.groups.optimise.relaxed import relaxed_optimum
from starling.groups.optimise.tree import Int64, Projection, checked_totals
from starling.groups.optimise.water import bound, like, narrowed, nearest_row
from starling.groups.optimise.water_kernels import Families

Bool = npt.NDArray[np.bool_]

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
        solution = certify(levels, problem.cells, problem.tree.parents, problem.total, problem.weights)
    else:
        levels, prices = optimum_with_totals(problem, totals)
        solution = certify_with_totals(levels, problem.cells, problem.tree.parents, totals, problem.weights, prices)
    return Projection(levels, solution.objective, solution.optimal, Fraction(0) if solution.optimal else None)


def _optimum(problem: Problem) -> tuple[Int64, ...]:
    """The optimal levels."""
    tree, cells, total = problem.tree, problem.cells, problem.total
    if total == 0:
        return tuple(np.zeros_like(array) for array in cells)
    if tree.levels == 1:
        return (nearest_row(cells[0], total),)
    return _Windows(problem).optimum()


@dataclass(frozen=True, slots=True, eq=False)
class _Window:
    """The windows of some sizes, all of one width, and what their steps cost.

    Attributes:
        sizes: int64 (sizes of this,): which sizes of the problem, increasing.
        lows: int64 (regions above the leaves, sizes of this): the windows have the steps from `lows + 1` on.
        steps: int64 (regions above the leaves, sizes of this, width): their costs.
    """

    sizes: Int64
    lows: Int64
    steps: Int64

    @property
    def width(self) -> int:
        """How many steps each window has."""
        return int(self.steps.shape[2])

    def left_by(self, counts: Int64) -> Bool:
        """bool (sizes,): whether a count of the size, (regions, sizes), lies at an end of its window, which a further step would leave."""
        at_an_end = ((counts == self.lows) & (self.lows > 0)) | (counts >= self.lows + self.width)
        return np.asarray(at_an_end.any(axis=0))

    def without(self, gone: Bool) -> "_Window":
        """The windows of the sizes that stay."""
        return _Window(self.sizes[~gone], *(np.compress(~gone, each, axis=1) for each in (self.lows, self.steps)))


class _Windows:
    """The integer optimum near the relaxed one, for a tree of at least two levels and a total above 0.

    A size whose windows do not hold the optimum gets new ones, the others keep theirs: most sizes never need more than the first.
    """

    def __init__(self, problem: Problem) -> None:
        tree, cells, total = problem.tree, problem.cells, problem.total
        self.tree, self.total, self.weights = tree, total, problem.weights
        self.noisy = np.concatenate(cells[:-1])
        self.first = int(tree.starts[-3])
        self.regions, self.families = Families(tree.children, tree.offsets), Families.of(tree, tree.levels - 2)
        self.leaves = narrowed(cells[-1], total)
        relaxed = relaxed_optimum(tree, self.families, self.leaves, self.noisy, total, self.weights)
        values, levels, self.largest = relaxed
        most = bound(self.leaves)
        lowest = np.clip(np.floor(levels), -most, most).astype(np.int64) - kernels.DEPTHS // 2
        self.guesses = like(np.maximum(-self.largest, lowest), self.leaves)
        self.counts = np.clip(np.rint(values), 0, total).astype(np.int64)

    def optimum(self) -> tuple[Int64, ...]:
        """The optimal levels."""
        leaves, radius = self.leaves, RADIUS
        windows = [self._window(np.arange(leaves.shape[1]), radius)]
        for rounds in count(1):
            self._take(windows)
            ends = [each.left_by(np.take(self.counts, each.sizes, axis=1)) for each in windows]
            if not any(each.any() for each in ends):
                break
            if rounds >= ROUNDS:
                radius *= 2
            gone = np.sort(np.concatenate([each.sizes[end] for each, end in zip(windows, ends, strict=True)]))
            stay = [each.without(end) for each, end in zip(windows, ends, strict=True) if not end.all()]
            windows = [*stay, self._window(gone, radius)]
        levels = np.empty_like(self.guesses)
        for window in windows:
            levels[:, window.sizes] = self._water_levels(window)
        filled = np.empty(leaves.shape, dtype=np.int64)
        water_kernels.fill(leaves, self.families, self.counts[self.first :], levels, filled)
        return (*(self.counts[self.tree.rows(level)] for level in range(self.tree.levels - 1)), filled)

    def _window(self, sizes: Int64, radius: int) -> _Window:
        """Windows around the counts of some sizes."""
        tree, first, families, weights = self.tree, self.first, self.families, self.weights
        leaves, guesses, noisy = self.leaves, self.guesses, self.noisy
        if len(sizes) < leaves.shape[1]:
            noisy = np.take(noisy, sizes, axis=1)
            leaves, guesses = (like(np.take(each, sizes, axis=1), leaves) for each in (leaves, guesses))
        lows = np.maximum(np.take(self.counts, sizes, axis=1) - radius, 0)
        steps = np.empty((*lows.shape, 2 * radius), dtype=np.int64)
        own, (weight, leaf_weight) = (noisy[first:], lows[first:]), weights[-2:]
        kernels.steps_above_leaves(leaves, families, guesses, *own, weight, leaf_weight, steps[first:])
        for level in reversed(range(tree.levels - 2)):
            rows = tree.rows(level)
            kernels.steps_above(self.regions, noisy, lows, weights[level], steps, rows.start, rows.stop)
        return _Window(sizes, lows, steps)

    def _take(self, windows: Sequence[_Window]) -> None:
        """Write the optimal counts of the regions above the leaves within windows."""
        tree = self.tree
        widths, lows = np.empty((2, self.leaves.shape[1]), dtype=np.int64)
        for each in windows:
            widths[each.sizes], lows[each.sizes] = each.width, each.lows[0]
        starts = np.concatenate([[0], np.cumsum(widths)])
        steps = np.empty(starts[-1], dtype=np.int64)
        for each in windows:
            steps[starts[each.sizes][:, None] + np.arange(each.width)] = each.steps[0]
        kernels.take_at_root(steps, starts, lows, self.total, self.counts[0])
        for each in windows:
            counts, noisy = (np.take(values, each.sizes, axis=1) for values in (self.counts, self.noisy))
            for level in range(tree.levels - 2):
                rows, known = tree.rows(level), (noisy, each.lows, self.weights[level], each.steps)
                kernels.take_below(self.regions, *known, each.sizes, counts, rows.start, rows.stop)
            self.counts[:, each.sizes] = counts

    def _water_levels(self, window: _Window) -> water_kernels.Cells:
        """The water level of each parent of leaves, read off the cost of its last step."""
        parents, sizes = slice(self.first, None), window.sizes
        counts = self.counts[parents, sizes]
        at = np.maximum(counts - window.lows[parents] - 1, 0)[:, :, None]
        last = np.take_along_axis(window.steps[parents], at, axis=2)[:, :, 0]
        own = self.weights[-2] * (2 * (counts - self.noisy[parents, sizes]) - 1)
        level = ((last - own) // self.weights[-1] + 1) // 2
        return like(np.where(counts > 0, level, -self.largest[:, sizes]), self.leaves)
