"""A quadtree of noisy counts fitted with a model of which quarters of a box hold points at all (Bayesian occupancy).

Points gather in few cells: of a box with points some quarters are empty, and the others are uneven. The model of the four counts of a box
that holds x points is a mixture over the 15 sets of quarters that are not empty, and over how uneven these are: shares p^gamma, p from the
neighbourhood of the box one level up, and a relative deviation tau. Upwards each box passes on the likelihood of its count, as a
normal curve, and of being empty; downwards each box divides its count over its quarters by the posterior mean. Weights of the
mixture are learned from all boxes (expectation maximisation), by the ratio of a box's count to its noise. Below the leaves of the tree
shares p^2 stand for what was not measured. Only measurements are read, so that all of this is post-processing.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from starling.places.measurements import Bool, Int64, MeasuredTree
from starling.places.postprocess.least_squares import merged
from starling.places.postprocess.leaves import Estimate, Float64
from starling.places.postprocess.occupancy_kernels import Message, divide, guides, messages

UNEVEN: Final = (*((tau, gamma) for tau in (0.1, 0.5, 1.5) for gamma in (1.0, 2.0, 4.0)), (2.0, 0.0))
"""Relative deviation of the shares, and the power of the neighbourhood that they follow."""
BUCKETS: Final = 8
"""Of the ratio of a box's count to the noise of its quarters."""
PRIOR: Final = (0.1, 0.15, 0.15, 0.6)
"""The chance that one, two, three or four quarters are not empty, before anything is learned."""
SETS: Final = np.array([4.0, 6.0, 4.0, 1.0])[None, :, None]
"""How many sets of one to four quarters there are."""
PSEUDO: Final = 30.0
"""The prior weighs as much as so many boxes."""
EMPTY_LEAVES: Final = 0.27
"""From this estimated share of empty leaves on, points lie in few places."""
PASSES: Final = (1, 3)
"""Passes upwards before each pass downwards."""


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """Measurements of a quadtree whose leaves are at most the cells of a square grid, level by level.

    Attributes:
        values: float64 (2^d, 2^d) of each depth d; 0 where nothing is measured.
        variances: float64 (2^d, 2^d) of each depth d; infinite where nothing is measured.
        depth: int64 (leaves,): the depth of each leaf of the tree.
    """

    values: list[Float64]
    variances: list[Float64]
    depth: Int64


def gathered(measured: MeasuredTree) -> bool:
    """Whether so many leaves seem empty that points lie in few of them: twice the share of negative counts is at least .27.

    Of a leaf without points the noisy count is negative with a chance of about one half. Leaves are looked at whose noise is less than
    three times the least.
    """
    own = merged(measured)
    leaves = measured.tree.leaves & np.isfinite(own.variance)
    if not leaves.any():
        return False
    value, variance = own.value[leaves], own.variance[leaves]
    precise = variance < 9 * variance.min()
    return bool(2 * np.count_nonzero(value[precise] < 0) >= EMPTY_LEAVES * np.count_nonzero(precise))


def fits(measured: MeasuredTree) -> bool:
    """Whether the grid is a square of a power of two, so that boxes cut at their middles are squares."""
    rows, columns = measured.tree.shape
    return rows == columns and rows & (rows - 1) == 0


def of_gathered(measured: MeasuredTree) -> Estimate:
    """Non-negative points of every cell, which add up at every box; the boxes are the leaves of the tree.

    Args:
        measured: A tree of boxes cut at their middles into quarters, on a grid that `fits`; every leaf is measured.
    """
    tree = measured.tree
    pyramid = levels_of(measured)
    fields = fitted(pyramid)
    boxes = tree.boxes[tree.leaves]
    counts = np.empty(len(boxes))
    for depth, field in enumerate(fields):
        here = pyramid.depth == depth
        side = tree.shape[0] >> depth
        counts[here] = field[boxes[here, 0] // side, boxes[here, 2] // side]
    return Estimate(tree.shape, boxes, counts, fields[-1])


def levels_of(measured: MeasuredTree) -> Pyramid:
    """The mean of each box's own measurements, by depth and place."""
    tree, own = measured.tree, merged(measured)
    sides = (tree.boxes[:, 1] - tree.boxes[:, 0]).astype(np.int64)
    height = tree.shape[0].bit_length() - 1
    depths = height - np.round(np.log2(sides)).astype(np.int64)
    values = [np.zeros((1 << depth, 1 << depth)) for depth in range(height + 1)]
    variances = [np.full(each.shape, np.inf) for each in values]
    for depth in range(height + 1):
        here = depths == depth
        place = tree.boxes[here, 0] // sides[here], tree.boxes[here, 2] // sides[here]
        values[depth][place] = own.value[here]
        variances[depth][place] = own.variance[here]
    return Pyramid(values, variances, depths[tree.leaves])


def fitted(pyramid: Pyramid) -> list[Float64]:
    """float64 (2^d, 2^d) of each depth d: non-negative points that add up from level to level."""
    height = len(pyramid.values) - 1
    spread, power = (np.array(each) for each in zip(*UNEVEN, strict=True))
    prior = np.zeros((BUCKETS, 4, len(UNEVEN)))
    prior[:, 0, 0] = PRIOR[0]
    prior[:, 1:] = np.array(PRIOR[1:])[None, :, None] / len(UNEVEN)
    prior /= SETS
    weights = prior
    empty = [_empty(value, variance) for value, variance in zip(pyramid.values, pyramid.variances, strict=True)]
    shares = [np.full((1 << depth, 1 << depth, 4), 0.25) for depth in range(height)]
    fields = _plain(pyramid)
    up: list[Message] = []
    for passes in PASSES:
        for _ in range(passes):
            learned = np.zeros(prior.shape)
            zero = np.zeros(pyramid.values[-1].shape)
            up = [(pyramid.values[-1], pyramid.variances[-1], zero, empty[-1])]
            for depth in range(height - 1, -1, -1):
                own = pyramid.values[depth], pyramid.variances[depth], empty[depth]
                up.append(messages(up[-1], shares[depth], fields[depth], own, spread, power, weights, learned))
            learned = learned + PSEUDO * prior * SETS
            weights = learned / learned.sum(axis=(1, 2), keepdims=True) / SETS
        up.reverse()
        fields = [np.maximum(up[0][0], 0.0)]
        for depth in range(height):
            shares[depth] = guides(fields[depth])
            fields.append(divide(fields[depth], up[depth + 1], shares[depth], spread, power, weights))
    return fields


def _empty(value: Float64, variance: Float64) -> Float64:
    """The log-likelihood of being empty: normal near 0, with the tail of Laplace noise beyond; 0 where nothing is measured."""
    ratio = np.abs(value) / np.sqrt(variance)
    return np.where(ratio > sqrt(2), 1 - sqrt(2) * ratio, -0.5 * ratio * ratio)


def _plain(pyramid: Pyramid) -> list[Float64]:
    """Least squares upwards alone, negatives taken as 0: the first guess of each box's points."""
    value, variance = pyramid.values[-1], pyramid.variances[-1]
    found = [np.maximum(value, 0.0)]
    for own, own_variance in zip(pyramid.values[-2::-1], pyramid.variances[-2::-1], strict=True):
        known: Bool = np.isfinite(variance[::2, ::2])
        sums = value[::2, ::2] + value[1::2, ::2] + value[::2, 1::2] + value[1::2, 1::2]
        of_sums = variance[::2, ::2] + variance[1::2, ::2] + variance[::2, 1::2] + variance[1::2, 1::2]
        both = known & np.isfinite(own_variance)
        share = np.zeros(own.shape)
        np.divide(of_sums, of_sums + own_variance, out=share, where=both)
        value = np.where(known, sums + share * (own - sums), own)
        variance = np.where(both, share * np.where(both, own_variance, 0), np.where(known, of_sums, own_variance))
        found.append(np.maximum(value, 0.0))
    return found[::-1]
