"""scan: score tests of all SNPs against one randomized response, drawn now or kept of an earlier scan.

Privacy. Neighbours: replace one person's phenotype; genotypes, covariates and who takes part are the same for both, and not protected.
The response is epsilon-DP (privacy/sampling/response.py); of a quantitative phenotype it is of the interval, which is a function of one
person's phenotype and of public cuts. Basis, columns and the list of SNPs are functions of genotypes, covariates and
public choices, which no phenotype changes (counts/basis.py, adjusted/), so that scores, variances and how many answers are yes are
functions of the response and of what neighbours share: post-processing. So is every further scan of the same response, whose type gives it
no phenotype to read: all scans of one response together cost its epsilon once, however they were chosen in view of each other.

The response is in no release; the custodian keeps it (counts/responses.py). But with as many SNPs as people, who has the genotypes can
solve the scores for it, so that nothing may rest on its secrecy: the coins alone protect.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from starling.errors import ParameterError
from starling.genome.arrays import Float64, Int64
from starling.genome.measurements import Scanned, SnpScores
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.plan import Plan, Scan
from starling.genome.plan.intervals import Intervals
from starling.privacy.sampling.response import randomized_choice, randomized_response


class RespondingStudy(ExactStudy, Protocol):
    """A study that a response is drawn of; counts/study.py gives it."""

    def stored(self, response: Int64, values: int, /) -> bytes:
        """What is kept of a response, one of so many values: with whom and what it is of."""
        ...


class StoredStudy(Protocol):
    """A study of which a response was kept; counts/responses.py gives it."""

    @property
    def response(self) -> Int64:
        """The response that an earlier charge paid for, int64 (n,)."""
        ...

    @property
    def values(self) -> int:
        """How many values it has."""
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
        plan, query = self.plan, self.query
        if plan.between is None:
            response = randomized_response(exact.is_case(), query.epsilon).astype(np.int64)
        else:
            intervals = Intervals.of(plan, query.values).of_steps(exact.levels())
            response = randomized_choice(intervals, query.epsilon, query.values)
        self.keep(exact.stored(response, query.values))
        return _scanned(plan, query, response, exact.score_tests)


@dataclass(frozen=True, slots=True)
class StoredScanMechanism(BaseMechanism[Scan]):
    """All that follows from a response that was drawn before: it draws nothing, and reads no phenotype."""

    def draw(self, exact: StoredStudy, /) -> Scanned:
        """A response in, its score tests out."""
        if exact.values != self.query.values:
            problem = f"were {exact.values} when the response was drawn"
            raise ParameterError("intervals", problem, f"name {exact.values}, or draw another response")
        return _scanned(self.plan, self.query, exact.response, exact.score_tests)


def _scanned(plan: Plan, query: Scan, response: Int64, score_tests: Callable[[Float64], SnpScores]) -> Scanned:
    """All that is told of a response, int64 (n,) from 0 to k - 1."""
    above = tuple(int(np.count_nonzero(response > cut)) for cut in range(query.values - 1))
    counted = (
        response.astype(np.float64) if plan.between is None else Intervals.of(plan, query.values).counted(response)
    )
    return Scanned(above[0], score_tests(counted), above[1:])
