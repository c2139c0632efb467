"""How strongly a SNP and the disease, or two SNPs, go together: the statistics of contingency tables and their p-values.

A 2x2 table is a row (a, b, c, d) of non-negative counts, two rows of cells after one another:

    a b     of a SNP: cases with and without the allele
    c d               controls with and without

and of two SNPs: with both, with the first alone; with the second alone, with neither. A 2x3 table is a row of six counts, cases and then
controls by number of alleles, 0, 1, 2. Every statistic is the same after swapping rows, columns or rows for columns.

Zero margins. A table with an empty row, or a 2x2 table with an empty column, says nothing: statistic 0, p = 1. An empty column of
a 2x3 table adds nothing to its statistic, and the distribution keeps its 2 degrees of freedom: which distribution is used is public.
The noisy tables of a release may hold any non-negative numbers, not only whole ones; these functions take both.
"""

from math import log
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.errors import ParameterError
from starling.genome.arrays import Flags, Float64, Int64
from starling.genome.statistics.tails import chi_squared_log_tail, fisher_log_p

Test: TypeAlias = Literal["g", "chi2", "fisher", "logistic"]
"""Of association. `logistic` is the likelihood-ratio test of logistic regression on one SNP, which on a 2x2 table equals G."""
PTest: TypeAlias = Literal["g", "chi2", "fisher", "logistic", "wald", "trend"]
"""A test whose p-value may be asked for; Wald's has no distance (starling.audit.wrong_distances says why)."""
Correlation: TypeAlias = Literal["r2", "dprime"]

Counts: TypeAlias = npt.NDArray[np.integer] | npt.NDArray[np.floating]

COLUMNS: Final = {4: 2, 6: 3}


def allele_tables(genotypes: Int64) -> Int64:
    """Alleles from 2x3 tables: copies of the allele and others, among cases and then controls; int64 (m, 4), two a person."""
    case_0, case_1, case_2, control_0, control_1, control_2 = genotypes.T
    columns = [case_1 + 2 * case_2, 2 * case_0 + case_1, control_1 + 2 * control_2, 2 * control_0 + control_1]
    return np.stack(columns, axis=1)


def g_statistic(tables: Counts) -> Float64:
    """2 sum of O ln(O/E) over the cells, 0 ln 0 = 0; float64 (m,), from tables of shape (m, 4) or (m, 6)."""
    cells, expected = _expected(tables)
    filled = cells > 0
    ratio = np.divide(cells, expected, out=np.ones_like(cells), where=filled)
    return np.asarray(np.maximum(2 * np.sum(cells * np.log(ratio), axis=(1, 2)), 0.0))


def chi_squared_statistic(tables: Counts) -> Float64:
    """Pearson's sum of (O - E)^2/E over the cells with E > 0; float64 (m,), from tables of shape (m, 4) or (m, 6)."""
    cells, expected = _expected(tables)
    off = cells - expected
    return np.asarray(np.sum(np.divide(off * off, expected, out=np.zeros_like(off), where=expected > 0), axis=(1, 2)))


def wald_statistic(tables: Counts) -> Float64:
    """Square of the log odds ratio over its variance 1/a + 1/b + 1/c + 1/d; float64 (m,), from tables of shape (m, 4).

    The Wald test of logistic regression on one SNP. With an empty cell 1/2 is added to all four (Haldane 1956); with a zero
    margin the statistic is 0.
    """
    cells = _cells(tables, 4)
    empty = (cells == 0).any(axis=(1, 2))
    mended = cells + np.where(empty, 0.5, 0.0)[:, np.newaxis, np.newaxis]
    (a, b), (c, d) = np.moveaxis(mended, 0, -1)
    statistic = np.log(a * d / (b * c)) ** 2 / (1 / a + 1 / b + 1 / c + 1 / d)
    return np.where(_no_margin(cells), 0.0, statistic)


def trend_statistic(tables: Counts) -> Float64:
    """The trend test of Cochran and Armitage: n times the squared correlation of being a case with the copies; float64 (m,).

    Of tables of shape (m, 6): n (n W - R X)^2/(R S (n Q - X^2)) with W the copies of the R cases, X those of all n people, S = n - R, and Q
    the sum of the squared copies; 0 where a row is empty or all people have the same number of copies. The score test of logistic
    regression on the number of copies.
    """
    cells = _cells(tables, 6)
    copies = np.arange(3.0)
    rows, columns = cells.sum(axis=2), cells.sum(axis=1)
    n = rows.sum(axis=1)
    delta = n * (cells[:, 0] @ copies) - rows[:, 0] * (columns @ copies)
    spread = n * (columns @ copies**2) - (columns @ copies) ** 2
    below = rows[:, 0] * rows[:, 1] * spread
    return np.asarray(np.divide(n * delta**2, below, out=np.zeros_like(below), where=below > 0))


def r_squared(tables: Counts) -> Float64:
    """Squared correlation of two columns of 0 and 1, Delta^2 over the product of the margins; float64 (m,) in [0, 1]."""
    (a, b), (c, d) = np.moveaxis(_cells(tables, 4), 0, -1)
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    return np.asarray(np.divide((a * d - b * c) ** 2, margins, out=np.zeros_like(margins), where=margins > 0))


def d_prime(tables: Counts) -> Float64:
    """|D'|, the share that Delta has of the most it could be with these margins (Lewontin 1964); float64 (m,) in [0, 1]."""
    (a, b), (c, d) = np.moveaxis(_cells(tables, 4), 0, -1)
    delta = a * d - b * c
    most = np.where(
        delta > 0, np.minimum((a + b) * (b + d), (a + c) * (c + d)), np.minimum((a + b) * (a + c), (b + d) * (c + d))
    )
    return np.asarray(np.divide(np.abs(delta), most, out=np.zeros_like(most), where=most > 0))


def correlation(tables: Counts, measure: Correlation) -> Float64:
    """`r_squared` or `d_prime`, by name. Raises ParameterError for any other name."""
    if measure not in ("r2", "dprime"):
        raise ParameterError("corr", "is no measure of correlation", 'give "r2" or "dprime"')
    return r_squared(tables) if measure == "r2" else d_prime(tables)


def log10_p_values(tables: Counts, test: PTest) -> Float64:
    """log10 of the p-value of each table: never -inf, where a p-value itself would have vanished.

    Args:
        tables: Shape (m, 4); for "g" and "chi2" also (m, 6), with 2 degrees of freedom; for "trend" (m, 6) alone, with 1. For
            "fisher" whole numbers.
        test: Which.

    Returns:
        float64 (m,), at most 0.

    Raises:
        ParameterError: for an unknown test, or tables that it does not take.
    """
    if test == "fisher":
        _cells(tables, 4)
        whole = np.asarray(tables)
        if whole.dtype.kind not in "iu":
            raise ParameterError("tables", "are not whole numbers", "round them: Fisher's test counts tables")
        return fisher_log_p(np.ascontiguousarray(whole, dtype=np.int64)) / log(10)
    if test == "wald":
        statistic = wald_statistic(tables)
    elif test in ("g", "logistic"):
        statistic = g_statistic(tables)
    elif test == "chi2":
        statistic = chi_squared_statistic(tables)
    elif test == "trend":
        statistic = trend_statistic(tables)
    else:
        raise ParameterError("test", "is no test", "give g, chi2, fisher, logistic, wald or trend")
    return chi_squared_log_tail(statistic, degrees(tables, test)) / log(10)


def p_values(tables: Counts, test: PTest) -> Float64:
    """The p-value of each table, float64 (m,); parameters and errors as for `log10_p_values`.

    >>> p_values(np.array([[30, 70, 15, 85]]), "chi2").round(6).tolist()
    [0.011085]
    """
    return np.asarray(10.0 ** log10_p_values(tables, test))


def degrees(tables: Counts, test: PTest) -> int:
    """Degrees of freedom: 1 of a 2x2 table and of the trend test, 2 of a 2x3 table by another test."""
    return 1 if test == "trend" else COLUMNS[np.asarray(tables).shape[1]] - 1


def _cells(tables: Counts, *sizes: int) -> Float64:
    """Tables as float64 (m, 2, columns)."""
    array = np.asarray(tables)
    if array.ndim != 2 or array.shape[1] not in sizes or array.dtype.kind not in "iuf":
        shapes = " or ".join(f"(m, {size})" for size in sizes)
        raise ParameterError("tables", f"are not numbers of shape {shapes}", "give one table a row")
    return array.astype(np.float64).reshape(len(array), 2, COLUMNS[array.shape[1]])


def _expected(tables: Counts) -> tuple[Float64, Float64]:
    """Cells, and what independence expects there: (m, 2, columns) each; alike where there is a zero margin."""
    cells = _cells(tables, 4, 6)
    rows, columns = cells.sum(axis=2, keepdims=True), cells.sum(axis=1, keepdims=True)
    whole = rows.sum(axis=1, keepdims=True)
    products = rows * columns
    expected = np.divide(products, whole, out=np.zeros_like(products), where=whole > 0)
    return cells, np.where(_no_margin(cells)[:, np.newaxis, np.newaxis], cells, expected)


def _no_margin(cells: Float64) -> Flags:
    """Whether a row is empty, or fewer than two columns are filled."""
    empty_row = (cells.sum(axis=2) == 0).any(axis=1)
    return np.asarray(empty_row | ((cells.sum(axis=1) > 0).sum(axis=1) < 2))
