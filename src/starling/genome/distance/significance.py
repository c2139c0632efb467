"""How many patients must be replaced before the significance of a SNP changes: exact, for 2x2 tables.

Privacy. Neighbours: replace one patient, n fixed and public. That moves at most one unit of a SNP's table from one cell to another.
Let dist be the number of such moves to the nearest table of the other kind (significant with Delta > 0, with Delta < 0, or not). A
distance to a set changes by at most 1 with one move, and so does D: where both neighbours are of one kind, as a distance; where one
is significant and the other not, D is 1 on one side and 0 on the other; where a single move leads from one way of being significant
to the other, it is 0 on both sides. So D is 1-Lipschitz, whatever the threshold. Thresholds above 0.3 are refused for another
reason: only below is the loss always the distance to an insignificant table.

Source: Johnson and Shmatikov 2013, Section 6.1, d^p_i; the paper leaves the computation open.

The same holds of how many people must be replaced before the correlation of two SNPs, r^2 or |D'|, crosses its threshold: nothing above
depends on the statistic. These are the gain and the loss of LocBlock's distances d2 and d3 (Section 6.3).
"""

from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.genome.distance.constants import MOST_PATIENTS, threshold_p
from starling.genome.distance.rules import of_correlation, of_test
from starling.genome.distance.search import settled
from starling.genome.statistics.association import Correlation, Test
from starling.privacy.budget import Exact, exact

Int64: TypeAlias = npt.NDArray[np.int64]


def distance_to_significance(tables: npt.ArrayLike, test: Test, p_threshold: float | Fraction | str) -> Int64:
    """The signed distance of each 2x2 table to a change of its significance.

    Args:
        tables: Integers of shape (m, 4): (a, b, c, d) of each SNP, cases with and without the allele, controls with and
            without. Any arrangement of the table gives the same distance.
        test: "g", "chi2", "fisher" (twice the smaller tail, at most 1) or "logistic" (likelihood ratio, which here equals G).
        p_threshold: A SNP is significant when its p-value is at or below this; from 1e-250 to 0.3. A float stands for the
            decimal that it prints as.

    Returns:
        int64 (m,), in patients. D >= 1: not significant, and D replaced patients are the fewest that make it so (n + 1 where no
        table of n patients is significant). 1 - D <= 0: significant, and D replaced patients are the fewest that make it not so.

    Raises:
        ParameterError: for tables of another shape, with a negative count or more than 2^24 patients, for an unknown test, or a
            threshold outside its range.

    >>> distance_to_significance([[30, 70, 15, 85], [50, 50, 50, 50], [3, 0, 0, 3]], "g", 0.05)
    array([-2, 14,  0])
    """
    counts = checked_tables(tables, 4)
    rule = of_test(test, threshold_p(p_threshold), largest(counts))
    return settled(rule, counts)


def checked_tables(tables: npt.ArrayLike, cells: int) -> Int64:
    """Tables as contiguous int64 (m, cells).

    Raises:
        ParameterError: for tables or a threshold that `distance_to_significance` does not take.
    """
    array = np.asarray(tables)
    if array.ndim != 2 or array.shape[1] != cells or array.dtype.kind not in "iu":
        raise ParameterError(
            field="tables", problem=f"are not integers of shape (m, {cells})", fix="give one table a row, as counts"
        )
    counts = np.ascontiguousarray(array, dtype=np.int64)
    if counts.size and (counts.min() < 0 or counts.max() > MOST_PATIENTS or largest(counts) > MOST_PATIENTS):
        raise ParameterError(
            field="tables",
            problem=f"have a count below 0 or more than {MOST_PATIENTS} patients",
            fix="give counts of patients",
        )
    return counts


def largest(counts: Int64) -> int:
    """The most patients (or alleles) of any table; 0 without tables."""
    return int(counts.sum(axis=1).max(initial=0))


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
