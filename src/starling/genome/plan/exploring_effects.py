"""The question behind `explore_effects`: how many SNPs are significant, which, and their effects, in one.

Neighbours: one person's phenotype is replaced. Where phenotypes alone are protected no blocks are looked for: correlations of SNPs are of
genotypes, which are not protected, so that noise would hide nothing.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Final

from starling.genome.plan.effects import SnpEffects, check_joint
from starling.genome.plan.missing import check_kind
from starling.genome.plan.model import Plan
from starling.genome.plan.queries import (
    MOST_FOUND,
    BaseQuestion,
    LocSig,
    NumSig,
    Selection,
    check_noise,
    check_prevalence,
    check_whole,
    selecting,
)
from starling.genome.plan.rounds import MOST_FOLLOWED, followed, in_rounds
from starling.privacy.guarantee import Guarantee, sequential
from starling.privacy.least import LEAST_LATTICE_RATE
from starling.privacy.neighbours import REPLACE_PHENOTYPE, Relation
from starling.release.codec import OPTIONAL

PARTS: Final = 3
"""Number, places, effects: each has the same part of epsilon."""


@dataclass(frozen=True)
class ExploreEffects(BaseQuestion):
    """All in one where phenotypes alone are protected: how many SNPs are significant, which, and the effect of each.

    Attributes:
        test: By which cases are compared with controls; one of the plan's.
        epsilon: What the whole costs, charged at the start, a third for each part: the more, the smaller the error.
        regions: Where to look, by names of regions of the plan; in all of them where none is named. The number is that of the whole list.
        most: How many SNPs are followed up at most, 1 to 1,000.
        selection: How the number is selected: permute-and-flip, or exponential as published.
        prevalence_epsilon: The part of epsilon that pays a noisy number of cases, or the noisy variance of a quantitative phenotype, once
            for all: the threshold follows from it, and from a number of cases odds ratios and p-values do. The thirds are of the rest.
    """

    test: str
    epsilon: Fraction
    regions: tuple[str, ...] | None = None
    most: int = MOST_FOUND
    selection: Selection = "permute-and-flip"
    prevalence_epsilon: Fraction | None = field(default=None, metadata=OPTIONAL)

    def check(self, plan: Plan) -> None:
        """Raises ParameterError when one of its questions could not be asked, whatever the earlier answers are."""
        check_kind(plan, self.kind)
        check_whole("most", self.most, 1, MOST_FOLLOWED, "SNPs to follow up")
        check_noise(self.epsilon, PARTS * LEAST_LATTICE_RATE)
        check_prevalence(plan, self)
        check_noise(selecting(self), PARTS * LEAST_LATTICE_RATE)
        self.number(plan).check(plan)
        self.locations(self.clamped(plan, self.most)).check(plan)
        self.effects((plan.snps.ids[plan.within(self.regions)[0][0]],)).check(plan)
        check_joint(plan, self.clamped(plan, self.most), "most")

    @cached_property
    def guarantee(self) -> Guarantee:
        """What the answer costs, worked out once: it protects phenotypes alone."""
        return self.guaranteed(REPLACE_PHENOTYPE)

    def guaranteed(self, relation: Relation) -> Guarantee:
        """Three thirds of what the number of cases leaves, charged at the start, whatever the answers leave unspent."""
        number = self._number(self.most).guaranteed(relation)
        places = in_rounds("most significant SNPs", "one SNP", relation, self.most, lambda k: self.locations(k).event)
        effects = Guarantee("scores of the SNPs found, all together", relation, self.effects(()).event)
        return sequential("exploration of effects in a study", (*(number.parts or (number,)), places, effects))

    @property
    def third(self) -> Fraction:
        """What each part costs."""
        return selecting(self) / PARTS

    def clamped(self, plan: Plan, high: int) -> int:
        """k: how many SNPs are followed up when up to `high` may be significant."""
        return followed(plan, self.regions, self.most, high)

    def number(self, plan: Plan) -> NumSig:
        """The first third, and the number of cases."""
        return self._number(min(self.most, len(plan.snps)))

    def locations(self, k: int) -> LocSig:
        """The second third. Its threshold is that of the first."""
        return LocSig(self.test, k, self.third, self.regions)

    def effects(self, snps: tuple[str, ...]) -> SnpEffects:
        """The last third: the scores of all SNPs that were named. The number of cases is that of the first."""
        return SnpEffects(snps, self.third, chosen=True)

    def _number(self, k: int) -> NumSig:
        part = self.prevalence_epsilon
        return NumSig(self.test, k, self.third + (part or 0), self.selection, part)
