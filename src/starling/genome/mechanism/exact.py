"""What the mechanisms ask of the exact counts, and the signed distances that the plan's model makes of them."""

from typing import Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from starling.genome.distance import distance_to_significance
from starling.genome.distance.bounds import AdditiveTest, additive_distance, allelic_distance
from starling.genome.distance.rules import Rule
from starling.genome.plan import Plan
from starling.genome.scores.candidates import Candidates
from starling.genome.statistics import Test, allele_tables

Int16: TypeAlias = npt.NDArray[np.int16]
Int64: TypeAlias = npt.NDArray[np.int64]


class ExactStudy(Protocol):
    """Exact counts; counts/study.py gives them. Places are positions in the plan's SNP list, all different."""

    def tables(self, places: Int64 | None = None, /) -> Int64:
        """The table of each SNP, or of those at `places`: int64 (m, 4), or (m, 6) under the additive and allelic models."""
        ...

    def pair_tables(self, pairs: Int64, /) -> Int64:
        """People with both SNPs, the first alone, the second alone, neither: int64 (pairs, 4), of pairs int64 (pairs, 2)."""
        ...

    def blocks(self, places: Int64, rule: Rule, among: Candidates, /) -> tuple[Int16, Int64]:
        """Signed distances of pairs to the rule, as `block_scores` takes them, and how many carry each SNP.

        `among` numbers SNPs by their place in `places`.
        """
        ...


def signed_distances(plan: Plan, tables: Int64, test: str) -> Int64:
    """Of each SNP, in patients, int64 (m,): at most 0 where its p-value is at or below alpha/m.

    One replaced patient moves each by at most 1. Exact for 2x2 tables, lower bounds for the additive and allelic models (distance/).

    Args:
        plan: The model and the threshold.
        tables: As `ExactStudy.tables` gives them.
        test: One of the plan's that has a distance, which the query's `check` sees to.
    """
    if plan.model == "additive":
        return additive_distance(tables, cast(AdditiveTest, test), plan.p_threshold)
    if plan.model == "allelic":
        return allelic_distance(allele_tables(tables), cast(Test, test), plan.p_threshold)
    return distance_to_significance(tables, cast(Test, test), plan.p_threshold)
