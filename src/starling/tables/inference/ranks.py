"""Quantiles of groups from the noisy nodes of a tree over classes (plan/aggregates.py), with intervals.

For an edge between two classes, with L records below it and U above, (1 - q) L - q U = L - q N rises with the edge, and the quantile of
share q is in the last class whose lower edge has it below 0. L and U are sums of noisy nodes, none of which is in both, so that the noise
in it has a known margin. The interval holds each class that the margins of its two edges do not exclude: the true one is excluded by
either with half the stated chance at the most.

The estimate is the class where the non-decreasing sequence nearest to the noisy values, in squares, crosses 0. By the min-max formula of
isotonic regression that is where their sums from the first edge on are least.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.distributions.convolution import Part, sum_margin
from starling.privacy.distributions.discrete import Distribution
from starling.tables.measurements import Int64
from starling.tables.plan.aggregates import Tree, sensitivity

Float64: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Classes:
    """The class of a quantile in any number of groups, and the first and the last one of its interval: int64 of one length."""

    classes: Int64
    first: Int64
    last: Int64


def quantile_classes(nodes: Int64, shape: Tree, share: Fraction, noise: Distribution, missing: Fraction) -> Classes:
    """The quantile of a share, above 0 and below 1, in groups of noisy nodes, int64 (groups, nodes); `missing` is the chance that an
    interval misses.
    """
    # Whole numbers, so that doubles add them exactly: b times L - q N.
    off = nodes.astype(np.float64) @ _weights(shape, share)
    sums = np.concatenate([np.zeros((len(off), 1)), np.cumsum(off, axis=1)], axis=1)
    classes = np.argmin(sums, axis=1)
    reach = share.denominator * _margins(shape, share, noise, missing)
    every = np.ones((len(off), 1), dtype=np.bool_)
    # A class is excluded where its lower edge lies surely above the quantile, or its upper edge surely below.
    possible = np.concatenate([every, off <= reach], axis=1) & np.concatenate([off >= -reach, every], axis=1)
    possible[np.arange(len(classes)), classes] = True
    first = np.argmax(possible, axis=1)
    last = shape.classes - 1 - np.argmax(possible[:, ::-1], axis=1)
    return Classes(classes, first, last)


@lru_cache(maxsize=64)
def _weights(shape: Tree, share: Fraction) -> Float64:
    """What b ((1 - q) L - q U) of each edge is of the nodes: float64 (nodes, classes - 1)."""
    above, below = share.numerator, share.denominator - share.numerator
    weights = np.zeros((shape.nodes, shape.classes - 1))
    starts = np.cumsum((0, *shape.sizes))
    for edge in range(1, shape.classes):
        for start, (first, last) in zip(starts, shape.below(edge), strict=False):
            weights[start + first : start + last, edge - 1] = below
        for start, (first, last) in zip(starts, shape.above(edge), strict=False):
            weights[start + first : start + last, edge - 1] = -above
    return weights


@lru_cache(maxsize=64)
def _margins(shape: Tree, share: Fraction, noise: Distribution, missing: Fraction) -> Float64:
    """The margin of the noise in (1 - q) L - q U of each edge, in records."""
    return np.array([edge_margin(shape, edge, share, noise, missing) for edge in range(1, shape.classes)])


def edge_margin(shape: Tree, edge: int, share: Fraction, noise: Distribution, missing: Fraction) -> float:
    """The margin of the noise in (1 - q) L - q U of an edge, in records."""
    return _margin(*shape.terms(edge), share, noise, missing)


@lru_cache(maxsize=4096)
def _margin(below: int, above: int, share: Fraction, noise: Distribution, missing: Fraction) -> float:
    parts = [Part(noise, terms, weight) for terms, weight in ((below, 1 - share), (above, share)) if terms]
    return float(sum_margin(parts, missing))


def rank_margin(classes: int, share: Fraction, epsilon: Fraction, missing: Fraction) -> float:
    """How many records a selected quantile is off at the most, but for a chance of `missing`.

    A class whose score is d below the best is taken with a probability of at most e^(-epsilon d / (2 sensitivity)), and its score is b for
    each record that it is off; there are classes - 1 others.
    """
    rate = epsilon * share.denominator / (2 * sensitivity(share))
    return log((classes - 1) / float(missing)) / float(rate)
