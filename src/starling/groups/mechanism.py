"""Noisy histograms, or noisy cumulative counts, of every region of every level.

Privacy. One member (or event) more or less moves one group from one size to another, in one region of each level; plan/model.py states
the sensitivities and composes the levels, and bands of sizes, to `Plan.guarantee`. All regions and sizes of the plan are measured, empty
or not; how many draws there are, and their scales, is public. A cumulative count at size N is the total of its region: it moves for no
member. Where it is public it is published as it is, at the root or, where the totals of all regions are public, everywhere; elsewhere it
is not to be known, and gets the noise of its level and band.

Everything that is made of what is drawn here is post-processing.
"""

from dataclasses import dataclass

from starling.groups.measurements import Measured, measured
from starling.groups.optimise.tree import Int64
from starling.groups.plan import Plan
from starling.privacy.guarantee import Guarantee
from starling.privacy.sampling.noise import checked_add, draw


@dataclass(frozen=True, slots=True)
class NoisyCounts:
    """A `privacy.trust.Mechanism` over the exact numbers of groups of each leaf and size.

    Attributes:
        plan: The public choices.
    """

    plan: Plan

    @property
    def guarantee(self) -> Guarantee:
        """The plan's."""
        return self.plan.guarantee

    def draw(self, exact: Int64, /) -> Measured:
        """Measure every level, of int64 (leaves, sizes) that have the public totals; see `Measured`."""
        return measured(self.plan, exact, lambda counts, noise: checked_add(counts, draw(noise, counts.shape)))
