"""The first noisy total of a group used once more: weighted with the sum of the second measurement, at no cost.

Stage 1 measures a group's total N as S = N + Z, to choose the group's detail. Stage 2 measures k cells; their sum is
Y = N + E, E the sum of k independent draws. Z and E are independent, so among all unbiased a S + (1 - a) Y the one with
a = Var E / (Var Z + Var E) has the least variance, Var Z Var E / (Var Z + Var E): 1 + Var E / Var Z times less than Y alone. For
Gaussian noise that factor is 1 + k gamma/(1 - gamma), 6.1 at gamma = 1/10 and 46 cells; for geometric noise about
1 + k gamma^2/(1 - gamma)^2, 1.57.

The estimate is T = Y + C, the correction C = round(a (S - Y)), halves away from 0. Rounding is an odd function and S - Y is
symmetric about 0, so C has mean 0 and T is unbiased, exactly, over all outcomes of the noise. Given the branch it is not, since the
branch was chosen by S: law.py says by how much.

Cells. Least squares of the k cells and S together moves every cell by (S - Y) a/k: so do we, in whole persons, such that the cells
still add up to the total. The first j cells together are moved by round(j C/k), so every run of cells, an age group or a
sex, is moved by its part of C to within one person, and each cell's own correction is odd in C: unbiased as well. A single
cell gains little (its variance falls by a/k of itself), a sex about half of what the total gains; what decides is that all published
numbers of a group are then sums of the same cells. plan/reused.py has the weight, and the exact law of each number.
"""

from fractions import Fraction

import numpy as np

from starling.tables.measurements import Int64


def corrections(stage1: Int64, sums: Int64, weight: Fraction) -> Int64:
    """C of each group: `weight` times (stage1 - sums), rounded, halves away from 0; all int64 (groups,).

    >>> corrections(np.array([10, -10, 3]), np.array([5, -5, 0]), Fraction(1, 2)).tolist()
    [3, -3, 2]
    """
    return rounded((stage1 - sums) * weight.numerator, weight.denominator)


def rounded(numerator: Int64, denominator: int) -> Int64:
    """numerator / denominator > 0 to the nearest integer, halves away from 0."""
    nearest: Int64 = np.sign(numerator) * ((2 * np.abs(numerator) + denominator) // (2 * denominator))
    return nearest


def spread(correction: Int64, cells: int) -> Int64:
    """Each group's correction over its cells, int64 (groups, cells): any run of cells gets its part to within one person.

    >>> spread(np.array([5, -5, 16]), 8).tolist()[:2]
    [[1, 0, 1, 1, 0, 1, 0, 1], [-1, 0, -1, -1, 0, -1, 0, -1]]
    """
    upto: Int64 = rounded(correction[:, np.newaxis] * np.arange(cells + 1), cells)
    parts: Int64 = upto[:, 1:] - upto[:, :-1]
    return parts
