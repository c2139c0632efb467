"""snp_effects: the scores of some SNPs, with noise on all of them together.

Privacy. Neighbours: replace one person's phenotype. All scores together change by at most SCALE in the L1 norm
(distance/joint_scores.py), so that discrete Laplace noise of scale SCALE/epsilon on each makes them epsilon-DP (SafeTab 2022, Lemma 6).
The number of cases, where it is asked for, is paid with a part of epsilon of its own: sequential composition. What stands beside the
scores is made of genotypes and covariates alone, which this relation does not protect.
"""

from dataclasses import dataclass

import numpy as np

from starling.genome.measurements import NoisyScores
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.mechanism.selections import paid_number
from starling.genome.plan import SnpEffects
from starling.genome.plan.effects import SCALE
from starling.privacy.sampling.noise import checked_add, discrete_laplace


@dataclass(frozen=True, slots=True)
class SnpEffectsMechanism(BaseMechanism[SnpEffects]):
    """The noisy scores, and how they are scaled."""

    def draw(self, exact: ExactStudy, /) -> NoisyScores:
        """The exact scores in, noisy ones out. Raises OverflowError as `checked_add` does."""
        indices = np.array([self.plan.snps.index(name) for name in self.query.snps], dtype=np.int64)
        cases = paid_number(self.plan, self.query, exact).get("cases")
        joint = exact.joint_scores(indices, SCALE)
        noisy = checked_add(joint.scores, discrete_laplace(self.query.event.scale, joint.scores.shape))
        return NoisyScores(
            tuple(noisy.tolist()),
            NoisyScores.fixed(joint.largest),
            tuple(map(NoisyScores.fixed, joint.squares)),
            tuple(joint.calls.tolist()),
            tuple(map(NoisyScores.fixed, joint.frequencies)),
            cases,
        )
