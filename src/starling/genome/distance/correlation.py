"""How many people must be replaced before the correlation of two SNPs crosses its threshold: exact, for r^2 and |D'|.

The gain and the loss of LocBlock's distances d2 and d3 (Johnson and Shmatikov 2013, Section 6.3). That the signed distance is
1-Lipschitz is argued in significance.py; nothing there depends on the statistic.
"""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.genome.distance.rules import of_correlation
from starling.genome.distance.search import settled
from starling.genome.distance.significance import checked_tables, largest
from starling.genome.statistics.association import Correlation
from starling.privacy.budget import Exact, exact

Int64: TypeAlias = npt.NDArray[np.int64]


def distance_to_correlation(tables: npt.ArrayLike, measure: Correlation, delta_c: Exact) -> Int64:
    """The signed distance of each pair of SNPs to a correlation above `delta_c`, or no longer above.

    Args:
        tables: Integers of shape (m, 4): people with both, the first alone, the second alone, neither.
        measure: "r2" or "dprime" (its absolute value).
        delta_c: The threshold, exact, of at most 2^16 parts; r^2 with n delta_c of at least 1, D' with at least 1/2.

    Returns:
        int64 (m,), in people. D >= 1: the correlation is at or below delta_c, and D is the gain (n + 1 where no table of n people
        is above). D <= 0: it is above, and 1 - D is the loss.

    Raises:
        ParameterError: for tables, measure or delta_c.

    >>> distance_to_correlation([[30, 20, 10, 40], [25, 25, 25, 25]], "r2", "0.05")
    array([-7, 11])
    """
    counts = checked_tables(tables, 4)
    fewest = int(counts.sum(axis=1).min(initial=1 << 24))
    return settled(of_correlation(measure, exact(delta_c, field="delta_c"), min(fewest, largest(counts))), counts)
