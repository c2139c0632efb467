"""snp_effects where all of a person is protected: weighted moments of some SNPs and of a quantitative phenotype, all with noise.

Privacy. Neighbours: one person is replaced, with all genotypes and the phenotype. All weighted sums together change by at most
`sensitivity(m)` of m SNPs in the L1 norm (plan/moments.py), so that discrete Laplace noise of scale sensitivity(m)/epsilon on each
makes them epsilon-DP (SafeTab 2022, Lemma 6). How many people lack a call or the phenotype is among the sums; n is public.
"""

from dataclasses import dataclass

import numpy as np

from starling.genome.measurements import NoisyMoments
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.plan import SnpEffects
from starling.genome.plan.moments import snp_weights, trait_weights
from starling.privacy.sampling.noise import checked_add, discrete_laplace


@dataclass(frozen=True, slots=True)
class MomentsMechanism(BaseMechanism[SnpEffects]):
    """The noisy moments."""

    def draw(self, exact: ExactStudy, /) -> NoisyMoments:
        """The exact sums in, noisy weighted ones out. Raises OverflowError as `checked_add` does."""
        indices = np.array([self.plan.snps.index(name) for name in self.query.snps], dtype=np.int64)
        of_snps, of_all = exact.moments(indices)
        sums = np.concatenate([(of_snps * snp_weights()).T.ravel(), of_all * trait_weights()])
        noisy = checked_add(sums, discrete_laplace(self.query.moments_event.scale, sums.shape)).tolist()
        k = len(self.query.snps)
        products, copies, squares, missing = (tuple(noisy[at * k : (at + 1) * k]) for at in range(4))
        return NoisyMoments(products, copies, squares, missing, tuple(noisy[4 * k :]))
