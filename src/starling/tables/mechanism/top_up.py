"""The groups of an earlier release re-measured, each in the detail that the earlier release published.

Privacy. Neighbours: add or remove one person. Which numbers are asked of a group, one total or the cells of a partition by sex and age,
is a function of the earlier release's branches: public, fixed before anything is drawn here, and the same for neighbours. (If that
release was forged, they are still public: the guarantee does not rest on them.) A person is in one cell of a partition, so the
numbers of a group have L1 and L2 sensitivity 1; each gets noise of `Plan.stage_noise(level).stage2`, which spends the level's budget
over its stability. No stage-1 total is drawn. A person is in at most `Level.stability` groups of a level, so a level costs its budget
(SafeTab 2022, Lemmas 9 and 10); levels add up, and the charge is the larger of the sums of the United States and Puerto Rico, as in
SafeTab.

With the earlier release. Its branches and values are an output of a mechanism that was charged on its own; this one takes that output
as an input and draws fresh noise. That is adaptive sequential composition (Lemmas 1 and 2): both together cost the sum of
both charges, each of which stands in the ledger that paid for it. What is published of both is a function of the two outputs.

Every group of the plan is answered, empty or not. Pieces are those of the earlier release's files, which are public.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from starling.privacy.guarantee import Guarantee
from starling.privacy.sampling.noise import checked_add, draw
from starling.tables.measurements import Keep, Measured, Measurements
from starling.tables.mechanism.safetab import ExactCounts, exact_values
from starling.tables.plan import Piece, Plan


@dataclass(frozen=True, slots=True)
class Remeasurement:
    """A re-measurement of every group, in the detail of the earlier one.

    Attributes:
        plan: The budgets of the levels; it has a `top_up`.
        earlier: The measurements of the earlier release, of the same groups.
        keep: Takes the pieces as they are drawn, and gives all of them back; `tuple` keeps them in memory.
    """

    plan: Plan
    earlier: Measurements
    keep: Keep = tuple

    @property
    def guarantee(self) -> Guarantee:
        """The plan's; nothing else states this cost. That of the earlier release is not in it."""
        return self.plan.guarantee

    def draw(self, exact: ExactCounts, /) -> Measurements:
        """Exact counts in, new noisy values of every piece out, beside the stage-1 totals and branches of the earlier release.

        Raises OverflowError when a noisy count leaves int64: an event of the noisy count alone, so post-processing.
        """
        return self.keep(self._drawn(exact))

    def _drawn(self, exact: ExactCounts) -> Iterator[tuple[Piece, Measured]]:
        for piece, before in self.earlier:
            distribution = self.plan.stage_noise(self.plan.levels[piece.level]).stage2
            values = exact_values(exact.totals(piece), before.branch, before.offsets(), piece, exact)
            yield piece, Measured(before.stage1, before.branch, checked_add(values, draw(distribution, len(values))))
