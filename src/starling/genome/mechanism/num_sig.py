"""num_sig: how many SNPs are significant, as a range.

Privacy. Neighbours: replace one patient, n public. The outputs are a function of k and of m, both public. Each one's score moves by
at most 1 (scores/locations.py), and one output is selected by the exponential mechanism, or by permute-and-flip, at sensitivity 1:
epsilon-DP (privacy/sampling/selection.py). Permute-and-flip is never worse, score for score (McKenna and Sheldon 2020).

Source: Johnson and Shmatikov 2013, Section 6.1, Theorem 1.
"""

from dataclasses import dataclass

from starling.genome.measurements import Number
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.plan import NumSig
from starling.genome.plan.distances import signed_distances
from starling.genome.scores.locations import num_sig_outputs, num_sig_scores
from starling.privacy.events import PermuteAndFlip
from starling.privacy.sampling.selection import exponential_mechanism, permute_and_flip


@dataclass(frozen=True, slots=True)
class NumSigMechanism(BaseMechanism[NumSig]):
    """One selected output."""

    def draw(self, exact: ExactStudy, /) -> Number:
        """The exact tables of all SNPs in, a range of numbers out."""
        snps = len(self.plan.snps)
        outputs = num_sig_outputs(self.query.k, snps)
        scores = num_sig_scores(signed_distances(self.plan, exact.tables(), self.query.test), outputs)
        event = self.query.event
        if isinstance(event, PermuteAndFlip):
            chosen = permute_and_flip(scores, event.epsilon, event.score_sensitivity)
        else:
            chosen = int(exponential_mechanism(scores, event.epsilon, event.score_sensitivity)[0])
        return Number(outputs[chosen], (*outputs[1:], snps + 1)[chosen] - 1)
