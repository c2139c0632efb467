"""The scores of some SNPs in whole numbers that a person changes by a public amount at most, all together.

With r_j the column of SNP j that covariates leave, x_j = r_j/|r_j|, and

    M = max over people i of sum over j of |x_ij|,      X_ij = SCALE x_ij/(L M), towards 0,

in whole numbers, S_j = sum of X_ij y_i with y_i a whole number from 0 to L.

Privacy. Neighbours: replace the phenotype of one person i; genotypes and covariates, and so X and M, are the same for both. The scores
differ by X_ij (y_i - y_i'), in the L1 norm by at most L sum over j of |X_ij| <= SCALE. Rounding towards 0 makes no sum larger, and SHRINK
covers the rounding of doubles: M, a sum of up to 1000 numbers, and each quotient are right within 2^-42. The tests check the sum of whole
numbers itself. |S_j| <= n SCALE, below 2^54 for 2^24 people.
"""

from typing import Final, NamedTuple

import numpy as np

from starling.genome.arrays import Float64, Int64

SHRINK: Final = 1 - 2.0**-40


class JointColumns(NamedTuple):
    """Columns of some SNPs in whole numbers.

    Attributes:
        values: X, int64 (k, n).
        largest: M.
        squares: |r_j|^2, float64 (k,); 0 where covariates explain the SNP.
    """

    values: Int64
    largest: float
    squares: Float64


class JointScores(NamedTuple):
    """Scores of some SNPs, exact.

    Attributes:
        scores: S, int64 (k,).
        largest: M.
        squares: |r_j|^2, float64 (k,); 0 where covariates explain the SNP.
        calls: People with a call, int64 (k,).
        frequencies: Share of the carried allele among the alleles of the calls, float64 (k,).
    """

    scores: Int64
    largest: float
    squares: Float64
    calls: Int64
    frequencies: Float64


def joint_columns(columns: Float64, scale: int, steps: int = 1) -> JointColumns:
    """X of residual columns, float64 (k, n), for phenotypes from 0 to `steps`. One row at a time, so that both are all that is held.

    >>> joint_columns(np.array([[1.0, -1.0, 0.0], [2.0, 0.0, -2.0]]), 100).values.tolist()
    [[49, -49, 0], [49, 0, -49]]
    """
    squares = np.einsum("ij,ij->i", columns, columns)
    norms = np.sqrt(np.where(squares > 0, squares, 1.0))
    sums = np.zeros(columns.shape[1])
    for row, norm in zip(columns, norms, strict=True):
        sums += np.abs(row / norm)
    largest = float(sums.max(initial=0.0)) or 1.0
    values = np.empty(columns.shape, dtype=np.int64)
    for out, row, norm in zip(values, columns, norms, strict=True):
        out[:] = np.trunc(row / norm * (scale * SHRINK / (steps * largest)))
    return JointColumns(values, largest, squares)
