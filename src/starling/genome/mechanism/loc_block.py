"""loc_block: the longest valid correlation block within the regions that contains one of the SNPs, or that there is none.

Privacy. Neighbours: replace one patient, n public. Which blocks there are to choose from is public: a function of the SNP list, the
regions, the SNPs asked for, the longest length, and of what is left out, which is public or was released. Every block's score, and
that of "no block", moves by at most 1 (scores/blocks.py). One of them is selected by the exponential mechanism at sensitivity 1:
epsilon-DP. To find further blocks, ask again and leave out those found; the costs add up.

Source: Johnson and Shmatikov 2013, Section 6.3, Theorem 3.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starling.genome.distance.rules import of_correlation
from starling.genome.measurements import Block
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.plan import LocBlock
from starling.genome.scores.blocks import block_scores
from starling.genome.scores.candidates import Candidates, candidates
from starling.privacy.sampling.selection import exponential_mechanism


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

    def choices(self) -> tuple[npt.NDArray[np.int64], Candidates]:
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
        asked = np.searchsorted(indices, [snp for snp in whole.snps if snp in indices]).tolist()
        return indices, candidates(len(indices), regions, asked, whole.longest)
