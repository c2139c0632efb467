"""Aggregates: the noisy numbers of sums and quantiles of every group.

Privacy. Neighbours: add or remove one person. What is measured, its sensitivity and why are said where an aggregate is defined
(plan/aggregates.py). A record is in at most `Level.stability` groups of an aggregate, each of which reads its own records alone and spends
the aggregate's budget over the degree (`Choices.degree`): by generalised parallel composition (SafeTab 2022, Lemmas 9 and 10) an aggregate
costs its budget. Aggregates, and the levels of counts, add up.

Every group of the plan is answered, empty or not: the shape of what is drawn is a function of the plan and the public regions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from starling.privacy.guarantee import Guarantee
from starling.privacy.sampling.noise import checked_add, draw
from starling.privacy.sampling.selection_rows import exponential_rows
from starling.tables.measurements import AggregateMeasurements, GroupNumbers, Int64, KeepAggregates, Measurements
from starling.tables.mechanism import ExactCounts, SafeTab
from starling.tables.plan import Aggregate, Geography, Piece, Plan, aggregate_pieces
from starling.tables.plan.aggregates import Tree, sensitivity, tree


class ExactAggregates(Protocol):
    """What the mechanism asks of the exact numbers; the room counts gives it."""

    def aggregate(self, piece: Piece, /) -> GroupNumbers:
        """The exact numbers of every group of a piece of an aggregate, (groups, cells), empty groups included."""
        ...


@dataclass(frozen=True, slots=True)
class Aggregation:
    """The mechanisms of all aggregates of a plan.

    Attributes:
        keep: Takes the pieces as they are drawn, and gives all of them back; `tuple` keeps them in memory.
    """

    plan: Plan
    geography: Geography
    keep: KeepAggregates = tuple

    def draw(self, exact: ExactAggregates, /) -> AggregateMeasurements:
        """Exact numbers in, noisy numbers of every piece out, each drawn once.

        Raises OverflowError when a noisy number leaves int64: an event of the noisy number alone, so post-processing.
        """
        return self.keep(self._drawn(exact))

    def _drawn(self, exact: ExactAggregates) -> Iterator[tuple[Piece, GroupNumbers]]:
        for piece in aggregate_pieces(self.plan, self.geography):
            drawn = measure(self.plan, self.plan.aggregates[piece.level], exact.aggregate(piece))
            # What was drawn is what is published: nobody writes to it on the way.
            drawn.flags.writeable = False
            yield piece, drawn


class Exact(ExactCounts, ExactAggregates, Protocol):
    """What a plan with levels and aggregates asks of the exact numbers."""


@dataclass(frozen=True, slots=True)
class Measuring:
    """All that a plan with aggregates measures: the counts of its levels, and then its aggregates, with fresh noise."""

    levels: SafeTab
    aggregates: Aggregation

    @property
    def guarantee(self) -> Guarantee:
        """The plan's, which adds up levels and aggregates."""
        return self.levels.guarantee

    def draw(self, exact: Exact, /) -> Measurements:
        """Exact numbers in; out the measurements of the levels, after both were handed to their `keep`."""
        levels = self.levels.draw(exact)
        self.aggregates.draw(exact)
        return levels


def measure(plan: Plan, aggregate: Aggregate, exact: GroupNumbers) -> GroupNumbers:
    """The noisy numbers of some groups, (groups, numbers): of a sum its pair, of quantiles the nodes of the tree or a class a
    share.
    """
    share, quantiles = plan.share(aggregate), aggregate.quantiles
    if aggregate.wide:
        # Integers of Python, which no sum leaves.
        noise = draw(aggregate.noise(plan.measure, share), exact.shape)
        noisy: GroupNumbers = exact.astype(object) + noise.astype(object)
        return noisy
    values = exact.astype(np.int64, copy=False)
    if quantiles is not None and quantiles.way == "selection":
        epsilon = quantiles.epsilon(plan.measure, share)
        chosen = [
            exponential_rows(scores(values, each.numerator, each.denominator), epsilon, sensitivity(each))
            for each in quantiles.shares
        ]
        return np.stack(chosen, axis=1)
    if quantiles is not None:
        values = nodes(values, tree(aggregate.cells, plan.measure))
    noise = draw(aggregate.noise(plan.measure, share), values.size)
    return checked_add(values.ravel(), noise).reshape(values.shape)


def scores(classes: Int64, a: int, b: int) -> Int64:
    """The score of each class for the quantile of share a/b: -max(0, b L - a N, b U - (b - a) N), int64 of the shape of `classes`.

    >>> scores(np.array([[1, 1, 1]]), 1, 2).tolist()
    [[-1, 0, -1]]
    """
    upto = np.cumsum(classes, axis=1)
    whole = upto[:, -1:]
    below, above = upto - classes, whole - upto
    distances: Int64 = -np.maximum(np.maximum(b * below - a * whole, b * above - (b - a) * whole), 0)
    return distances


def nodes(classes: Int64, shape: Tree) -> Int64:
    """The records in each node of a tree, int64 (groups, nodes), level by level from the widest nodes on."""
    counts: Int64 = np.concatenate(
        [
            np.add.reduceat(classes, np.arange(size) * width, axis=1)
            for width, size in zip(shape.widths, shape.sizes, strict=True)
        ],
        axis=1,
    )
    return counts
