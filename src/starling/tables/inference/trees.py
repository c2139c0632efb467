"""Least squares over a tree of regions: every parent the sum of its children, exactly and in time proportional to the nodes.

Each node has an independent unbiased estimate y of its count, of known variance v. Among all linear unbiased estimates that
add up, the one of least variance is found in two passes (Hay et al. 2010, Section 4.1, for equal variances; here for any).

Up: z of a leaf is its y. A parent knows itself by y, variance v, and by the sum s of its children's z, variance t, independent of
y: z = (t y + v s)/(v + t), of variance v t/(v + t). This is the best estimate from the node and all below it.
Down: x of a root is its z. A child's z moves by its part of what its parent knows better: x = z + (w/t)(x_parent - s), w the variance
of z. Its variance is w - w^2/t + (w/t)^2 Var x_parent, never above w, since Var x_parent <= t.

Proof that x is the projection: z is the generalised least squares estimate of a subtree given its own data, by induction, because
the children's subtrees are independent; conditioning the children on their sum is the Gaussian update, which is the same linear
map; and least squares is a linear map, whatever the distribution of the noise.

Vectors. Where a count is the sum of m counts that are measured besides (a hierarchy of iterations), the same two passes run on
vectors of m counts, with covariance matrices for variances (`Family`): y and v for each of the m, and one more measurement of
their sum.

Arithmetic. IEEE 754 additions, subtractions, multiplications, divisions and square roots alone, in an order that the loops
below fix: no library sums, no linear algebra package, nothing that a compiler may reorder or fuse (Numba without fastmath). So
another machine repeats every bit.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled
from starling.tables.measurements import Int64

Floats: TypeAlias = npt.NDArray[np.float64]
Pair: TypeAlias = tuple[Floats, Floats]
"""Counts and variances."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """Estimates of one level.

    Attributes:
        count: The estimated counts, float64 (regions, iterations).
        variance: The variance of each estimate, float64 (regions, iterations).
    """

    count: Floats
    variance: Floats


@compiled
def child_sums(values: Floats, parent: Int64, parents: int) -> Floats:
    """The sum over children, row after row: (regions, columns) by `parent` (regions,) -> (parents, columns)."""
    sums = np.zeros((parents, values.shape[1]))
    for region in range(len(parent)):
        for column in range(values.shape[1]):
            sums[parent[region], column] += values[region, column]
    return sums


@dataclass(frozen=True, slots=True, eq=False)
class Climbed:
    """A tree after the way up.

    Attributes:
        best: For each level, top first, the best estimates from each node and all below it.
        below: For each level but the last, the sum of the children's estimates.
    """

    best: list[Estimated]
    below: list[Estimated]


def climb(levels: list[Estimated], parents: list[Int64]) -> Climbed:
    """The way up.

    Args:
        levels: What was measured, top first, each (regions, columns); columns are trees of their own.
        parents: The parent of each region, int64 (regions,), ascending, for each level but the first.
    """
    best = [levels[-1]]
    below: list[Estimated] = []
    for level, parent in zip(levels[-2::-1], parents[::-1], strict=True):
        sums = Estimated(*(child_sums(part, parent, len(level.count)) for part in (best[0].count, best[0].variance)))
        both = level.variance + sums.variance
        count = (sums.variance * level.count + level.variance * sums.count) / both
        below.insert(0, sums)
        best.insert(0, Estimated(count, level.variance * sums.variance / both))
    return Climbed(best, below)


def descend(climbed: Climbed, top: Estimated, parents: list[Int64]) -> list[Estimated]:
    """The way down: all levels at rest, given the first."""
    rest = [top]
    for level, below, parent in zip(climbed.best[1:], climbed.below, parents, strict=True):
        above = rest[-1]
        at_rest = _at_rest(
            (level.count, level.variance), (below.count, below.variance), (above.count, above.variance), parent
        )
        rest.append(Estimated(*at_rest))
    return rest


@compiled
def _at_rest(level: Pair, below: Pair, above: Pair, parent: Int64) -> Pair:
    """Children given their parents: (regions, columns) each."""
    regions, columns = level[0].shape
    count, variance = np.empty((regions, columns)), np.empty((regions, columns))
    for region in range(regions):
        p = parent[region]
        for column in range(columns):
            own = level[1][region, column]
            part = own / below[1][p, column]
            count[region, column] = level[0][region, column] + part * (above[0][p, column] - below[0][p, column])
            variance[region, column] = own - part * own + part * part * above[1][p, column]
    return count, variance


def least_squares(levels: list[Estimated], parents: list[Int64]) -> list[Estimated]:
    """The best estimates that add up, with their variances; arguments as of `climb`."""
    climbed = climb(levels, parents)
    return descend(climbed, climbed.best[0], parents)


def whole(counts: Floats) -> Int64:
    """To the nearest integer, halves up."""
    return np.floor(counts + 0.5).astype(np.int64)


def rounded_below(counts: Floats, parents: Int64, parent: Int64) -> Int64:
    """Children rounded so that they add up to their parents' integers: largest remainders first, ties in plan order.

    A child whose parent lies within 1 of the sum of its children is moved by less than 1.

    Args:
        counts: The children's estimates, float64 (regions, columns).
        parents: Rounded counts of the parents, int64 (parents, columns).
        parent: The parent of each region, ascending.
    """
    down = np.floor(counts)
    rounded = down.astype(np.int64)
    left = counts - down
    edges = np.searchsorted(parent, np.arange(len(parents) + 1))
    for index in range(len(parents)):
        rows = slice(int(edges[index]), int(edges[index + 1]))
        size = rows.stop - rows.start
        missing = parents[index] - rounded[rows].sum(axis=0)
        # By the argument above 0 to `size`; after inexact sums perhaps one beyond, which goes to all.
        each, more = np.divmod(missing, size)
        order = np.argsort(-left[rows], axis=0, kind="stable")
        rank = np.empty_like(order)
        np.put_along_axis(rank, order, np.arange(size)[:, np.newaxis], axis=0)
        rounded[rows] += each + (rank < more)
    return rounded
