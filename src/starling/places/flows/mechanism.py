"""Noisy numbers of trips or legs from node to node, for every pair of levels of areas, empty or not.

Privacy. A trip lies in one slice, and a trip of at most s stops has at most s + 1 legs (s = 0: the trip itself), each of which leads from
one area to one area. So for each pair of levels a leg lies in one pair of nodes of one slice, and adds 1 to one number there. A unit has at
most t trips over all slices together (t = 1 where a trip is protected), which are kept whole, so at most k = t (s + 1) legs; they change
the numbers of a pair of levels, those of all slices as one vector, by at most k in all, in L1 and so in L2: a trip whose stops lie in one
area changes one number by all its legs. Discrete Laplace noise of scale k/e in every number costs e, discrete Gaussian noise of parameter
k^2/(2 r) costs rho r. Pairs of levels compose sequentially. What a
pair (l, m) gets is the whole times s_l s_m; as the shares s of levels add up to 1, so do their products over all pairs, and all of the
budget is spent, to the last bit. Which numbers there are follows from the plan and its public areas alone.
"""

from dataclasses import dataclass

from starling.places.arrays import Int64
from starling.places.flows.measurements import Drawn, summed
from starling.places.flows.plan.levels import Levels
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
        most: k, the most trips or legs of one unit.
        counted: "trips", or "legs" of a plan with stops: what it is said to measure.
    """

    levels: Levels
    relation: Relation
    cost: Cost
    most: int = 1
    counted: str = "trips"

    @property
    def guarantee(self) -> Guarantee:
        """The pairs of levels, one after the other."""
        parts = []
        for up, down in self.levels.pairs:
            noise = self.levels.noise((up, down), self.cost, self.most)
            name = f"{self.counted} from each node of level {up} to each of level {down}"
            parts.append(measurement(name, self.relation, noise, self.most, MONOTONE))
        return sequential(f"{self.counted} between areas, by pairs of their levels", parts)

    def draw(self, exact: Int64, /) -> Drawn:
        """Measure the trips from area to area, int64 (slices, areas, areas), for each pair of levels, each number once.

        Raises:
            OverflowError: a noisy number leaves int64: an event of the noisy number alone, so post-processing.
        """
        drawn = []
        for pair in self.levels.pairs:
            numbers = summed(self.levels, exact, pair)
            drawn.append(checked_add(numbers, draw(self.levels.noise(pair, self.cost, self.most), numbers.shape)))
        return tuple(drawn)
