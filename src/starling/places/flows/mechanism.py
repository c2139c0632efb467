"""Noisy numbers of trips from node to node, for every pair of levels of areas, empty or not.

Privacy. A trip leads from one area to one area, and lies in one slice. So for each pair of levels it lies in one pair of nodes of one
slice, and adds 1 to one number there. A unit has at most k trips over all slices together (k = 1 where a trip is protected); they change
the numbers of a pair of levels, those of all slices as one vector, by at most k in all, in L1 and so in L2. Discrete Laplace noise of scale
k/e in every one of them costs e, discrete Gaussian noise of parameter k^2/(2 r) costs rho r. Pairs of levels compose sequentially. What a
pair (l, m) gets is the whole times s_l s_m; as the shares s of levels add up to 1, so do their products over all pairs, and all of the
budget is spent, to the last bit. Which numbers there are follows from the plan and its public areas alone.
"""

from dataclasses import dataclass

from starling.places.flows.measurements import Drawn, summed
from starling.places.flows.plan.levels import Int64, Levels
from starling.privacy.budget import Cost
from starling.privacy.events import MONOTONE
from starling.privacy.guarantee import Guarantee, measurement, sequential
from starling.privacy.neighbours import Relation
from starling.privacy.sampling.noise import checked_add, draw


@dataclass(frozen=True)
class PairsOfLevels:
    """A `privacy.trust.Mechanism` over the exact number of trips from area to area.

    Attributes:
        levels: The public areas, and how the budget is shared.
        relation: Neighbouring databases.
        cost: What one unit costs over all of it.
        trips: k, the most trips of one unit.
    """

    levels: Levels
    relation: Relation
    cost: Cost
    trips: int = 1

    @property
    def guarantee(self) -> Guarantee:
        """The pairs of levels, one after the other."""
        parts = []
        for up, down in self.levels.pairs:
            noise = self.levels.noise((up, down), self.cost, self.trips)
            name = f"trips from each node of level {up} to each of level {down}"
            parts.append(measurement(name, self.relation, noise, self.trips, MONOTONE))
        return sequential("trips between areas, by pairs of their levels", parts)

    def draw(self, exact: Int64, /) -> Drawn:
        """Measure the trips from area to area, int64 (slices, areas, areas), for each pair of levels, each number once.

        Raises:
            OverflowError: a noisy number leaves int64: an event of the noisy number alone, so post-processing.
        """
        drawn = []
        for pair in self.levels.pairs:
            numbers = summed(self.levels, exact, pair)
            drawn.append(checked_add(numbers, draw(self.levels.noise(pair, self.cost, self.trips), numbers.shape)))
        return tuple(drawn)
