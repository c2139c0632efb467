"""The exact counts of a study as the mechanisms ask for them: read from the files when asked, after the charge.

Each question passes once over the files. How often that is, and of which SNPs, is a function of the plan, the query and the answers already
drawn.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.genome.counts.counting import read_carriers, read_tables
from starling.genome.counts.pairs import carriers, pair_distances, pair_tables
from starling.genome.distance.rules import Rule
from starling.genome.plan import Plan
from starling.genome.scores.candidates import Candidates
from starling.genome.source import Genotypes
from starling.privacy.trust import Confidential

Int16: TypeAlias = npt.NDArray[np.int16]
Int64: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StudyCounts:
    """A `mechanism.ExactStudy`. Made by `count_study` alone.

    Attributes:
        plan: SNPs, model, people.
        genotypes: The checked files.
    """

    plan: Plan
    genotypes: Genotypes

    def tables(self, places: Int64 | None = None, /) -> Int64:
        """See `ExactStudy`."""
        return read_tables(self.plan, self.genotypes, places)

    def pair_tables(self, pairs: Int64, /) -> Int64:
        """See `ExactStudy`."""
        places, rows = np.unique(pairs, return_inverse=True)
        bits = read_carriers(self.plan, self.genotypes, places)
        return pair_tables(bits, self.plan.people, rows.reshape(pairs.shape))

    def blocks(self, places: Int64, rule: Rule, among: Candidates, /) -> tuple[Int16, Int64]:
        """See `ExactStudy`."""
        bits = read_carriers(self.plan, self.genotypes, places)
        return pair_distances(bits, self.plan.people, rule, among), carriers(bits)


def count_study(plan: Plan, genotypes: Genotypes) -> Confidential[StudyCounts]:
    """The recipe of all that the mechanisms may ask of the checked, but unread, files; see `count_tables` about errors."""
    return Confidential(lambda: StudyCounts(plan, genotypes))
