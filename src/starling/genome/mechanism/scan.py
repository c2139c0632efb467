"""scan: score tests of all SNPs against one randomized response, drawn now or kept of an earlier scan.

Privacy. Neighbours: replace one person's phenotype; genotypes, covariates and who takes part are the same for both, and not protected.
The response is epsilon-DP (privacy/sampling/response.py); of a quantitative phenotype it is of the interval, which is a function of one
person's phenotype and of public cuts. Basis, columns and the list of SNPs are functions of genotypes, covariates and
public choices, which no phenotype changes (counts/basis.py, adjusted/), so that scores, variances and how many answers are yes are
functions of the response and of what neighbours share: post-processing. So is every further scan of the same response, whose type gives it
no phenotype to read: all scans of one response together cost its epsilon once, however they were chosen in view of each other.

Where a median is paid for, the exponential mechanism selects it first, by scores of sensitivity 1 (scores/medians.py): median_epsilon-DP.
The cuts follow from it, and the response has the rest of epsilon, so that both are epsilon-DP by sequential composition. The median is
kept with the response, and released.

The response is in no release; the custodian keeps it (counts/responses.py). But with as many SNPs as people, who has the genotypes can
solve the scores for it, so that nothing may rest on its secrecy: the coins alone protect.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from starling.errors import ParameterError
from starling.genome.arrays import Float64
from starling.genome.measurements import SavedResponse, Scanned, SnpScores
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.plan import Plan, Scan
from starling.genome.plan.intervals import Intervals
from starling.genome.scores.medians import median_scores
from starling.privacy.sampling.response import randomized_choice, randomized_response
from starling.privacy.sampling.selection import exponential_mechanism


class RespondingStudy(ExactStudy, Protocol):
    """A study that a response is drawn of; counts/study.py gives it."""

    def stored(self, response: SavedResponse, /) -> bytes:
        """What is kept of a response: with whom and what it is of."""
        ...


class StoredStudy(Protocol):
    """A study of which a response was kept; counts/responses.py gives it."""

    @property
    def response(self) -> SavedResponse:
        """The response that an earlier charge paid for."""
        ...

    def score_tests(self, response: Float64, /) -> SnpScores:
        """As `ExactStudy.score_tests`."""
        ...


@dataclass(frozen=True, slots=True)
class ScanMechanism(BaseMechanism[Scan]):
    """One response, and all that follows from it; `keep` is given what is kept of it."""

    keep: Callable[[bytes], None] = lambda _: None

    def draw(self, exact: RespondingStudy, /) -> Scanned:
        """Phenotypes in, score tests of a response out."""
        plan, query, median = self.plan, self.query, None
        if plan.between is None:
            answers = randomized_response(exact.is_case(), query.epsilon).astype(np.int64)
        else:
            levels = exact.levels()
            if query.median_epsilon is not None:
                median = int(exponential_mechanism(median_scores(levels, plan.steps), query.median_epsilon)[0])
            intervals = Intervals.of(plan, query.values, median).of_steps(levels)
            answers = randomized_choice(intervals, query.response_epsilon, query.values)
        response = SavedResponse(answers, query.values, query.median_epsilon, median)
        self.keep(exact.stored(response))
        return _scanned(plan, response, exact.score_tests)


@dataclass(frozen=True, slots=True)
class StoredScanMechanism(BaseMechanism[Scan]):
    """All that follows from a response that was drawn before: it draws nothing, and reads no phenotype."""

    def draw(self, exact: StoredStudy, /) -> Scanned:
        """A response in, its score tests out."""
        response = exact.response
        if response.values != self.query.values:
            problem = f"were {response.values} when the response was drawn"
            raise ParameterError("intervals", problem, f"name {response.values}, or draw another response")
        if response.median_epsilon != self.query.median_epsilon:
            problem = "is not what the median of the response cost, or it has none"
            raise ParameterError("median_epsilon", problem, "state it as it was, or draw another response")
        return _scanned(self.plan, response, exact.score_tests)


def _scanned(plan: Plan, response: SavedResponse, score_tests: Callable[[Float64], SnpScores]) -> Scanned:
    """All that is told of a response."""
    answers, values, median = response.answers, response.values, response.median
    above = tuple(int(np.count_nonzero(answers > cut)) for cut in range(values - 1))
    counted = answers.astype(np.float64)
    if plan.between is not None:
        counted = Intervals.of(plan, values, median).counted(answers)
    return Scanned(above[0], score_tests(counted), above[1:], median)
