"""Least squares for counts that are sums in two ways: over regions, and over the members of a family of iterations.

A family is an iteration that is, for every person who can be, the sum of m others (consistency.py proves when). In each region the m
members are measured, and so is their sum. Over regions they add up as well. The unknown of a region is the vector of its m
counts; the two passes of trees.py run on vectors:

Up: own data are the diagonal D of the members' variances and one measurement of the sum, of variance u; together they give the
covariance D - D 1 1' D/(1' D 1 + u). The children's sum has the sum of their covariances. Two independent estimates (a, A) and (b, B)
combine to a + A (A + B)^-1 (b - a), of covariance A - A (A + B)^-1 A.
Down: a child of covariance W moves by W T^-1 (x_parent - s), T the covariance of the children's sum s, to the covariance
W - W T^-1 W + W T^-1 X_parent T^-1 W.

A + B and T are sums of covariances, positive definite because every measurement has noise; they are solved by Cholesky's
method, row by row, in the order of the loops.
"""

from dataclasses import dataclass

import numpy as np

from starling.privacy.compiled import compiled
from starling.tables.inference.trees import Floats
from starling.tables.measurements import Int64


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A family in all regions of one geography level.

    Attributes:
        counts: Estimates of the members, float64 (regions, members).
        variances: Variances of the members' estimates, float64 (regions, members).
        total: Estimates of their sum, float64 (regions,).
        total_variance: Variances of the estimates of the sum, float64 (regions,).
        parent: Region of the layer above that each lies in, int64 (regions,); of the top layer, all 0.
    """

    counts: Floats
    variances: Floats
    total: Floats
    total_variance: Floats
    parent: Int64


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A layer at rest: the members, whose sum is the total.

    Attributes:
        counts: The members, float64 (regions, members).
        variances: Variances of the members, float64 (regions, members).
        total_variance: Variance of the sum of the members, float64 (regions,).
    """

    counts: Floats
    variances: Floats
    total_variance: Floats


def settle(layers: list[Layer]) -> list[Settled]:
    """The least-squares estimates of all layers, top first; memory for one m by m matrix a region."""
    means: list[Floats] = []
    covariances: list[Floats] = []
    sums: list[tuple[Floats, Floats]] = []
    for index in reversed(range(len(layers))):
        layer = layers[index]
        mean, covariance = _own(layer.counts, layer.variances, layer.total, layer.total_variance)
        if means:
            below = _sums(means[0], covariances[0], layers[index + 1].parent, len(mean))
            sums.insert(0, below)
            _combine(mean, covariance, *below)
        means.insert(0, mean)
        covariances.insert(0, covariance)
    for index in range(1, len(layers)):
        _settle(
            means[index],
            covariances[index],
            *sums[index - 1],
            means[index - 1],
            covariances[index - 1],
            layers[index].parent,
        )
    return [
        Settled(mean, np.ascontiguousarray(np.diagonal(covariance, axis1=1, axis2=2)), _total_variance(covariance))
        for mean, covariance in zip(means, covariances, strict=True)
    ]


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
def _sums(mean: Floats, covariance: Floats, parent: Int64, parents: int) -> tuple[Floats, Floats]:
    """Sums over children, in their order."""
    members = mean.shape[1]
    sums = np.zeros((parents, members))
    spreads = np.zeros((parents, members, members))
    for r in range(len(parent)):
        for j in range(members):
            sums[parent[r], j] += mean[r, j]
            for k in range(members):
                spreads[parent[r], j, k] += covariance[r, j, k]
    return sums, spreads


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
    """In place: the matrix's inverse times `right`, (m, columns)."""
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
    """In place: own estimates become the best ones from them and the children's sums."""
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
    """In place: children move to where their parents, at rest, want them."""
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
    found = np.zeros(len(covariance))
    for r in range(len(covariance)):
        for j in range(covariance.shape[1]):
            for k in range(covariance.shape[1]):
                found[r] += covariance[r, j, k]
    return found
