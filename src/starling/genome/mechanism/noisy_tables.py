"""snp_pval and snp_corr: the counts of one SNP, or of one pair of SNPs, with noise; the p-value or the correlation is post-processing.

Privacy. Neighbours: replace one patient, n public. A replaced patient moves one unit of a table from one cell to another: L1
sensitivity 2, norm 1 of the lattice.

- "laplace", as published: discrete Laplace noise of scale 2/epsilon on every cell. epsilon-DP (SafeTab 2022, Lemma 6, at sensitivity 2).
- "lattice": noise whose distribution falls by e^(-epsilon) with every moved unit, on all cells together; they still add up to n. epsilon-DP
  (privacy/sampling/lattice.py), with half the variance.

Under the genotypic and allelic models a table has six cells, cases and controls by number of copies; alleles are counted
afterwards, from noisy cells: noise on the allele counts themselves would have to hide two moved units. Six cells it has too where the plan
counts missing calls apart: a replaced patient moves one unit between any two of them, 30 ways. Counts below 0 are left as they are;
to clamp them is post-processing too.

Where phenotypes alone are protected, neighbours differ by one patient's phenotype. She stays in her column: who carries the allele, who
does not and who lacks a call follows from genotypes, which this relation does not protect, so that the totals of the columns are told
exactly. The three numbers of cases change by 1 in one of them: L1 sensitivity 1. Discrete Laplace noise of scale 1/epsilon on each is
epsilon-DP (SafeTab 2022, Lemma 6), and what is left of each column are its controls.

Source: Johnson and Shmatikov 2013, Sections 6.4 and 6.5, Theorems 4 and 5.
"""

from dataclasses import dataclass

import numpy as np

from starling.genome.arrays import Int64
from starling.genome.measurements import Cells
from starling.genome.mechanism.base import BaseMechanism, ExactStudy
from starling.genome.plan import SnpCorr, SnpPval
from starling.genome.plan.queries import CountNoise
from starling.privacy.events import LatticeNoise
from starling.privacy.sampling.lattice import lattice_noise
from starling.privacy.sampling.noise import checked_add, discrete_laplace


@dataclass(frozen=True, slots=True)
class SnpPvalMechanism(BaseMechanism[SnpPval]):
    """The noisy table of one SNP: cases who carry and who do not, then controls; or by 0, 1, 2 copies; or with who lacks a call."""

    def draw(self, exact: ExactStudy, /) -> Cells:
        """The exact table of the SNP in, noisy counts out. Raises OverflowError as `checked_add` does."""
        index = np.array([self.plan.snps.index(self.query.snp)], dtype=np.int64)
        table, event = exact.tables(index)[0], self.query.event(self.plan.relation)
        if isinstance(event, LatticeNoise) or self.plan.unit == "person":
            return _noisy(table, event)
        cases, controls = table.reshape(2, -1)
        drawn = discrete_laplace(event.scale, cases.shape)
        return Cells((*checked_add(cases, drawn).tolist(), *checked_add(controls, -drawn).tolist()))


@dataclass(frozen=True, slots=True)
class SnpCorrMechanism(BaseMechanism[SnpCorr]):
    """The noisy table of a pair: people who carry both, the first alone, the second alone, neither."""

    def draw(self, exact: ExactStudy, /) -> Cells:
        """The exact table of the pair in, noisy counts out. Raises OverflowError as `checked_add` does."""
        pair = [self.plan.snps.index(self.query.first), self.plan.snps.index(self.query.second)]
        return _noisy(exact.pair_tables(np.array([pair], dtype=np.int64))[0], self.query.event)


def _noisy(counts: Int64, event: CountNoise) -> Cells:
    if isinstance(event, LatticeNoise):
        drawn = lattice_noise(event.rate, 1, columns=2 if counts.size == 4 else 3).reshape(-1)
    else:
        drawn = discrete_laplace(event.scale, counts.shape)
    return Cells(tuple(checked_add(counts, drawn).tolist()))
