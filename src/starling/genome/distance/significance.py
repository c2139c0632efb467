"""How many patients must be replaced before the significance of a SNP changes: exact, for 2x2 tables; bounded, for others.

Privacy. Neighbours: replace one patient, n fixed and public. That moves at most one unit of a SNP's table from one cell to another.
Let dist be the number of such moves to the nearest table of the other kind (significant with Delta > 0, with Delta < 0, or not). A
distance to a set changes by at most 1 with one move, and so does D: where both neighbours are of one kind, as a distance; where one
is significant and the other not, D is 1 on one side and 0 on the other; where a single move leads from one way of being significant
to the other, it is 0 on both sides. So D is 1-Lipschitz, whatever the threshold. Thresholds above 0.3 are refused for another
reason: only below is the loss always the distance to an insignificant table.

Where missing calls are counted apart a table has six cells, and is significant by the four of people with a call. All of this holds of
the 30 moves between six cells too.

Source: Johnson and Shmatikov 2013, Section 6.1, d^p_i; the paper leaves the computation open.

The same holds of how many people must be replaced before the correlation of two SNPs, r^2 or |D'|, crosses its threshold: nothing above
depends on the statistic. These are the gain and the loss of LocBlock's distances d2 and d3 (Section 6.3).

Of 2x3 tables (genotypic model) and allele counts no exact distance is known here; theirs is a lower bound.
A score must be 1-Lipschitz, so that the guarantee holds, and have the right sign, so that the true answer scores best; it need
not be exact (Johnson and Shmatikov 2013, Section 5: "a lower bound on the distance that also has sensitivity of at most 1").

2x3. Column j against the two others is a 2x2 table, of which one replaced patient moves at most one unit; n_j patients are in
column j. Pearson: chi_23 = sum over j of (1 - n_j/n) chi_j, whose weights sum to 2, so chi_23 >= t needs a chi_j >= t/2. G: G_23 <=
sum of G_j, so G_23 >= t needs a G_j >= t/3. And merging columns raises neither statistic: chi_j <= chi_23, G_j <= G_23. Hence

    not significant:  D = max(1, min over j of gain_j(t/2), for G gain_j(t/3))
    significant:      D = 1 - max(1, max over j of loss_j(t))

with gain_j(u), loss_j(u) the distance of column j's table to a statistic at or above u, or below u; 0 where it is there already. Each is
1-Lipschitz, and so are minima and maxima of them. Where neighbours differ in significance both gain and loss are at most 1, so D is 1
and 0.

Alleles. A patient has two, so a replaced patient moves at most two units of the 2x2 table of alleles. With d the signed distance of
that table, which changes by at most 2 then, D = ceil(d/2).
"""

from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.genome.arrays import Flags, Int64
from starling.genome.distance.constants import MOST_PATIENTS, entropies, quantile, threshold_p
from starling.genome.distance.rules import g_bounds, g_reaches, of_correlation, of_statistic, of_test
from starling.genome.distance.search import settled
from starling.genome.statistics.association import Correlation, Test, chi_squared_statistic
from starling.privacy.budget import Exact, exact


def distance_to_significance(tables: npt.ArrayLike, test: Test, p_threshold: float | Fraction | str) -> Int64:
    """The signed distance of each 2x2 table to a change of its significance.

    Args:
        tables: Integers of shape (m, 4): (a, b, c, d) of each SNP, cases with and without the allele, controls with and
            without. Any arrangement of the table gives the same distance. Or of shape (m, 6), where cases and controls who lack a call
            are counted apart, each after those: a patient who is replaced may gain or lose one.
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
    if np.shape(tables)[1:] == (6,):
        a, b, cases, c, d, controls = checked_tables(tables, 6).T
        counts = np.column_stack([a, b, c, d, cases + controls])
    else:
        counts = checked_tables(tables, 4)
    return settled(of_test(test, threshold_p(p_threshold), largest(counts)), counts)


def checked_tables(tables: npt.ArrayLike, cells: int) -> Int64:
    """Tables as contiguous int64 (m, cells).

    Raises:
        ParameterError: for tables or a threshold that `distance_to_significance` does not take.
    """
    array = np.asarray(tables)
    if array.ndim != 2 or array.shape[1] != cells or array.dtype.kind not in "iu":
        raise ParameterError("tables", f"are not integers of shape (m, {cells})", "give one table a row, as counts")
    counts = np.ascontiguousarray(array, dtype=np.int64)
    if counts.size and (counts.min() < 0 or counts.max() > MOST_PATIENTS or largest(counts) > MOST_PATIENTS):
        problem, fix = f"have a count below 0 or more than {MOST_PATIENTS} patients", "give counts of patients"
        raise ParameterError("tables", problem, fix)
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


GenotypicTest: TypeAlias = Literal["g", "chi2"]

_SURE = 1e-10
"""Doubles decide about Pearson's statistic beyond this part of t. O - E is off by at most E 2^-51, and (O - E)^2 <= t E near t, so the
statistic is off by at most 12 sqrt(E/t) 2^-51 of t: 2e-11 for 2^24 patients, and t is above 2."""
_TERMS = 12
"""Entries of `Entropies` that make up G of a 2x3 table."""


def genotypic_distance(tables: npt.ArrayLike, test: GenotypicTest, p_threshold: float | Fraction | str) -> Int64:
    """A lower bound of the signed distance of each 2x3 table to a change of its significance, 2 degrees of freedom.

    Tables are integers of shape (m, 6), cases with 0, 1, 2 alleles, then controls; threshold and errors are as of
    `distance_to_significance`. Returns int64 (m,), in patients: D >= 1 not significant, D <= 0 significant; 1-Lipschitz.
    """
    counts = checked_tables(tables, 6)
    if test not in ("g", "chi2"):
        raise ParameterError("test", "is no test of a 2x3 table", "give g or chi2")
    t = Fraction(quantile(threshold_p(p_threshold), 2))
    n = largest(counts)
    gain_rule = of_statistic(test, t / (3 if test == "g" else 2), n)
    loss_rule = of_statistic(test, t, n)
    gains, losses = [], []
    for column in range(3):
        against = _against(counts, column)
        gains.append(np.maximum(settled(gain_rule, against), 0))
        losses.append(1 - np.minimum(settled(loss_rule, against), 1))
    gain, loss = np.maximum(1, np.minimum.reduce(gains)), np.maximum(1, np.maximum.reduce(losses))
    signed: Int64 = np.where(_significant(counts, test, t), 1 - loss, gain)
    return signed


def allelic_distance(tables: npt.ArrayLike, test: Test, p_threshold: float | Fraction | str) -> Int64:
    """A lower bound of the signed distance, in patients, of each 2x2 table of alleles.

    Tables are integers of shape (m, 4), alleles of one kind and of the other among cases, then among controls, two a patient; all else is
    as of `genotypic_distance`, 1-Lipschitz under replacing one patient, with the tests of `distance_to_significance`.
    """
    alleles = distance_to_significance(tables, test, p_threshold)
    return -(-alleles // 2)


def _against(counts: Int64, column: int) -> Int64:
    """One column against the others: (m, 4)."""
    cells = counts.reshape(-1, 2, 3)
    pairs: Int64 = np.stack([cells[:, :, column], cells.sum(axis=2) - cells[:, :, column]], axis=2).reshape(-1, 4)
    return pairs


def _significant(counts: Int64, test: GenotypicTest, t: Fraction) -> Flags:
    """Whether the statistic is at or above t: certified integers (G) or doubles decide where they can, else exact arithmetic."""
    if test == "g":
        low, high, x = g_bounds(t, entropies(largest(counts)), _TERMS)
        cells = counts.reshape(-1, 2, 3)
        rows, columns = cells.sum(axis=2), cells.sum(axis=1)
        total = x[counts].sum(axis=1) - x[rows].sum(axis=1) - x[columns].sum(axis=1) + x[counts.sum(axis=1)]
        sure, above = (total >= high) | (total <= low), total >= high
    else:
        ratio = chi_squared_statistic(counts) / float(t)
        sure, above = np.abs(ratio - 1) > _SURE, ratio > 1
    for index in np.flatnonzero(~sure).tolist():
        above[index] = _decide(counts[index].tolist(), test, t)
    return np.asarray(above)


def _decide(table: list[int], test: GenotypicTest, t: Fraction) -> bool:
    rows = (sum(table[:3]), sum(table[3:]))
    columns = tuple(table[j] + table[3 + j] for j in range(3))
    n = sum(table)
    # With an empty row, or a single column, there is nothing to compare: G and chi-squared are 0.
    if 0 in rows or n in columns:
        return False
    if test == "g":
        return g_reaches(t, (tuple(table), rows + columns, (n,)))
    pearson = sum(
        Fraction(table[3 * i + j] ** 2, rows[i] * columns[j]) for i in range(2) for j in range(3) if columns[j]
    )
    return n * (pearson - 1) >= t
