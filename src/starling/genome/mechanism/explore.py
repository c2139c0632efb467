"""explore: how many SNPs are significant, which, in which blocks and with which p-values, in one piece.

Privacy. Neighbours: replace one patient, n public. num_sig costs epsilon/4. k, from 1 to a public most, is a function of its
answer. Then at most k times epsilon/(4 k) each go to loc_sig, to loc_block and to the tables. Every question is a function of
public choices and earlier answers (adaptive sequential composition), so the whole is epsilon-DP whatever the answers are. All
of it is charged at the start; what is left because it stopped early is lost. When it stops is a function of answers too.

As published (Section 4) all k SNPs are located at once, and the blocks are those that contain any of them, one after the other. With
`independent` each SNP is located outside the blocks and SNPs found before, followed by a block that contains it.

Source: Johnson and Shmatikov 2013, Section 4.
"""

from dataclasses import dataclass

from starling.errors import ParameterError
from starling.genome.measurements import Block, Cells, Explored, Places
from starling.genome.mechanism.asked import Asked
from starling.genome.mechanism.exact import ExactStudy
from starling.genome.mechanism.loc_block import LocBlockMechanism
from starling.genome.mechanism.loc_sig import LocSigMechanism
from starling.genome.mechanism.noisy_tables import SnpPvalMechanism
from starling.genome.mechanism.num_sig import NumSigMechanism
from starling.genome.plan import Explore
from starling.genome.plan.exploring import Stretches


@dataclass(frozen=True, slots=True)
class ExploreMechanism(Asked[Explore]):
    """num_sig, loc_sig, loc_block and snp_pval, composed."""

    def draw(self, exact: ExactStudy, /) -> Explored:
        """Exact counts in, all answers out."""
        number = NumSigMechanism(self.plan, self.query.number(self.plan)).draw(exact)
        if number.high == 0:
            return Explored(number, 0, Places(()), (), ())
        k = self.query.clamped(self.plan, number.high)
        snps, blocks = self._one_by_one(exact, k) if self.query.independent else self._at_once(exact, k)
        return Explored(number, k, Places(snps), blocks, tuple(self._table(exact, snp, k) for snp in snps))

    def _at_once(self, exact: ExactStudy, k: int) -> tuple[tuple[str, ...], tuple[Block, ...]]:
        snps = LocSigMechanism(self.plan, self.query.places(k, k)).draw(exact).snps
        blocks: list[Block] = []
        for _ in range(k):
            block = self._block(exact, snps, k, _stretches(blocks))
            if block is None:
                break
            blocks.append(block)
        return snps, tuple(blocks)

    def _one_by_one(self, exact: ExactStudy, k: int) -> tuple[tuple[str, ...], tuple[Block, ...]]:
        snps: list[str] = []
        blocks: list[Block] = []
        for _ in range(k):
            outside = (*_stretches(blocks), *((snp, snp) for snp in snps))
            try:
                mechanism = LocSigMechanism(self.plan, self.query.places(1, k, outside))
            except ParameterError:  # No SNP is left: told by the answers so far.
                break
            snp = mechanism.draw(exact).snps[0]
            snps.append(snp)
            block = self._block(exact, (snp,), k, _stretches(blocks))
            if block is not None:
                blocks.append(block)
        return tuple(snps), tuple(blocks)

    def _block(self, exact: ExactStudy, snps: tuple[str, ...], k: int, outside: Stretches) -> Block | None:
        try:
            mechanism = LocBlockMechanism(self.plan, self.query.block(snps, k, outside))
        except ParameterError:  # No eligible block is left: told by the answers so far.
            return None
        return mechanism.draw(exact)

    def _table(self, exact: ExactStudy, snp: str, k: int) -> Cells:
        return SnpPvalMechanism(self.plan, self.query.table(snp, k)).draw(exact)


def _stretches(blocks: list[Block]) -> Stretches:
    return tuple((block.first, block.last) for block in blocks if block.first is not None and block.last is not None)
