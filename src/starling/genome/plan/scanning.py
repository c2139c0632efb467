"""The question `scan`: a score test of every SNP with the plan's covariates, all by one randomized response.

Neighbours: one person's phenotype is replaced. Each phenotype is kept with probability e^epsilon/(1 + e^epsilon), else turned round, once
for the whole scan. All that a scan tells is made of that response and of genotypes and covariates, which this relation does not protect:
counts of calls and allele frequencies are exact. Another scan draws another response, and the costs add up.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from starling.genome.plan.model import Plan
from starling.genome.plan.queries import BaseQuestion, check_noise, check_unit
from starling.privacy.events import RandomizedResponse
from starling.privacy.guarantee import Guarantee
from starling.privacy.neighbours import REPLACE_PHENOTYPE, Relation

LEAST_SCAN: Final = Fraction(1, 1024)
"""Below it a response tells of a million people less than of one."""


@dataclass(frozen=True, slots=True)
class Scan(BaseQuestion):
    """A score test, an odds ratio and a p-value of every SNP of the list; of a quantitative phenotype, of being above the middle of the
    plan's range.

    Attributes:
        epsilon: What the one response costs, and so the whole scan, at least 1/1024: the more, the smaller the noise.
    """

    epsilon: Fraction

    def check(self, plan: Plan) -> None:
        """Raises ParameterError when the plan has no such question."""
        check_unit(plan, self.kind)
        check_noise(self.epsilon, LEAST_SCAN)

    @property
    def event(self) -> RandomizedResponse:
        """The one response."""
        return RandomizedResponse(self.epsilon)

    def guaranteed(self, relation: Relation) -> Guarantee:
        """What the scan costs those whom a relation protects."""
        return Guarantee("one randomized response for all SNPs", relation, self.event)

    @property
    def guarantee(self) -> Guarantee:
        """What the scan costs: it protects phenotypes alone."""
        return self.guaranteed(REPLACE_PHENOTYPE)
