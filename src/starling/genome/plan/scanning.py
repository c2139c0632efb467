"""The question `scan`: a score test of every SNP with the plan's covariates, all by one randomized response.

Neighbours: one person's phenotype is replaced. Each phenotype is kept with probability e^epsilon/(1 + e^epsilon), else turned round, once
for the whole scan; of a quantitative one its interval is, as one of k (intervals.py). All that a scan tells is made of that response and of
genotypes and covariates, which this relation does not protect: counts of calls and allele frequencies are exact. A part of epsilon may pay
the median of a quantitative phenotype first, about which it is divided (scores/medians.py). The response is kept where
a ledger pays: further scans of it, by other plans of the same people and phenotype, cost nothing. The costs of two responses add up.
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from starling.errors import ParameterError
from starling.genome.plan.intervals import CUTS, intervals_at
from starling.genome.plan.missing import check_kind
from starling.genome.plan.model import Plan
from starling.genome.plan.queries import BaseQuestion, check_noise
from starling.genome.plan.same_response import Draw
from starling.privacy.events import MedianResponse, RandomizedResponse, StoredResponse
from starling.privacy.guarantee import Guarantee
from starling.privacy.neighbours import REPLACE_PHENOTYPE, Relation
from starling.release.codec import OPTIONAL

LEAST_SCAN: Final = Fraction(1, 1024)
"""Below it a response tells of a million people less than of one."""


@dataclass(frozen=True, slots=True)
class Scan(BaseQuestion):
    """A score test, an odds ratio and a p-value of every SNP of the list.

    Of a quantitative phenotype an effect on the score of its interval in place of the odds ratio.

    Attributes:
        epsilon: What the one response costs, and so the whole scan, at least 1/1024: the more, the smaller the noise.
        response: The charge of an earlier scan at this epsilon, by its event in the ledger, whose response is scanned again: that costs
            nothing, and reads no phenotype. Without it a new response is drawn.
        intervals: Into how many a quantitative phenotype is divided: 2, 3, 5 or 8; two where nothing is said. `Study.scan` and the command
            take as many as leave most of a normal phenotype.
        median_epsilon: The part of epsilon that pays a noisy median of a quantitative phenotype, at least 1/1024: its intervals lie about
            it, in place of the middle of the plan's range.
    """

    epsilon: Fraction
    response: int | None = field(default=None, metadata=OPTIONAL)
    intervals: int | None = field(default=None, metadata=OPTIONAL)
    median_epsilon: Fraction | None = field(default=None, metadata=OPTIONAL)

    def check(self, plan: Plan) -> None:
        """Raises ParameterError when the plan has no such question."""
        check_kind(plan, self.kind)
        check_noise(self.epsilon, LEAST_SCAN)
        if self.response is not None and self.response < 1:
            raise ParameterError("response", "is no event of a ledger", "give the charge of the scan that drew it")
        if self.intervals is not None:
            if plan.between is None:
                problem = "are of a quantitative phenotype, and the plan has cases and controls"
                raise ParameterError("intervals", problem, "leave them out, or write between in the plan")
            if self.intervals not in CUTS:
                known = ", ".join(map(str, CUTS))
                raise ParameterError("intervals", f"are not {known}", "name one of these numbers, or leave them out")
        self._check_median(plan)

    def _check_median(self, plan: Plan) -> None:
        part = self.median_epsilon
        if part is None:
            return
        if plan.between is None:
            problem = "is of a quantitative phenotype, and the plan has cases and controls"
            raise ParameterError("median_epsilon", problem, "leave it out, or write between in the plan")
        if part < LEAST_SCAN or self.response_epsilon < LEAST_SCAN:
            problem = f"does not leave {LEAST_SCAN} of epsilon at least to the median, and to the response"
            raise ParameterError("median_epsilon", problem, "give a tenth of epsilon, say")

    def at_best(self, plan: Plan) -> "Scan":
        """The question with as many intervals as leave most of a normal phenotype at its epsilon, where it names none; of cases and
        controls, and of two intervals, as it is.
        """
        number = intervals_at(self.response_epsilon)
        if plan.between is None or self.intervals is not None or number == 2:
            return self
        return replace(self, intervals=number)

    @property
    def values(self) -> int:
        """How many answers the response has."""
        return self.intervals or 2

    @property
    def draw(self) -> Draw:
        """What a kept response has to be of, beside its plan."""
        return self.values, self.median_epsilon

    @property
    def response_epsilon(self) -> Fraction:
        """What is left of epsilon for the response itself."""
        return self.epsilon - (self.median_epsilon or 0)

    @property
    def event(self) -> RandomizedResponse | MedianResponse | StoredResponse:
        """The one response, with its median where that is paid for."""
        if self.response is not None:
            return StoredResponse(self.epsilon, Fraction(self.response))
        if self.median_epsilon is not None:
            return MedianResponse(self.median_epsilon, self.response_epsilon, Fraction(self.values))
        return RandomizedResponse(self.epsilon, Fraction(self.values))

    def guaranteed(self, relation: Relation) -> Guarantee:
        """What the response costs those whom a relation protects: of a kept one, what was charged for it before."""
        repeat = "" if self.response is None else ", kept of an earlier scan"
        median = "" if self.median_epsilon is None else "a median, and "
        return Guarantee(f"{median}one randomized response for all SNPs{repeat}", relation, self.event)

    @property
    def guarantee(self) -> Guarantee:
        """What the scan costs: it protects phenotypes alone."""
        return self.guaranteed(REPLACE_PHENOTYPE)
