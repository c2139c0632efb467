"""Least squares over a hierarchy: every parent the sum of its children, exactly and in time proportional to the nodes.

Each node has an independent unbiased estimate y of its count, of known variance v. Among all linear unbiased estimates that
add up, the one of least variance is found in two passes (Hay et al. 2010, Section 4.1, for equal variances; here for any).

Up: z of a leaf is its y. A parent knows itself by y, variance v, and by the sum s of its children's z, variance t, independent of
y: z = (t y + v s)/(v + t), of variance v t/(v + t). This is the best estimate from the node and all below it.
Down: x of a root is its z. A child's z moves by its part of what its parent knows better: x = z + (w/t)(x_parent - s), w the variance
of z. Its variance is w - w^2/t + (w/t)^2 Var x_parent, never above w, since Var x_parent <= t.

Proof that x is the projection: z is the generalised least squares estimate of a subtree given its own data, by induction, because
the children's subtrees are independent; conditioning the children on their sum is the Gaussian update, which is the same linear
map; and least squares is a linear map, whatever the distribution of the noise.

Weighted sums. With coefficient C_u of each child u of v, and g = sum C_u w_u/t_v, the sum of C_u x_u is g x_v plus what the children
say of each other, which errs independently of x_v. Leaves first, the variance grows by sum w_u (C_u - g)^2, and the coefficient of v by g.

Draws. Least squares is a projection P with P V symmetric, V the variances that are measured. So a sum with weights c of the estimates takes
each measurement y times the coefficient of V^-1 P (V c): `least_squares` of V c in place of the counts, over V.

Arithmetic. IEEE 754 additions, subtractions, multiplications, divisions and square roots alone, in an order that the loops
below fix: no library sums, no linear algebra package, nothing that a compiler may reorder or fuse (Numba without fastmath). So
another machine repeats every bit of the estimates.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled

Floats: TypeAlias = npt.NDArray[np.float64]
Int64: TypeAlias = npt.NDArray[np.int64]
Pair: TypeAlias = tuple[Floats, Floats]
"""Counts and variances."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """Estimates of the counts of one level, and their variances, float64 (regions, iterations)."""

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
    """A tree after the way up: the best estimates of each level, top first, from each node and all below it, and, but for the last
    level, the sums of the children's.
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


def variance_of_sum(
    best: list[Floats], below: list[Floats], parents: list[Int64], weights: list[Floats]
) -> tuple[float, float]:
    """The exact variance of a weighted sum of all nodes after least squares, and the largest that it could have been.

    Args:
        best: The variance of each node by itself and all below it, top level first, each (nodes, columns or 1); see `climb`.
        below: But for the last level, the variance of the sum of the children's.
        parents: As of `climb`.
        weights: Of each node, (nodes, columns). They are changed.
    """
    variance, largest = 0.0, 0.0
    for level in reversed(range(len(parents))):
        here, spread = weights[level + 1], best[level + 1]
        moved = child_sums(here * spread, parents[level], len(weights[level])) / below[level]
        variance += float((spread * (here - moved[parents[level]]) ** 2).sum())
        largest += float((spread * here**2).sum())
        weights[level] = weights[level] + moved
    top = float((best[0] * weights[0] ** 2).sum())
    return variance + top, largest + top


def coefficients_of_sum(variances: list[Floats], parents: list[Int64], weights: list[Floats]) -> list[Floats]:
    """The coefficient of each measured number in a weighted sum of all nodes after least squares, arrays as of `climb`."""
    levels = [Estimated(variance * weight, variance) for variance, weight in zip(variances, weights, strict=True)]
    return [each.count / own for each, own in zip(least_squares(levels, parents), variances, strict=True)]
