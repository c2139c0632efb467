"""scan: score tests of all SNPs against one randomized response.

Privacy. Neighbours: replace one person's phenotype; genotypes, covariates and who takes part are the same for both, and not protected.
The response is epsilon-DP (privacy/sampling/response.py). Basis, columns and the list of SNPs are functions of genotypes, covariates and
public choices, which no phenotype changes (counts/basis.py, adjusted/), so that scores, variances and how many answers are yes are
functions of the response and of what neighbours share: post-processing. The response itself is written nowhere; but with as many SNPs as
people, who has the genotypes can solve the scores for it, so that nothing may rest on its secrecy: the coins alone protect.
"""

from dataclasses import dataclass

import numpy as np

from starling.genome.measurements import Scanned
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.plan import Scan
from starling.privacy.sampling.response import randomized_response


@dataclass(frozen=True, slots=True)
class ScanMechanism(BaseMechanism[Scan]):
    """One response, and all that follows from it."""

    def draw(self, exact: ExactStudy, /) -> Scanned:
        """Who is a case in, score tests of a response out."""
        response = randomized_response(exact.is_case(), self.query.event.epsilon)
        return Scanned(int(np.count_nonzero(response)), exact.score_tests(response))
