"""A noisy count for every node of every level of public areas, empty or not.

Privacy. Neighbours: one unit more or less, which has at most k points, k public, over all slices together. A point lies in one node of each
level of one slice (source/locate.py: one area for each point, and each area has one node above it), so that the counts of a level, over all
slices as one vector, differ by at most k in all: L1 sensitivity k, and L2 sensitivity at most k. Where v in public [a, b] is summed,
such a vector has two layers, and a point adds v - a to one and b - v to the other: not below 0, and b - a together, so that k (b - a)
stands for k, exactly as L1, and at most as L2. Discrete Laplace noise of scale
k/epsilon_l in every count of level l is epsilon_l-DP (SafeTab 2022, Lemma 6); discrete Gaussian noise of parameter k^2/(2 rho_l) is
rho_l-zCDP. Levels compose sequentially: their amounts add up to the plan's. Which nodes there are follows from the public file alone. One
more unit never lowers a count.
"""

from dataclasses import dataclass

import numpy as np

from starling.places.areas.measurements import AreaMeasurements, noises
from starling.places.areas.plan.model import AreasPlan
from starling.places.arrays import Int64
from starling.privacy.accounting.zcdp import replace_one_cost
from starling.privacy.budget import Cost
from starling.privacy.events import MONOTONE
from starling.privacy.guarantee import Guarantee, measurement, sequential
from starling.privacy.sampling.noise import checked_add, draw


@dataclass(frozen=True, slots=True)
class AreaCounts:
    """A `privacy.trust.Mechanism` over the exact numbers of points of all areas."""

    plan: AreasPlan

    @property
    def guarantee(self) -> Guarantee:
        """One measurement of each level."""
        plan = self.plan
        what = "points" if plan.value is None else "units"
        parts = [
            measurement(f"{what} by {name}", plan.relation, noise, plan.units, MONOTONE)
            for name, noise in zip(plan.areas.level_names, noises(plan), strict=True)
        ]
        return sequential(f"{what} by area, level by level", parts)

    def draw(self, exact: Int64, /) -> AreaMeasurements:
        """Measure the points of each area of each slice and layer, int64 (slices * layers * areas,), and of all that lies above them.

        Raises:
            OverflowError: a noisy count leaves int64: an event of the noisy count alone, so post-processing.
        """
        levels = sums(self.plan, exact)
        return tuple(
            checked_add(level, draw(noise, level.shape)) for level, noise in zip(levels, noises(self.plan), strict=True)
        )


def sums(plan: AreasPlan, exact: Int64) -> tuple[Int64, ...]:
    """The exact count of each node of each level, int64 (nodes, slices * layers), from those of the areas of each slice and layer."""
    levels = [np.ascontiguousarray(exact.reshape(-1, len(plan.areas)).T)]
    for parent, nodes in zip(plan.areas.parents[::-1], plan.areas.nodes[-2::-1], strict=True):
        above = np.zeros((len(nodes), levels[0].shape[1]), dtype=np.int64)
        np.add.at(above, parent, levels[0])
        levels.insert(0, above)
    return tuple(levels)


class PricedPlan(AreasPlan):
    """A plan of areas that knows what it costs."""

    @property
    def cost(self) -> Cost:
        """What a release costs."""
        return AreaCounts(self).guarantee.cost

    def _facts(self) -> list[tuple[str, str]]:
        title, protects, *others = super()._facts()
        replaced = replace_one_cost(AreaCounts(self).guarantee)
        return [title, protects, ("cost", f"{self.cost}, under the replace-one adjacency {replaced}"), *others]
