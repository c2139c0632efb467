"""A quadtree of noisy counts fitted with a model of which quarters of a box hold points at all (Bayesian occupancy).

Points gather in few cells: of a box with points some quarters are empty, and the others are uneven. The model of the four counts of a box
that holds x points is a mixture over the 15 sets of quarters that are not empty, and over how uneven these are: shares p^gamma, p from the
neighbourhood of the box one level up, and a relative deviation tau. Upwards each box passes on the likelihood of its count, as a
normal curve, and of being empty; downwards each box divides its count over its quarters by the mean over the mixture. In the few coarse
boxes, whose mistakes cost most, components are averaged by the square roots of their posterior weights: normal curves are only nearly right
and make the posterior too sure. The weights of the mixture are learned from all boxes (expectation maximisation), by the ratio of a box's
count to its noise. Below the leaves of the tree shares p^2 stand for what was not measured. Only measurements are read, so that all of this
is post-processing.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

from starling.places.arrays import Bool, Float64, Int64
from starling.places.measurements import ROOT, MeasuredTree, Tree
from starling.places.postprocess.least_squares import Boxwise, merged
from starling.places.postprocess.leaves import Estimate
from starling.places.postprocess.neighbourhood import guides
from starling.places.postprocess.occupancy_kernels import Message, divide, messages

UNEVEN: Final = ((0.1, 1.0), (0.5, 1.0), (1.5, 4.0), (2.0, 0.0))
"""Relative deviation of the shares, and the power of the neighbourhood that they follow: nearly, somehow, by its peaks, or not at all."""
BUCKETS: Final = 8
"""Of the ratio of a box's count to the noise of its quarters."""
PRIOR: Final = (0.1, 0.15, 0.15, 0.6)
"""The chance that one, two, three or four quarters are not empty, before anything is learned."""
SETS: Final = np.array([4.0, 6.0, 4.0, 1.0])[None, :, None]
"""How many sets of one to four quarters there are."""
PSEUDO: Final = 30.0
"""The prior weighs as much as so many boxes."""
FULL: Final = 0.1
"""Up to this estimated share of empty leaves, points lie everywhere as far as can be told."""
SPARSE: Final = 0.6
"""From this estimated share of empty leaves on, points lie in few places."""
ROUNDS: Final = 2
"""Passes upwards and downwards. More of them are not nearer to the truth."""
COARSE: Final = 5
"""The depth of the smallest boxes that are called coarse."""
TEMPER: Final = (0.5, 1.0)
"""The power of the posterior weights of components, by which they are averaged: in coarse boxes, and in finer ones."""
SMALL: Final = (0.5, 0.25)
"""A quarter with fewer points than so many standard deviations of its noise is taken as empty: a coarse one, and a finer one."""


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """Measurements of a quadtree whose leaves are at most the cells of a grid, level by level.

    A box is cut at its middles, rounded down, so that a box of one row has an upper half alone; halves without cells fill up the level.

    Attributes:
        values: float64 (2^d, 2^d) of each depth d; 0 where nothing is measured.
        variances: float64 (2^d, 2^d) of each depth d; infinite where nothing is measured.
        heights: float64 (2^d,) of each depth d: rows of cells of each row of boxes.
        widths: float64 (2^d,) of each depth d: columns of cells of each column of boxes.
        leaves: int64 (leaves, 3): depth, row and column of each leaf of the tree.
    """

    values: list[Float64]
    variances: list[Float64]
    heights: list[Float64]
    widths: list[Float64]
    leaves: Int64


def scattered(measured: MeasuredTree) -> float:
    """How far points lie in few places, from 0 to 1: twice the share of negative counts among the leaves, .1 taken as 0 and .6 as 1.

    Of a leaf without points the noisy count is negative with a chance of about one half. Leaves are looked at whose noise is less than
    three times the least.
    """
    own = merged(measured)
    leaves = precise(measured.tree, own)
    if not leaves.any():
        return 0.0
    empty = 2 * np.count_nonzero(own.value[leaves] < 0) / np.count_nonzero(leaves)
    return float(min(max((empty - FULL) / (SPARSE - FULL), 0.0), 1.0))


def precise(tree: Tree, own: Boxwise) -> Bool:
    """bool (nodes,): the measured leaves whose noise has less than three times the least deviation."""
    leaves = tree.leaves & np.isfinite(own.variance)
    chosen: Bool = leaves & (own.variance < 9 * own.variance[leaves].min(initial=np.inf))
    return chosen


def occupied(measured: MeasuredTree) -> Estimate:
    """Non-negative points of every cell, which add up at every box; the boxes are the leaves of the tree.

    Args:
        measured: A tree of boxes cut at their middles into quarters, or into halves where a side is one cell; every leaf is measured.
    """
    tree = measured.tree
    pyramid = levels_of(measured)
    fields = fitted(pyramid)
    depths, rows, columns = pyramid.leaves.T
    counts = np.empty(len(depths))
    for depth, field in enumerate(fields):
        here = depths == depth
        counts[here] = field[rows[here], columns[here]]
    cells = fields[-1][np.ix_(pyramid.heights[-1] > 0, pyramid.widths[-1] > 0)]
    return Estimate(tree.shape, tree.boxes[tree.leaves], counts, np.ascontiguousarray(cells))


def levels_of(measured: MeasuredTree) -> Pyramid:
    """The mean of each box's own measurements, by depth and place."""
    tree, own = measured.tree, merged(measured)
    height = (max(tree.shape) - 1).bit_length()
    depths, above = np.zeros(len(tree.parents), dtype=np.int64), tree.parents
    while (inside := above != ROOT).any():
        depths += inside
        above = np.where(inside, tree.parents[above], ROOT)
    rows, columns = (ends(cells, height) for cells in tree.shape)
    values = [np.zeros((1 << depth, 1 << depth)) for depth in range(height + 1)]
    variances = [np.full(each.shape, np.inf) for each in values]
    places = np.empty((len(depths), 3), dtype=np.int64)
    for depth in range(height + 1):
        here = depths == depth
        # Halves without cells begin where the next one does, and stand before it.
        row = np.searchsorted(rows[depth], tree.boxes[here, 0], side="right") - 1
        column = np.searchsorted(columns[depth], tree.boxes[here, 2], side="right") - 1
        values[depth][row, column] = own.value[here]
        variances[depth][row, column] = own.variance[here]
        places[here] = np.stack([np.full(len(row), depth), row, column], axis=1)
    sizes = [[np.diff(ends).astype(np.float64) for ends in each] for each in (rows, columns)]
    return Pyramid(values, variances, sizes[0], sizes[1], places[tree.leaves])


def ends(cells: int, height: int) -> list[Int64]:
    """int64 (2^d + 1,) of each depth d: where boxes begin along one side, and its end."""
    limits = [np.array([0, cells])]
    for _ in range(height):
        above = limits[-1]
        ends = np.empty(2 * len(above) - 1, dtype=np.int64)
        ends[::2], ends[1::2] = above, (above[:-1] + above[1:]) // 2
        limits.append(ends)
    return limits


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
    sizes = list(zip(pyramid.heights, pyramid.widths, strict=True))[1:]
    # Of equal fields: by area.
    shares = [guides(np.zeros((1 << depth, 1 << depth)), *sizes[depth]) for depth in range(height)]
    fields = _plain(pyramid)
    for _ in range(ROUNDS):
        learned = np.zeros(prior.shape)
        zero = np.zeros(pyramid.values[-1].shape)
        up: list[Message] = [(pyramid.values[-1], pyramid.variances[-1], zero, empty[-1])]
        for depth in range(height - 1, -1, -1):
            own = pyramid.values[depth], pyramid.variances[depth], empty[depth]
            up.append(messages(up[-1], shares[depth], fields[depth], own, (spread, power, weights), learned))
        learned = learned + PSEUDO * prior * SETS
        weights = learned / learned.sum(axis=(1, 2), keepdims=True) / SETS
        up.reverse()
        fields = [np.maximum(up[0][0], 0.0)]
        for depth in range(height):
            shares[depth] = guides(fields[depth], *sizes[depth])
            fine = depth >= COARSE
            mixture = spread, power, weights
            fields.append(divide(fields[depth], up[depth + 1], shares[depth], mixture, TEMPER[fine], SMALL[fine]))
    return fields


def _empty(value: Float64, variance: Float64) -> Float64:
    """The log-likelihood of being empty: normal near 0, with the tail of Laplace noise beyond; 0 where nothing is measured."""
    ratio = np.abs(value) / np.sqrt(variance)
    return np.where(ratio > sqrt(2), 1 - sqrt(2) * ratio, -0.5 * ratio * ratio)


def _plain(pyramid: Pyramid) -> list[Float64]:
    """Least squares upwards alone, negatives taken as 0: the first guess of each box's points."""
    value = pyramid.values[-1]
    # Boxes without cells are known to hold no points.
    variance = np.where(np.outer(pyramid.heights[-1], pyramid.widths[-1]) > 0, pyramid.variances[-1], 0.0)
    result = [np.maximum(value, 0.0)]
    for own, own_variance in zip(pyramid.values[-2::-1], pyramid.variances[-2::-1], strict=True):
        sums = value[::2, ::2] + value[1::2, ::2] + value[::2, 1::2] + value[1::2, 1::2]
        of_sums = variance[::2, ::2] + variance[1::2, ::2] + variance[::2, 1::2] + variance[1::2, 1::2]
        known: Bool = np.isfinite(of_sums)
        both = known & np.isfinite(own_variance)
        share = np.zeros(own.shape)
        np.divide(of_sums, of_sums + own_variance, out=share, where=both)
        value = np.where(known, sums + share * (own - sums), own)
        variance = np.where(both, share * np.where(both, own_variance, 0), np.where(known, of_sums, own_variance))
        result.append(np.maximum(value, 0.0))
    return result[::-1]
