"""Kernels on noisy cumulative counts of all regions of a tree.

Cells are (regions, sizes), regions numbered level after level, the root first. All arithmetic is of doubles in a fixed order, without a
library sum, so that another machine repeats every bit.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starling.groups.optimise.isotonic import pool
from starling.privacy.compiled import compiled

Float = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]


class Regions(NamedTuple):
    """The tree and what is public.

    Attributes:
        starts: (levels + 1,): the first region of each level.
        parent: (regions,): the number of each region's parent.
        children: (regions - 1,): all regions but the root, level after level, those with one parent together.
        tops: float64 (regions,): the most groups that a region can have.
        known: (regions,): whether c at the last size is that.
    """

    starts: Int64
    parent: Int64
    children: Int64
    tops: Float
    known: Bool


class Passing(NamedTuple):
    """What regions pass up and down in least squares on the tree, for each size; variances up to one factor.

    Attributes:
        inverse: (levels, sizes): one over the weight of a cell.
        below: (inner regions, sizes): the variance of what a region's children say of it.
        own: (inner regions, sizes): the variance of what its subtree says, its own measurement among it.
        sums: (inner regions, sizes): the sum of what its children say of themselves.
        shift: (inner regions, sizes): what each child moves by, for each unit of variance.
    """

    inverse: Float
    below: Float
    own: Float
    sums: Float
    shift: Float


@compiled
def prepared(inverse: Float, regions: Regions) -> Passing:
    """Variances for the tree; sums are 0."""
    starts, parent = regions.starts, regions.parent
    levels, sizes = inverse.shape
    inner = starts[levels - 1]
    below, own = np.zeros((inner, sizes)), np.zeros((inner, sizes))
    # Number by number: expressions of whole arrays take Numba long to compile.
    for region in range(inner, starts[levels] if levels > 1 else 0):
        above = below[parent[region]]
        for s in range(sizes):
            above[s] += inverse[levels - 1, s]
    for level in range(levels - 2, -1, -1):
        for region in range(starts[level], starts[level + 1]):
            for s in range(sizes):
                spread = below[region, s]
                own[region, s] = spread * inverse[level, s] / (spread + inverse[level, s])
            if level > 0:
                above = below[parent[region]]
                for s in range(sizes):
                    above[s] += own[region, s]
    return Passing(inverse, below, own, np.zeros((inner, sizes)), np.zeros((inner, sizes)))


@compiled
def add_value(value: Float, region: int, passing: Passing, regions: Regions) -> None:
    """Add what a region says to the sum of its parent."""
    if region > 0:
        above = passing.sums[regions.parent[region]]
        for s in range(value.size):
            above[s] += value[s]


@compiled
def add_leaves(values: Float, passing: Passing, regions: Regions) -> None:
    """Add what all leaves say to the sums of their parents."""
    for region in range(regions.starts[regions.starts.size - 2], values.shape[0]):
        add_value(values[region], region, passing, regions)


@compiled
def climb(values: Float, passing: Passing, regions: Regions) -> None:
    """From the leaves' parents, whose sums are there, up to the root: a region's value is combined with what its children say.

    Writes the sums, and of inner regions the values, (regions, sizes).
    """
    starts, last = regions.starts, values.shape[1] - 1
    for level in range(starts.size - 3, -1, -1):
        for region in range(starts[level], starts[level + 1]):
            value, summed = values[region], passing.sums[region]
            spread, inverse = passing.below[region], passing.inverse[level]
            for s in range(value.size):
                value[s] = (spread[s] * value[s] + inverse[s] * summed[s]) / (spread[s] + inverse[s])
            if regions.known[region]:
                value[last] = regions.tops[region]
            add_value(value, region, passing, regions)


@compiled
def settle(value: Float, region: int, passing: Passing, regions: Regions) -> None:
    """On the way down: a region's value moves by its part of what its parent knows better. Sums of an inner region are 0 again."""
    inner = passing.below.shape[0]
    if region > 0:
        spread = passing.own[region] if region < inner else passing.inverse[passing.inverse.shape[0] - 1]
        moved = passing.shift[regions.parent[region]]
        for s in range(value.size):
            value[s] += spread[s] * moved[s]
    if regions.known[region]:
        value[value.size - 1] = regions.tops[region]
    if region < inner:
        shift, summed, below = passing.shift[region], passing.sums[region], passing.below[region]
        for s in range(value.size):
            shift[s] = (value[s] - summed[s]) / below[s]
            summed[s] = 0.0


@compiled
def multipliers(
    noisy: Float,
    weights: Float,
    penalty: float,
    relaxation: float,
    passes: int,
    regions: Regions,
    monotone: Float,
    prices: Float,
) -> None:
    """Alternating directions: least squares on the tree for each size in turn with monotone sequences in each region.

    Args:
        noisy: (regions, sizes).
        weights: (levels, sizes), about 1.
        penalty: Weight of the distance between the two in the augmented Lagrangian.
        relaxation: Over-relaxation, from 1 to below 2.
        passes: How often, at least 1.
        regions: The tree.
        monotone: (regions, sizes), `noisy` at first, written: sequences that do not fall, from 0 to the top; they need not add up over
            the regions.
        prices: (regions, sizes), (1 - relaxation) `noisy` at first, written: the scaled multipliers, in the normal cone of the monotone
            sequences at `monotone`.
    """
    starts, sizes = regions.starts, noisy.shape[1]
    passing = prepared(1.0 / (weights + penalty), regions)
    # Of the state of a pass, what is kept is what the next one needs: the target of least squares, and how much of the next
    # sequence is known already.
    target, rest = monotone, prices
    add_leaves(target, passing, regions)
    wanted, flows, pooled, counts = np.empty(sizes), np.empty(sizes), np.empty(sizes), np.empty(sizes)
    for number in range(passes):
        climb(target, passing, regions)
        level = 0
        for place in range(noisy.shape[0]):
            region = regions.children[place - 1] if place else 0
            if region >= starts[level + 1]:
                level += 1
            value, left = target[region], rest[region]
            settle(value, region, passing, regions)
            for s in range(sizes):
                wanted[s] = relaxation * value[s] + left[s]
            free = sizes
            if regions.known[region]:
                free -= 1
                wanted[free] = flows[free] = regions.tops[region]
            pool(wanted, free, 0.0, regions.tops[region], pooled, counts, flows)
            if number == passes - 1:
                for s in range(sizes):
                    value[s], left[s] = flows[s], wanted[s] - flows[s]
                continue
            weight, inverse, flow = weights[level], passing.inverse[level], noisy[region]
            for s in range(sizes):
                value[s] = (weight[s] * flow[s] + penalty * (2.0 * flows[s] - wanted[s])) * inverse[s]
                left[s] = wanted[s] - relaxation * flows[s]
            if regions.known[region]:
                value[sizes - 1] = regions.tops[region]
            if level == starts.size - 2:
                add_value(value, region, passing, regions)


@compiled
def least_squares(values: Float, weights: Float, regions: Regions) -> None:
    """For each size the nearest values over the tree that add up, in weighted least squares, in place of `values`, (regions, sizes); at the
    last size of a known region stands its top.
    """
    passing = prepared(1.0 / weights, regions)
    add_leaves(values, passing, regions)
    climb(values, passing, regions)
    for region in range(values.shape[0]):
        settle(values[region], region, passing, regions)


@compiled
def tree_prices(noisy: Float, weights: Float, pulls: Float, regions: Regions) -> Float:
    """What it costs, at the least sum of weight (x - noisy)^2 + 2 pulls x over all x that add up, if a region differs from its children.

    Returns float64 (regions, sizes), 0 for leaves: half of each multiplier. They are as exact as doubles; what is made of them holds for
    any.
    """
    starts, sizes = regions.starts, noisy.shape[1]
    best, prices = np.empty_like(noisy), np.zeros_like(noisy)
    for level in range(starts.size - 1):
        for region in range(starts[level], starts[level + 1]):
            for s in range(sizes):
                best[region, s] = noisy[region, s] - pulls[region, s] / weights[level, s]
            if regions.known[region]:
                best[region, sizes - 1] = regions.tops[region]
    least_squares(best, weights, regions)
    for level in range(starts.size - 2, 0, -1):
        for region in range(starts[level], starts[level + 1]):
            above = prices[regions.parent[region]]
            for s in range(sizes):
                off = best[region, s] - noisy[region, s]
                above[s] = prices[region, s] + weights[level, s] * off + pulls[region, s]
    return prices


@compiled
def most_above_optimum(
    noisy: Float, counts: Int64, weights: Float, pulls: Float, regions: Regions, rounding: float
) -> float:
    """The most that the objective of consistent histograms can lie above that of the relaxed optimum (cumulative.py).

    Args:
        noisy: (regions, sizes).
        counts: (regions, sizes): histograms that add up over the tree.
        weights: (levels, sizes).
        pulls: (regions, sizes): any numbers; the better, the less is the result.
        regions: The tree.
        rounding: What a sum of doubles may be off by, as a part of the sum of their magnitudes.

    Returns:
        A sum of numbers that are at least 0; what doubles may be off by is added to each.
    """
    starts, sizes = regions.starts, noisy.shape[1]
    prices = tree_prices(noisy, weights, pulls, regions)
    excess, tails = 0.0, np.empty(sizes)
    for level in range(starts.size - 1):
        for region in range(starts[level], starts[level + 1]):
            tail, most, magnitude = 0.0, 0.0, 0.0
            for s in range(sizes - 1, -1, -1):
                tail += pulls[region, s]
                magnitude += abs(pulls[region, s])
                tails[s] = tail
                most = max(most, tail)
            cumulative, pulled = 0.0, 0.0
            measured = sizes - 1 if regions.known[region] else sizes
            for s in range(sizes):
                cumulative += counts[region, s]
                pulled += counts[region, s] * (most - tails[s])
                if s < measured:
                    own, weight = prices[region, s], weights[level, s]
                    above = prices[regions.parent[region], s] if region > 0 else 0.0
                    slope = weight * (cumulative - noisy[region, s]) + pulls[region, s] + own - above
                    terms = (
                        weight * (cumulative + abs(noisy[region, s])) + abs(pulls[region, s]) + abs(own) + abs(above)
                    )
                    slope = abs(slope) + rounding * terms
                    excess += slope * slope / weight
            pulled += (regions.tops[region] - cumulative) * most
            excess += 2.0 * (pulled + rounding * magnitude * regions.tops[region])
    return excess
