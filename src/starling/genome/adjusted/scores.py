"""Score tests of all SNPs of a chunk against one response, with covariates.

With x the column of a SNP and r the response, both with the basis projected out, u = x'r is the score, and v = sum x_i^2 r_i^2 its
variance, which holds whatever the variances of people's responses are (White 1980). Without association z = u / sqrt(v) is standard normal
in large samples, and u / x'x is the effect of one unit of x in units of the response.
"""

from typing import NamedTuple

import numpy as np

from starling.genome.adjusted.columns import Coding, Columns, residual_columns, tiles
from starling.genome.arrays import Float64, Int64
from starling.genome.source.calls import Calls


class Scores(NamedTuple):
    """Score tests of some SNPs.

    Attributes:
        snps: Their positions in the plan's list, int64 (c,).
        scores: u, float64 (c,), in units of the response.
        variances: v, float64 (c,); 0, with u and x'x, where the basis explains the SNP.
        squares: x'x, float64 (c,).
        means: Mean of the coded calls, float64 (c,).
        calls: People with a call, int64 (c,).
        frequencies: Share of the carried allele among the alleles of the calls, float64 (c,).
    """

    snps: Int64
    scores: Float64
    variances: Float64
    squares: Float64
    means: Float64
    calls: Int64
    frequencies: Float64


def score_tests(columns: Columns, response: Float64, basis: Float64) -> Scores:
    """The score tests of columns, made with `basis`, against a response, float64 (n,)."""
    rest = response - basis @ (basis.T @ response)
    values = columns.values
    squared = values * values
    return Scores(
        columns.snps,
        values @ rest,
        squared @ (rest * rest),
        squared.sum(axis=1),
        columns.means,
        columns.calls,
        columns.frequencies,
    )


def score_calls(calls: Calls, coding: Coding, response: Float64, basis: Float64) -> Scores:
    """The score tests of a chunk as it is read; arguments are those of `residual_columns` and `score_tests`."""
    parts = [score_tests(residual_columns(tile, coding, basis), response, basis) for tile in tiles(calls, len(basis))]
    return Scores(*(np.concatenate(column) for column in zip(*parts, strict=True)))
