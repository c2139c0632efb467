"""The question `snp_effects`: the effects of some SNPs by the score test, with noise on all their scores at once.

Neighbours: one person's phenotype is replaced. The scores of a person are scaled so that they change by no more than SCALE in the L1 norm,
whoever it is (distance/joint_scores.py): noise of scale SCALE/epsilon on each is epsilon-DP for all SNPs together.

Where all of a person is replaced, it is of quantitative phenotypes alone, and moments take the place of scores (moments.py).
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from starling.errors import ParameterError
from starling.genome.plan.missing import check_kind
from starling.genome.plan.model import Plan
from starling.genome.plan.moments import sensitivity
from starling.genome.plan.queries import BaseQuestion, check_noise, check_prevalence, selecting, with_prevalence
from starling.privacy.events import DiscreteLaplaceNoise
from starling.privacy.guarantee import Guarantee
from starling.privacy.least import LEAST_LATTICE_RATE
from starling.privacy.neighbours import REPLACE_PERSON, REPLACE_PHENOTYPE, Relation
from starling.release.codec import OPTIONAL

SCALE: Final = 1 << 30
"""The L1 sensitivity of the scores, in whole numbers."""
MOST_EFFECTS: Final = 1000
MOST_JOINT: Final = 1 << 26
"""SNPs times people: their columns are held all at once, 16 bytes for each, after the charge."""


def check_joint(plan: Plan, snps: int, field: str) -> None:
    """Raises ParameterError for more SNPs than can be held of all people at once."""
    if snps * plan.people > MOST_JOINT:
        problem = f"ask for {snps:,} SNPs of {plan.people:,} people at once"
        raise ParameterError(field, problem, f"take at most {MOST_JOINT // plan.people:,}")


@dataclass(frozen=True, slots=True)
class SnpEffects(BaseQuestion):
    """The effect and the p-value of each of some SNPs, adjusted as the plan says.

    Where all of a person is protected it is the slope of a quantitative phenotype.

    Attributes:
        snps: Their ids in the plan's list, 1 to 1,000.
        epsilon: What the answer costs, at least 1/4096: the more, the smaller the noise.
        prevalence_epsilon: The part of epsilon that pays a noisy number of cases, from which odds ratios and p-values follow; without it
            as many cases as controls are supposed, and differences are told in place of odds ratios.
        chosen: Whether the same people's phenotypes named the SNPs, as loc_sig does: intervals are wider, and hold all the same.
    """

    snps: tuple[str, ...]
    epsilon: Fraction
    prevalence_epsilon: Fraction | None = field(default=None, metadata=OPTIONAL)
    chosen: bool = field(default=False, metadata=OPTIONAL)

    def check(self, plan: Plan) -> None:
        """Raises ParameterError when the plan has no such question."""
        check_kind(plan, self.kind)
        check_noise(self.epsilon, LEAST_LATTICE_RATE)
        if plan.between is not None and self.prevalence_epsilon is not None:
            problem = "is of cases and controls, and the plan has a range of phenotypes"
            raise ParameterError("prevalence_epsilon", problem, "leave it out")
        check_prevalence(plan, self)
        check_noise(selecting(self), LEAST_LATTICE_RATE)
        indices = {plan.snps.index(name, field="snps") for name in self.snps}
        if not 1 <= len(indices) == len(self.snps) <= MOST_EFFECTS:
            raise ParameterError("snps", f"are not 1 to {MOST_EFFECTS:,}, all different", "name some, each once")
        if not plan.by_moments:
            check_joint(plan, len(indices), "snps")

    @property
    def event(self) -> DiscreteLaplaceNoise:
        """The noise of the scores."""
        return DiscreteLaplaceNoise(SCALE / selecting(self), Fraction(SCALE))

    @property
    def moments_event(self) -> DiscreteLaplaceNoise:
        """The noise of the weighted moments where all of a person is protected."""
        most = Fraction(sensitivity(len(self.snps)))
        return DiscreteLaplaceNoise(most / self.epsilon, most)

    def guaranteed(self, relation: Relation) -> Guarantee:
        """What the answer costs those whom a relation protects."""
        if relation == REPLACE_PERSON:
            return Guarantee("moments of SNPs and the phenotype", relation, self.moments_event)
        return with_prevalence(self, Guarantee("scores of SNPs", relation, self.event))

    @property
    def guarantee(self) -> Guarantee:
        """What the answer costs where phenotypes alone are protected; the same where whole persons are."""
        return self.guaranteed(REPLACE_PHENOTYPE)
