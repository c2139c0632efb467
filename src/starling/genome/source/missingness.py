"""SNPs whose calls are missing more often in cases than in controls, or less often: for the custodian, as PLINK's --test-missing.

A missing call counts as none of the allele, so such a SNP looks as if it went with the disease. Fisher's exact test of each
SNP that lacks calls, and Bonferroni's correction for how many do.
"""

from typing import Final

import numpy as np

from starling.genome.arrays import Float64, Int64
from starling.genome.statistics.association import log10_p_values

ALPHA: Final = 0.05
"""The chance that any SNP is named where calls are missing alike in both."""


def different(missing_cases: Int64, missing: Int64, cases: int, people: int) -> tuple[Int64, Float64]:
    """The SNPs that differ, the surest first, and log10 of the p-value of each, from missing calls of cases and of all, int64 (m,)."""
    some = np.flatnonzero(missing)
    if not len(some):
        return some, np.empty(0)
    lacking = missing[some] - missing_cases[some]
    tables = np.stack([missing_cases[some], cases - missing_cases[some], lacking, people - cases - lacking], axis=1)
    p_values = log10_p_values(tables, "fisher")
    order = np.argsort(p_values, kind="stable")
    order = order[p_values[order] <= np.log10(ALPHA / len(some))]
    return some[order], p_values[order]
