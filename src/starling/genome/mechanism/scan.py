"""scan: score tests of all SNPs against one randomized response, drawn now or kept of an earlier scan.

Privacy. Neighbours: replace one person's phenotype; genotypes, covariates and who takes part are the same for both, and not protected.
The response is epsilon-DP (privacy/sampling/response.py). Basis, columns and the list of SNPs are functions of genotypes, covariates and
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

from starling.genome.arrays import Flags
from starling.genome.measurements import Scanned, SnpScores
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.plan import Scan
from starling.privacy.sampling.response import randomized_response


class RespondingStudy(ExactStudy, Protocol):
    """A study that a response is drawn of; counts/study.py gives it."""

    def stored(self, response: Flags, /) -> bytes:
        """What is kept of a response: with whom and what it is of."""
        ...


class StoredStudy(Protocol):
    """A study of which a response was kept; counts/responses.py gives it."""

    @property
    def response(self) -> Flags:
        """The response that an earlier charge paid for, bool (n,)."""
        ...

    def score_tests(self, response: Flags, /) -> SnpScores:
        """As `ExactStudy.score_tests`."""
        ...


@dataclass(frozen=True, slots=True)
class ScanMechanism(BaseMechanism[Scan]):
    """One response, and all that follows from it; `keep` is given what is kept of it."""

    keep: Callable[[bytes], None] = lambda _: None

    def draw(self, exact: RespondingStudy, /) -> Scanned:
        """Who is a case in, score tests of a response out."""
        response = randomized_response(exact.is_case(), self.query.epsilon)
        self.keep(exact.stored(response))
        return Scanned(int(np.count_nonzero(response)), exact.score_tests(response))


@dataclass(frozen=True, slots=True)
class StoredScanMechanism(BaseMechanism[Scan]):
    """All that follows from a response that was drawn before: it draws nothing, and reads no phenotype."""

    def draw(self, exact: StoredStudy, /) -> Scanned:
        """A response in, its score tests out."""
        return Scanned(int(np.count_nonzero(exact.response)), exact.score_tests(exact.response))
