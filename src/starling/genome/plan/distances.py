"""The signed distances to significance that a plan's model, test and threshold make of tables: public arithmetic on any counts."""

from fractions import Fraction
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from starling.genome.distance.adjusted import MOST_VARIANCE, score_threshold, table_distance
from starling.genome.distance.significance import (
    GenotypicTest,
    allelic_distance,
    distance_to_significance,
    genotypic_distance,
)
from starling.genome.distance.trend import trend_distance
from starling.genome.plan.model import Plan
from starling.genome.statistics.association import Test, allele_tables

Int64: TypeAlias = npt.NDArray[np.int64]


def signed_distances(plan: Plan, tables: Int64, test: str, variance: Fraction = MOST_VARIANCE) -> Int64:
    """Of each SNP, in patients, int64 (m,): at most 0 where its p-value is at or below alpha/m, from its table, int64 (m, 4), or (m, 6)
    under the genotypic, allelic and additive models and with missing calls apart, by one of the plan's tests that has a distance, which
    the query's `check` sees to.

    One replaced patient moves each by at most 1. Exact for 2x2 tables, lower bounds for the genotypic and allelic models (distance/). Of
    the score test it is what SNPs have that covariates do not explain, in phenotypes, at the variance of a phenotype that its threshold
    supposes.
    """
    if test == "score":
        codes = (0, 1, 2) if plan.model == "additive" else (1, 0)
        return table_distance(tables, codes, score_threshold(plan.p_threshold, variance))
    if test == "trend":
        return trend_distance(tables, plan.p_threshold)
    if plan.model == "genotypic":
        return genotypic_distance(tables, cast(GenotypicTest, test), plan.p_threshold)
    if plan.model == "allelic":
        return allelic_distance(allele_tables(tables), cast(Test, test), plan.p_threshold)
    return distance_to_significance(tables, cast(Test, test), plan.p_threshold)
