"""Scores of NumSig and LocSig: how many SNPs are significant, and which are nearest to it. Integers of sensitivity 1.

Privacy. Neighbours: replace one patient. It moves every SNP's signed distance by at most 1 (distance/significance.py), all at once,
and so every order statistic of them: the i-th smallest of numbers that each move by at most 1 moves by at most 1. Scores here are
differences to constants and minima of those.

Source: Johnson and Shmatikov 2013, Sections 6.1 and 6.2, q_1 and q_2.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.genome.arrays import Int64

_NEVER: Final = 1 << 40
"""Stands for infinity: far beyond every distance, and no score is it, because an output has an end on at least one side."""


def num_sig_outputs(k: int, snps: int) -> tuple[int, ...]:
    """What num_sig may answer: 0, 1, ..., k, then the powers of two above k, none above the number of SNPs.

    An output stands for itself and all numbers below the next one, the last for all up to `snps`.

    Raises:
        ParameterError: for k below 0 or above `snps`, or no SNPs.

    >>> num_sig_outputs(2, 20), num_sig_outputs(0, 3)
    ((0, 1, 2, 4, 8, 16), (0, 1, 2))
    """
    if snps < 1:
        raise ParameterError("snps", "are none", "give at least one SNP")
    if not 0 <= k <= snps:
        raise ParameterError("k", "is not between 0 and the number of SNPs", "give a smaller one")
    powers = (1 << power for power in range(k.bit_length(), snps.bit_length()))
    return (*range(k + 1), *(output for output in powers if k < output <= snps))


def num_sig_scores(distances: Int64, outputs: tuple[int, ...]) -> Int64:
    """The score of each output that `num_sig_outputs` gives, int64, sensitivity 1: 0 or more for the true one, -1 or less for every other;
    from the signed distance of every SNP, int64 (m,), confidential.

    With d[1] <= ... <= d[m] the signed distances in order, output i covers `outputs[i]` up to `outputs[i + 1]` - 1 significant SNPs: as
    many are significant when d[outputs[i]] <= 0 < d[outputs[i + 1]], so its score is min(-d[outputs[i]], d[outputs[i + 1]] - 1), d[0] =
    -infinity, d[m + 1] = infinity.

    >>> num_sig_scores(np.array([5, -3, 9]), (0, 1, 2))
    array([-4,  3, -5])
    """
    ordered = np.sort(distances)
    return scores_between([int(ordered[output - 1]) for output in outputs[1:]])


def scores_between(edges: Sequence[int]) -> Int64:
    """The score of each output from d[output] of all but the first, which is 0: `num_sig_scores`, of what it reads alone."""
    return np.array([min(-low, high - 1) for low, high in pairwise((-_NEVER, *edges, _NEVER))], dtype=np.int64)


def loc_sig_scores(distances: Int64) -> Int64:
    """Minus the signed distance: the more patients it takes to make a SNP insignificant, the better; sensitivity 1, int64 (m,)."""
    return -distances
