"""The levels of areas, as both ends of a trip have them, and which pairs of levels are measured, with what."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np

from starling.places.arrays import Int64
from starling.privacy.budget import Cost, Epsilon
from starling.privacy.distributions.discrete import DiscreteGaussian, DiscreteLaplace, Distribution

UPPER: Final = Fraction(1, 4)
"""The part that all levels above the areas share evenly, unless a plan says otherwise: the areas get the rest."""


def default_shares(levels: int) -> tuple[Fraction, ...]:
    """The shares of levels, the whole first, of a plan that states none.

    >>> [str(share) for share in default_shares(3)]
    ['1/8', '1/8', '3/4']
    """
    return (*([UPPER / (levels - 1)] * (levels - 1)), 1 - UPPER) if levels > 1 else (Fraction(1),)


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels of which each node is the sum of its children: the whole, groups of areas, areas.

    Attributes:
        sizes: Nodes of each level, the whole first.
        parents: Of each level but the first, int64 (nodes,): the node above.
        shares: Of each level, what it gets of an end's budget, at least 0; the areas get some, and all get 1.
    """

    sizes: tuple[int, ...]
    parents: tuple[Int64, ...]
    shares: tuple[Fraction, ...]

    @property
    def areas(self) -> int:
        """How many areas there are."""
        return self.sizes[-1]

    @cached_property
    def measured(self) -> tuple[int, ...]:
        """The levels that have a share."""
        return tuple(level for level, share in enumerate(self.shares) if share)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of levels that are measured: of the origin, and of the destination."""
        return tuple((one, other) for one in self.measured for other in self.measured)

    @cached_property
    def nodes_of_areas(self) -> tuple[Int64, ...]:
        """Of each level, int64 (areas,): the node that an area lies in."""
        return tuple(self._above(level, len(self.sizes) - 1) for level in range(len(self.sizes)))

    @cached_property
    def tree(self) -> tuple[Int64, ...]:
        """Of each level that is measured but the first of them, int64 (nodes,): the node above, of those levels alone."""
        return tuple(self._above(up, down) for up, down in zip(self.measured[:-1], self.measured[1:], strict=True))

    def _above(self, up: int, down: int) -> Int64:
        nodes = np.arange(self.sizes[down])
        for level in range(down, up, -1):
            nodes = self.parents[level - 1][nodes]
        return nodes

    def noise(self, pair: tuple[int, int], cost: Cost, trips: int) -> Distribution:
        """The noise of each number of a pair of levels, on which the cost times both shares is spent by a unit of so many trips."""
        amount = cost.amount * self.shares[pair[0]] * self.shares[pair[1]]
        if isinstance(cost, Epsilon):
            return DiscreteLaplace(trips / amount)
        return DiscreteGaussian(trips**2 / (2 * amount))

    def relative_variances(self, cost: Cost) -> tuple[float, ...]:
        """Of each level that is measured, the factor of its end in the variance of a number."""
        power = 2 if isinstance(cost, Epsilon) else 1
        return tuple(float(self.shares[level]) ** -power for level in self.measured)
