"""num_sig, loc_sig and loc_block: answers that are selected among public candidates by integer scores.

Privacy. Neighbours: replace one patient, n public. Which answers there are to choose from is public in each, and each one's score moves by
at most 1 (scores/locations.py, scores/blocks.py), so that a selection at sensitivity 1 is epsilon-DP (privacy/sampling/selection.py).
Where a plan protects phenotypes alone, neighbours replace the phenotype of one patient, and num_sig and loc_sig take the distances of the
score test with covariates (distance/adjusted.py), which such a replacement moves by at most 1, of quantitative phenotypes too. Their
threshold is public, or follows from a noisy number of cases, or of whole squares, that the question pays for first (discrete Laplace noise
at sensitivity 1): sequential composition.

- num_sig, how many SNPs are significant, as a range: the outputs are a function of k and of m. One is selected by permute-and-flip, which
  is never worse, score for score (McKenna and Sheldon 2020), or by the exponential mechanism, as published.
- loc_sig, the k SNPs of the regions that are significant, or nearest to it, by the most patients: k rounds of the exponential mechanism,
  each without the SNPs already chosen and with epsilon/k, are epsilon-DP by sequential composition. The paper's loop draws again and
  again until a SNP is new; its distribution is the same, but its time depends on the data.
- loc_block, the longest valid correlation block within the regions that contains one of the SNPs, or that there is none: the blocks are a
  function of the SNP list, the regions, the SNPs asked for, the longest length, and of what is left out, which is public or was
  released. One of them, or "no block", is selected by the exponential mechanism. To find further blocks, ask again and leave out those
  found; the costs add up.

Source: Johnson and Shmatikov 2013, Sections 6.1 to 6.3, Algorithm 1, Theorems 1 to 3.
"""

from dataclasses import dataclass

import numpy as np

from starling.genome.arrays import Int64
from starling.genome.distance.adjusted import (
    MOST_VARIANCE,
    prevalence_variance,
    score_threshold,
    squares_variance,
    whole_squares,
)
from starling.genome.distance.rules import of_correlation
from starling.genome.measurements import Block, Number, SelectedSnps
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.plan import LocBlock, LocSig, NumSig, Plan
from starling.genome.plan.distances import signed_distances
from starling.genome.plan.queries import Paying, prevalence_event
from starling.genome.scores.blocks import block_scores
from starling.genome.scores.candidates import Candidates, candidates
from starling.genome.scores.locations import loc_sig_scores, num_sig_outputs, num_sig_scores
from starling.privacy.events import PermuteAndFlip
from starling.privacy.sampling.noise import checked_add, discrete_laplace
from starling.privacy.sampling.selection import exponential_mechanism, permute_and_flip


@dataclass(frozen=True, slots=True)
class NumSigMechanism(BaseMechanism[NumSig]):
    """One selected output."""

    def draw(self, exact: ExactStudy, /) -> Number:
        """The exact tables of all SNPs in, a range of numbers out."""
        snps = len(self.plan.snps)
        outputs = num_sig_outputs(self.query.k, snps)
        paid = paid_number(self.plan, self.query, exact)
        scores = num_sig_scores(_distances(self.plan, self.query, exact, paid), outputs)
        event = self.query.event
        if isinstance(event, PermuteAndFlip):
            chosen = permute_and_flip(scores, event.epsilon, event.score_sensitivity)
        else:
            chosen = int(exponential_mechanism(scores, event.epsilon, event.score_sensitivity)[0])
        return Number(outputs[chosen], (*outputs[1:], snps + 1)[chosen] - 1, **paid)


@dataclass(frozen=True, slots=True)
class LocSigMechanism(BaseMechanism[LocSig]):
    """k selected SNPs."""

    def draw(self, exact: ExactStudy, /) -> SelectedSnps:
        """The exact tables of the regions' SNPs in, k ids out, in the order of selection."""
        paid = paid_number(self.plan, self.query, exact)
        return SelectedSnps(self.select(exact, paid), **paid)

    def select(self, exact: ExactStudy, paid: dict[str, int]) -> tuple[str, ...]:
        """The ids by a threshold that follows from what was paid for already, if anything was."""
        indices = np.concatenate([np.arange(start, stop) for start, stop in self.query.ranges(self.plan)])
        scores = loc_sig_scores(_distances(self.plan, self.query, exact, paid, indices))
        event, k = self.query.event, self.query.k
        chosen = exponential_mechanism(scores, k * event.epsilon, event.score_sensitivity, k)
        return tuple(self.plan.snps.ids[place] for place in indices[chosen].tolist())


def paid_number(plan: Plan, query: Paying, exact: ExactStudy) -> dict[str, int]:
    """What the threshold follows from, with noise, where the question pays for it: the number of cases, or whole squares."""
    event = prevalence_event(query)
    if event is None:
        return {}
    name = "cases" if plan.between is None else "squares"
    number = exact.is_case().sum(dtype=np.int64)
    if plan.between is not None:
        number = np.int64(whole_squares(exact.levels(), plan.steps))
    return {name: int(checked_add(number, discrete_laplace(event.scale, ())))}


def _distances(
    plan: Plan, query: NumSig | LocSig, exact: ExactStudy, paid: dict[str, int], indices: Int64 | None = None
) -> Int64:
    """The signed distance of each SNP: from its table, or, where phenotypes are protected, from the columns that covariates leave of it,
    with a threshold that follows from what was paid for, if anything was.
    """
    if plan.unit == "phenotype":
        variance = MOST_VARIANCE * plan.largest**2
        if "cases" in paid:
            variance = prevalence_variance(paid["cases"], plan.people)
        elif paid:
            variance = squares_variance(paid["squares"], plan.people, plan.steps)
        return exact.score_distances(indices, score_threshold(plan.p_threshold, variance))
    return signed_distances(plan, exact.tables(indices), query.test)


@dataclass(frozen=True, slots=True)
class LocBlockMechanism(BaseMechanism[LocBlock]):
    """One selected block."""

    def draw(self, exact: ExactStudy, /) -> Block:
        """The exact pair tables of the SNPs within reach in, a block out."""
        indices, among = self.choices()
        people = self.plan.people
        rule = of_correlation(self.query.correlation, self.query.delta_c, people)
        pairs, carriers = exact.blocks(indices, rule, among)
        event, scores = self.query.event, block_scores(pairs, carriers, people, among)
        chosen = int(exponential_mechanism(scores, event.epsilon, event.score_sensitivity)[0])
        if chosen == among.count:
            return Block(None, None, 0)
        k, end = among.block(chosen)
        ids = self.plan.snps.ids
        return Block(ids[indices[k]], ids[indices[end]], end - k + 1)

    def choices(self) -> tuple[Int64, Candidates]:
        """The SNPs that an eligible block can hold, int64, positions in the list; and the blocks, which number SNPs by their place in it.

        The eligible blocks are those of `LocBlock.candidates`: one that contains a SNP asked for reaches no further from it than the
        longest block, and lies in its region.
        """
        whole = self.query.candidates(self.plan)
        far = len(self.plan.snps) if whole.longest is None else whole.longest
        windows: list[tuple[int, int]] = []
        for start, stop in whole.regions:
            for snp in whole.snps:
                if start <= snp < stop:
                    low, high = max(start, snp - far + 1), min(stop, snp + far)
                    if windows and low < windows[-1][1]:
                        low = windows.pop()[0]
                    windows.append((low, high))
        indices = np.concatenate([np.arange(low, high) for low, high in windows])
        regions = [(int(np.searchsorted(indices, low)), int(np.searchsorted(indices, high))) for low, high in windows]
        followed_snps = np.searchsorted(indices, [snp for snp in whole.snps if snp in indices]).tolist()
        return indices, candidates(len(indices), regions, followed_snps, whole.longest)
