"""Signed distances that are lower bounds: 2x3 tables (genotypic model) and allele counts. For these no exact distance is known here.

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
from starling.genome.distance.constants import entropies, quantile, threshold_p
from starling.genome.distance.rules import g_bounds, g_reaches, of_statistic
from starling.genome.distance.search import settled
from starling.genome.distance.significance import checked_tables, distance_to_significance, largest
from starling.genome.statistics.association import Test, chi_squared_statistic

Int64: TypeAlias = npt.NDArray[np.int64]
GenotypicTest: TypeAlias = Literal["g", "chi2"]

_SURE = 1e-10
"""Doubles decide about Pearson's statistic beyond this part of t. O - E is off by at most E 2^-51, and (O - E)^2 <= t E near t, so the
statistic is off by at most 12 sqrt(E/t) 2^-51 of t: 2e-11 for 2^24 patients, and t is above 2."""
_TERMS = 12
"""Entries of `Entropies` that make up G of a 2x3 table."""


def genotypic_distance(tables: npt.ArrayLike, test: GenotypicTest, p_threshold: float | Fraction | str) -> Int64:
    """A lower bound of the signed distance of each 2x3 table to a change of its significance, 2 degrees of freedom.

    Args:
        tables: Integers of shape (m, 6): cases with 0, 1, 2 alleles, then controls.
        test: "g" or "chi2".
        p_threshold: As for `distance_to_significance`.

    Returns:
        int64 (m,), in patients: D >= 1 not significant, D <= 0 significant; 1-Lipschitz.

    Raises:
        ParameterError: as `distance_to_significance` does.
    """
    counts = checked_tables(tables, 6)
    if test not in ("g", "chi2"):
        raise ParameterError(field="test", problem="is no test of a 2x3 table", fix="give g or chi2")
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

    Args:
        tables: Integers of shape (m, 4): alleles of one kind and of the other among cases, then among controls; two a patient.
        test: As for `distance_to_significance`.
        p_threshold: As for `distance_to_significance`.

    Returns:
        int64 (m,): D >= 1 not significant, D <= 0 significant; 1-Lipschitz under replacing one patient.

    Raises:
        ParameterError: as `distance_to_significance` does.
    """
    alleles = distance_to_significance(tables, test, p_threshold)
    return -(-alleles // 2)


def _against(counts: Int64, column: int) -> Int64:
    """One column against the others: (m, 4)."""
    cells = counts.reshape(-1, 2, 3)
    pairs: Int64 = np.stack([cells[:, :, column], cells.sum(axis=2) - cells[:, :, column]], axis=2).reshape(-1, 4)
    return pairs


def _significant(counts: Int64, test: GenotypicTest, t: Fraction) -> npt.NDArray[np.bool_]:
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
