"""Least squares over a tree of regions of counts that are sums of others, and the rounding of counts that add up.

Numbers by themselves are settled by two passes over the hierarchy (hierarchy/trees.py).

Vectors. Where a count is the sum of m counts that are measured besides (a hierarchy of iterations), the same two passes run on
vectors of m counts, with covariance matrices for variances. A family is an iteration that is, for every person who can be, the sum of m
others (consistency.py proves when). In each region the m members are measured, and so is their sum. Over regions they add up as well.

Up: own data are the diagonal D of the members' variances and one measurement of the sum, of variance u; together they give the
covariance D - D 1 1' D/(1' D 1 + u). The children's sum has the sum of their covariances. Two independent estimates (a, A) and (b, B)
combine to a + A (A + B)^-1 (b - a), of covariance A - A (A + B)^-1 A.
Down: a child of covariance W moves by W T^-1 (x_parent - s), T the covariance of the children's sum s, to the covariance
W - W T^-1 W + W T^-1 X_parent T^-1 W.

A + B and T are sums of covariances, positive definite because every measurement has noise; they are solved by Cholesky's
method, row by row, in the order of the loops.

Arithmetic is that of hierarchy/trees.py: another machine repeats every bit.
"""

from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from starling.hierarchy.trees import Estimated, Floats, child_sums
from starling.privacy.compiled import compiled
from starling.tables.measurements import Int64

Number = TypeVar("Number", np.int64, np.float64)
_PARTS: Final = 2**36
"""Parts of a person that `rounded_evenly` adds up; of 2^27 leaves they fit into 64 bits."""


def whole(counts: Floats) -> Int64:
    """To the nearest integer, halves up."""
    return np.floor(counts + 0.5).astype(np.int64)


def rounded_below(counts: Floats, parents: Int64, parent: Int64) -> Int64:
    """Children rounded so that they add up to their parents' integers: largest remainders first, ties in plan order.

    The rule of plans that say `add-up = true`. Of many children with equal parts the first are all rounded up: a sum over them may be
    moved by a quarter of their number.

    A child whose parent lies within 1 of the sum of its children is moved by less than 1.

    The children's estimates are (regions, columns), the parents' rounded counts (parents, columns), the parent of each region ascending.
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


def rounded_evenly(levels: list[Floats], parents: list[Int64]) -> list[Int64]:
    """Levels that add up, rounded so that they still do, and any run of neighbours is moved by less than 1.

    Let S_k be the sum of the first k leaves, and R_k the nearest integer to it, halves up. Leaf k becomes R_k - R_(k-1), and a node above
    the sum of its leaves. So the leaves from i + 1 to k, whatever they are called higher up, become R_k - R_i in place of S_k - S_i; as
    R - S lies in (-1/2, 1/2], they are moved by less than 1, as is each node, which is such a run; all together by at most 1/2.

    A sum of leaves with weights c_k is moved by the sum of (R_k - S_k)(c_k - c_(k+1)), hence by at most half of what the weights vary,
    from 0 before the first to 0 after the last (`most_moved`).

    Parts of persons are kept to 2^-36, so that sums of them are exact: each of the bounds is larger by 2^-37 for a leaf.

    Arguments as of `climb`, counts alone.
    """
    down = np.floor(levels[-1])
    parts = np.rint((levels[-1] - down) * _PARTS).astype(np.int64)
    carried = (np.cumsum(parts, axis=0) + _PARTS // 2) // _PARTS
    rounded = [down.astype(np.int64) + np.diff(carried, axis=0, prepend=0)]
    for parent in parents[::-1]:
        rounded.insert(0, np.add.reduceat(rounded[0], np.flatnonzero(np.diff(parent, prepend=-1)), axis=0))
    return rounded


def most_moved(weights: Floats) -> float:
    """By how much `rounded_evenly` may move a sum of leaves with these weights."""
    return float(np.abs(np.diff(weights, prepend=0, append=0)).sum()) / 2


@dataclass(frozen=True, slots=True, eq=False)
class ClimbedFamily:
    """A family after the way up: of each level, top first, the best estimates of the members from each node and all below it, (regions, m)
    with covariances (regions, m, m); and, but for the last level, the sums of the children's.
    """

    means: list[Floats]
    covariances: list[Floats]
    sums: list[tuple[Floats, Floats]]


def climb_family(levels: list[Estimated], parents: list[Int64]) -> ClimbedFamily:
    """The way up of a family; arguments as of `settle`."""
    means: list[Floats] = []
    covariances: list[Floats] = []
    sums: list[tuple[Floats, Floats]] = []
    for index in reversed(range(len(levels))):
        count, variance = levels[index].count, levels[index].variance
        members = np.ascontiguousarray(count[:, 1:]), np.ascontiguousarray(variance[:, 1:])
        total = np.ascontiguousarray(count[:, 0]), np.ascontiguousarray(variance[:, 0])
        mean, covariance = _own(*members, *total)
        if means:
            flat = covariances[0].reshape(len(covariances[0]), -1)
            summed, spreads = (child_sums(each, parents[index], len(mean)) for each in (means[0], flat))
            below = summed, spreads.reshape(covariance.shape)
            sums.insert(0, below)
            _combine(mean, covariance, *below)
        means.insert(0, mean)
        covariances.insert(0, covariance)
    return ClimbedFamily(means, covariances, sums)


def settle(levels: list[Estimated], parents: list[Int64]) -> list[Estimated]:
    """The least-squares estimates of a family; memory for one m by m matrix a region.

    Args:
        levels: What was measured, top first, each (regions, 1 + members): the sum of the members, then each of them.
        parents: The parent of each region, int64 (regions,), for each level but the first.

    Returns:
        The levels at rest, of the same shapes: the first column is the sum of the others, added in order.
    """
    climbed = climb_family(levels, parents)
    means, covariances = climbed.means, climbed.covariances
    for at, parent in enumerate(parents):
        _settle(means[at + 1], covariances[at + 1], *climbed.sums[at], means[at], covariances[at], parent)
    return [
        Estimated(led(mean), np.column_stack((_total_variance(spread), np.diagonal(spread, axis1=1, axis2=2))))
        for mean, spread in zip(means, covariances, strict=True)
    ]


def led(members: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """(regions, m) -> (regions, m + 1): their sum first, added in order."""
    total = members[:, :1].copy()
    for column in range(1, members.shape[1]):
        total += members[:, column : column + 1]
    return np.hstack((total, members))


@compiled
def _own(counts: Floats, variances: Floats, total: Floats, total_variance: Floats) -> tuple[Floats, Floats]:
    """Members and their sum, measured apart, as one estimate: (regions, m), (regions, m, m)."""
    regions, members = counts.shape
    mean = np.empty((regions, members))
    covariance = np.empty((regions, members, members))
    for r in range(regions):
        spread, off = total_variance[r], total[r]
        for j in range(members):
            spread += variances[r, j]
            off -= counts[r, j]
        for j in range(members):
            mean[r, j] = counts[r, j] + variances[r, j] / spread * off
            for k in range(members):
                covariance[r, j, k] = -(variances[r, j] * variances[r, k] / spread)
            covariance[r, j, j] += variances[r, j]
    return mean, covariance


@compiled
def _cholesky(matrix: Floats, factor: Floats) -> None:
    """The lower factor of a symmetric positive definite matrix."""
    for j in range(len(matrix)):
        for i in range(j, len(matrix)):
            value = matrix[i, j]
            for k in range(j):
                value -= factor[i, k] * factor[j, k]
            factor[i, j] = np.sqrt(value) if i == j else value / factor[j, j]


@compiled
def _solve(factor: Floats, right: Floats) -> None:
    """Replace `right`, (m, columns), by the matrix's inverse times it."""
    size, columns = right.shape
    for c in range(columns):
        for i in range(size):
            value = right[i, c]
            for k in range(i):
                value -= factor[i, k] * right[k, c]
            right[i, c] = value / factor[i, i]
        for i in range(size - 1, -1, -1):
            value = right[i, c]
            for k in range(i + 1, size):
                value -= factor[k, i] * right[k, c]
            right[i, c] = value / factor[i, i]


@compiled
def _product(left: Floats, right: Floats, out: Floats) -> None:
    """left right, (m, m)."""
    for i in range(len(left)):
        for j in range(right.shape[1]):
            value = 0.0
            for k in range(len(right)):
                value += left[i, k] * right[k, j]
            out[i, j] = value


@compiled
def _combine(mean: Floats, covariance: Floats, sums: Floats, spreads: Floats) -> None:
    """Own estimates become, in place, the best ones from them and the children's sums."""
    regions, members = mean.shape
    factor = np.zeros((members, members))
    change = np.empty((members, members))
    for r in range(regions):
        gain = covariance[r].copy()
        _cholesky(covariance[r] + spreads[r], factor)
        _solve(factor, gain)  # (A + B)^-1 A, of which A (A + B)^-1 is the transpose
        apart = sums[r] - mean[r]
        _product(covariance[r], gain, change)
        for j in range(members):
            for k in range(members):
                mean[r, j] += gain[k, j] * apart[k]
                covariance[r, j, k] -= change[j, k]


@compiled
def _settle(
    mean: Floats,
    covariance: Floats,
    sums: Floats,
    spreads: Floats,
    above: Floats,
    above_covariance: Floats,
    parent: Int64,
) -> None:
    """Children move, in place, to where their parents, at rest, want them."""
    regions, members = mean.shape
    factor = np.zeros((members, members))
    half = np.empty((members, members))
    change = np.empty((members, members))
    known = -1
    for r in range(regions):
        p = parent[r]
        if p != known:
            _cholesky(spreads[p], factor)
            known = p
        gain = covariance[r].copy()
        _solve(factor, gain)  # T^-1 W
        apart = above[p] - sums[p]
        # W - W G + G' X G = W - (W - G' X) G
        _product(gain.T.copy(), above_covariance[p], half)
        _product(covariance[r] - half, gain, change)
        for j in range(members):
            for k in range(members):
                mean[r, j] += gain[k, j] * apart[k]
                covariance[r, j, k] -= change[j, k]


@compiled
def _total_variance(covariance: Floats) -> Floats:
    """The variance of the sum of the members, (regions,)."""
    variances = np.zeros(len(covariance))
    for r in range(len(covariance)):
        for j in range(covariance.shape[1]):
            for k in range(covariance.shape[1]):
                variances[r] += covariance[r, j, k]
    return variances
