"""loc_sig: the k SNPs of the regions that are significant, or nearest to it, by the most patients.

Privacy. Neighbours: replace one patient, n public. Which SNPs there are to choose from is public. Minus the signed distance moves by
at most 1 for every SNP (scores/locations.py). k rounds of the exponential mechanism at sensitivity 1, each without the SNPs already
chosen and with epsilon/k, are epsilon-DP by sequential composition (privacy/sampling/selection.py). The paper's loop draws
again and again until a
SNP is new; its distribution is the same, but its time depends on the data.

Source: Johnson and Shmatikov 2013, Section 6.2, Algorithm 1, Theorem 2.
"""

from dataclasses import dataclass

import numpy as np

from starling.genome.measurements import SelectedSnps
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.plan import LocSig
from starling.genome.plan.distances import signed_distances
from starling.genome.scores.locations import loc_sig_scores
from starling.privacy.sampling.selection import exponential_mechanism


@dataclass(frozen=True, slots=True)
class LocSigMechanism(BaseMechanism[LocSig]):
    """k selected SNPs."""

    def draw(self, exact: ExactStudy, /) -> SelectedSnps:
        """The exact tables of the regions' SNPs in, k ids out, in the order of selection."""
        indices = np.concatenate([np.arange(start, stop) for start, stop in self.query.ranges(self.plan)])
        scores = loc_sig_scores(signed_distances(self.plan, exact.tables(indices), self.query.test))
        event, k = self.query.event, self.query.k
        chosen = exponential_mechanism(scores, k * event.epsilon, event.score_sensitivity, k)
        return SelectedSnps(tuple(self.plan.snps.ids[place] for place in indices[chosen].tolist()))
