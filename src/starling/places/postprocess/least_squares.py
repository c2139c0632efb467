"""Weighted least squares over a tree of boxes: the counts that add up at every box and lie nearest to all measurements.

In a tree whose measurements have independent noise two passes suffice (Hay et al. 2010, "Boosting the accuracy of differentially private
histograms through consistency", Section 4.2, with weights): upwards each box merges its own measurements with the sum of its
children by inverse variance; downwards the difference between a box and the sum of its children is divided over these by their variances.
"""

from math import isfinite
from typing import Final, NamedTuple

import numpy as np

from starling.places.arrays import Float64, Int64
from starling.places.measurements import MeasuredTree
from starling.privacy.compiled import compiled
from starling.privacy.distributions.accuracy import standard_deviation

LEAST_DEVIATION: Final = 1e-6
"""The least standard deviation that is reckoned with, so that nothing is divided by 0; less noise is almost never anything but 0."""


class Boxwise(NamedTuple):
    """A value of each box with its variance, above 0, both float64 (nodes,); 0 and infinite where nothing is known."""

    value: Float64
    variance: Float64


def merged(measured: MeasuredTree) -> Boxwise:
    """The mean of each box's own measurements by inverse variance, summed in the order in which they were made."""
    deviations = [max(standard_deviation(noise), LEAST_DEVIATION) for noise in measured.noises]
    weight = np.array([each**-2.0 for each in deviations])[measured.noise]
    nodes = len(measured.tree.parents)
    sums, weights = np.zeros(nodes), np.zeros(nodes)
    np.add.at(sums, measured.node, weight * measured.value)
    np.add.at(weights, measured.node, weight)
    known = weights > 0
    value, variance = np.zeros(nodes), np.full(nodes, np.inf)
    np.divide(sums, weights, out=value, where=known)
    np.divide(1.0, weights, out=variance, where=known)
    return Boxwise(value, variance)


def upwards(parents: Int64, own: Boxwise) -> Boxwise:
    """What the measurements at and below each box say of it, from what `merged` gives; (nodes,) parents, each before its children."""
    value, variance, _, _ = _upwards(parents, own)
    return Boxwise(value, variance)


def least_squares(measured: MeasuredTree) -> Float64:
    """float64 (nodes,): the counts that add up and have the least weighted squared distance to all measurements.

    They may be negative. Where measurements leave counts open, the unknown part of a box is divided by area.
    """
    tree, own = measured.tree, merged(measured)
    value, variance, sums, variances = _upwards(tree.parents, own)
    _downwards(tree.parents, tree.areas, value, variance, sums, variances)
    return value


@compiled
def _upwards(parents: Int64, own: Boxwise) -> tuple[Float64, Float64, Float64, Float64]:
    """Value and variance of each box from all below, and sum and variance of the sum of its children."""
    value, variance = own
    nodes = len(parents)
    best, left = value.copy(), variance.copy()
    sums, variances = np.zeros(nodes), np.zeros(nodes)
    for node in range(nodes - 1, -1, -1):
        # A variance is above 0, so that only a leaf has none from children.
        if variances[node] > 0 and isfinite(variances[node]):
            if isfinite(variance[node]):
                share = variances[node] / (variance[node] + variances[node])
                best[node] = sums[node] + share * (value[node] - sums[node])
                left[node] = share * variance[node]
            else:
                best[node] = sums[node]
                left[node] = variances[node]
        above = parents[node]
        if above >= 0:
            sums[above] += best[node]
            variances[above] += left[node]
    return best, left, sums, variances


@compiled
def _downwards(
    parents: Int64, areas: Int64, value: Float64, variance: Float64, sums: Float64, variances: Float64
) -> None:
    """Make the counts of children add up to their parent's, in place."""
    nodes = len(parents)
    unknown = np.zeros(nodes)
    for node in range(1, nodes):
        if not isfinite(variance[node]):
            unknown[parents[node]] += areas[node]
    for node in range(1, nodes):
        above = parents[node]
        rest = value[above] - sums[above]
        if unknown[above] > 0:
            if not isfinite(variance[node]):
                value[node] = rest * (areas[node] / unknown[above])
        else:
            value[node] += rest * (variance[node] / variances[above])
