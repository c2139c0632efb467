"""SNPs whose calls are missing more often in cases than in controls, or less often: for the custodian, as PLINK's --test-missing.

A missing call counts as none of the allele, so such a SNP looks as if it went with the disease. Fisher's exact test of each
SNP that lacks calls, and Bonferroni's correction for how many do.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from starling.genome.source.calls import Int64, UInt8
from starling.genome.statistics import log10_p_values

ALPHA: Final = 0.05
"""The chance that any SNP is named where calls are missing alike in both."""


def member_mask(members: npt.NDArray[np.bool_]) -> UInt8:
    """People as packed calls have them: the low bit of each is set, uint8 (ceil(n/4),)."""
    room = np.zeros((-(-len(members) // 4), 4, 2), dtype=np.uint8)
    room.reshape(-1, 2)[: len(members), 0] = members
    return np.packbits(room.reshape(-1), bitorder="little")


def missing_among(calls: UInt8, mask: UInt8) -> Int64:
    """How many of the people of a mask lack a call of each SNP, int64 (c,)."""
    return np.asarray(np.bitwise_count(calls & ~(calls >> 1) & mask).sum(axis=1), dtype=np.int64)


def different(missing_cases: Int64, missing: Int64, cases: int, people: int) -> tuple[Int64, npt.NDArray[np.float64]]:
    """The SNPs that differ, the surest first, and log10 of the p-value of each.

    Args:
        missing_cases: Missing calls of cases, int64 (m,).
        missing: Missing calls of everybody, int64 (m,).
        cases: How many cases there are.
        people: n.
    """
    some = np.flatnonzero(missing)
    if not len(some):
        return some, np.empty(0)
    lacking = missing[some] - missing_cases[some]
    tables = np.stack([missing_cases[some], cases - missing_cases[some], lacking, people - cases - lacking], axis=1)
    p_values = log10_p_values(tables, "fisher")
    order = np.argsort(p_values, kind="stable")
    order = order[p_values[order] <= np.log10(ALPHA / len(some))]
    return some[order], p_values[order]
