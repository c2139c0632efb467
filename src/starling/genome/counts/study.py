"""The exact counts of a study as the mechanisms ask for them: read from the files when asked, after the charge.

Each question passes once over the files. How often that is, and of which SNPs, is a function of the plan, the query and the answers already
drawn. A chunk of packed calls is counted by the thread that read it, so a file larger than memory is no matter; what stays is one table a
SNP, or one bit a person for each SNP of the regions asked for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from starling.genome.arrays import Flags, Float64, Int16, Int64, UInt8, UInt64
from starling.genome.counts.moments import read_moments
from starling.genome.counts.pairs import carriers, pair_distances, pair_tables
from starling.genome.counts.phenotypes import read_distances, read_joint_scores
from starling.genome.counts.responses import stored_content
from starling.genome.counts.scan import read_scores
from starling.genome.distance.joint_scores import JointScores
from starling.genome.distance.rules import Rule
from starling.genome.measurements import SavedResponse, SnpScores
from starling.genome.plan import Model, Plan
from starling.genome.scores.candidates import Candidates
from starling.genome.source import Calls, Genotypes, read
from starling.genome.source.counting import (
    Allele,
    Carrying,
    by_allele,
    called_tables,
    carrier_bits,
    carrier_tables,
    genotype_tables,
    status_masks,
)
from starling.privacy.trust import Confidential

CARRYING: Final[dict[Model, Carrying]] = {
    "dominant": "dominant",
    "recessive": "recessive",
    "genotypic": "dominant",
    "allelic": "dominant",
}
"""Who carries a SNP, where it is asked whether people do: in pairs of SNPs and blocks."""
_Rows = TypeVar("_Rows", Int64, UInt64)


def read_tables(plan: Plan, genotypes: Genotypes, indices: Int64 | None) -> Int64:
    """The exact table of every SNP, or of those at `indices`, in this order and all different, int64: (m, 4) under the dominant and
    recessive models, cases who carry and who do not, then controls; (m, 6) under the genotypic and allelic ones, cases with 0, 1, 2 copies,
    then controls, and where the plan counts missing calls apart, cases who carry, who do not, who lack a call, then controls. For this room
    alone.

    Raises SourceError when a file is no longer what was checked; never because of what a call or a line says.
    """
    among, carrying = status_masks(genotypes.people.cases(plan.people)), CARRYING[plan.model]
    by_copies = plan.model not in ("dominant", "recessive")

    def count(bed: UInt8, allele: Allele) -> Int64:
        if plan.missing is not None:
            return called_tables(bed, among, carrying, allele)
        return genotype_tables(bed, among, allele) if by_copies else carrier_tables(bed, among, carrying, allele)

    cells = 6 if by_copies or plan.missing is not None else 4
    tables = np.zeros((len(plan.snps) if indices is None else len(indices), cells), dtype=np.int64)
    _collect(plan, genotypes, indices, count, tables)
    return tables


def read_carriers(plan: Plan, genotypes: Genotypes, indices: Int64) -> UInt64:
    """Who carries some SNPs, exactly, one bit a person: uint64 (len(indices), ceil(n/64)), as `pairs.pair_tables` takes them. For this room
    alone; arguments and errors are those of `read_tables`.
    """
    bits = np.zeros((len(indices), (plan.people + 63) // 64), dtype=np.uint64)
    carrying = CARRYING[plan.model]
    _collect(plan, genotypes, indices, lambda bed, allele: carrier_bits(bed, plan.people, carrying, allele), bits)
    return bits


def _collect(
    plan: Plan, genotypes: Genotypes, indices: Int64 | None, count: Callable[[UInt8, Allele], _Rows], out: _Rows
) -> None:
    """Write what is counted of each SNP to its row."""
    row_of = plan.snps.rows_of(indices)

    def work(calls: Calls) -> list[tuple[Int64, _Rows]]:
        return [(row_of[calls.snps[rows]], count(bed, allele)) for rows, bed, allele in by_allele(calls)]

    for parts in read(genotypes, plan, work, indices):
        for rows, some in parts:
            out[rows] = some


@dataclass(frozen=True, slots=True)
class StudyCounts:
    """A `mechanism.ExactStudy`. Made by `count_study` alone."""

    plan: Plan
    genotypes: Genotypes

    def tables(self, indices: Int64 | None = None, /) -> Int64:
        """The tables of all SNPs, or of some of them, as `ExactStudy` asks for them."""
        return read_tables(self.plan, self.genotypes, indices)

    def is_case(self) -> Flags:
        """Who is a case, as `ExactStudy` asks for it."""
        return self.genotypes.people.cases(self.plan.people)

    def levels(self) -> Int64:
        """The phenotypes, as `ExactStudy` asks for them."""
        return self.genotypes.people.levels(self.plan.people)

    def score_distances(self, indices: Int64 | None, threshold: int, /) -> Int64:
        """The signed distances by the score test, as `ExactStudy` asks for them."""
        return read_distances(self.plan, self.genotypes, indices, threshold)

    def joint_scores(self, indices: Int64, scale: int, /) -> JointScores:
        """The scores of some SNPs, as `ExactStudy` asks for them."""
        return read_joint_scores(self.plan, self.genotypes, indices, scale)

    def moments(self, indices: Int64, /) -> tuple[Int64, Int64]:
        """The sums of copies and of the phenotype, as `ExactStudy` asks for them."""
        return read_moments(self.plan, self.genotypes, indices)

    def score_tests(self, response: Float64, /) -> SnpScores:
        """The score tests of a response, as `ExactStudy` asks for them."""
        return read_scores(self.plan, self.genotypes, response)

    def stored(self, response: SavedResponse, /) -> bytes:
        """What is kept of a response, as `mechanism.scan.RespondingStudy` asks for it."""
        return stored_content(self.plan, self.genotypes.people, response)

    def pair_tables(self, pairs: Int64, /) -> Int64:
        """The tables of pairs of SNPs, as `ExactStudy` asks for them."""
        indices, rows = np.unique(pairs, return_inverse=True)
        bits = read_carriers(self.plan, self.genotypes, indices)
        return pair_tables(bits, self.plan.people, rows.reshape(pairs.shape))

    def blocks(self, indices: Int64, rule: Rule, among: Candidates, /) -> tuple[Int16, Int64]:
        """The distances of pairs and the carriers of each SNP, as `ExactStudy` asks for them."""
        bits = read_carriers(self.plan, self.genotypes, indices)
        return pair_distances(bits, self.plan.people, rule, among), carriers(bits)


def count_study(plan: Plan, genotypes: Genotypes) -> Confidential[StudyCounts]:
    """The computation of all that the mechanisms may ask of the checked, but unread, files; `read_tables` says what it raises."""
    return Confidential(lambda: StudyCounts(plan, genotypes))
