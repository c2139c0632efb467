"""Which of many comparisons are told, in one pass over numbers that need not fit into memory.

Benjamini and Hochberg (1995): of N independent p-values tell the R smallest, R the largest number with the R-th smallest p at most
R q/N. No p-value above q is ever told, so only those up to q are kept: under no difference a share q of them.
"""

import numpy as np

from starling.tables.comparison.distributions import Float64


def told(p_values: Float64, tests: int, level: float) -> tuple[int, float]:
    """How many are told, and the largest p-value that is.

    Args:
        p_values: Those up to `level`, in any order.
        tests: N, all of them.
        level: q, in (0, 1).

    Returns:
        R, and R q/N: what is told has a p-value up to it. (0, 0.0) where nothing is.

    >>> told(np.array([0.001, 0.03, 0.04, 0.012]), 5, 0.05)
    (4, 0.04)
    """
    ordered = np.sort(p_values)
    kept = np.flatnonzero(ordered <= level * np.arange(1, len(ordered) + 1) / tests)
    if not len(kept):
        return 0, 0.0
    count = int(kept[-1]) + 1
    return count, level * count / tests
