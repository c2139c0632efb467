"""Scores of LocBlock: the longest valid correlation block, for every eligible block at once. Integers of sensitivity 1.

A block (k, l) is valid when f_k and f_l exceed delta_M; c_kl exceeds delta_c if k < l; and for every SNP i between them f_i is at most
delta_M, or both c_ki and c_il exceed delta_c. f is the share of carriers of n people, c the correlation. (Johnson and Shmatikov 2013,
Definition 1, with the frequency above delta_M at the ends.)

Privacy. Neighbours: replace one patient. It moves a SNP's number of carriers O by at most 1, and every pair's signed distance D to
the correlation delta_c by at most 1 (distance/). All below are constants, these, and minima, maxima of them: each moves by
at most 1. What is left is that the score is a distance with its sign:

    d1_k   = max(0, O_k - floor(delta_M n))              to f_k at most delta_M
    g_k    = max(0, floor(delta_M n) + 1 - O_k)          to f_k above it
    d2_kl  = max(g_k, g_l, gain_kl), d2_kk = g_k         to both ends above it and c_kl above delta_c
    d3_kl  = max(g_k, g_l, loss_kl), d3_kk = n + 1       to both above it and c_kl at most delta_c
    d4_kl  = max(d2_kl, max over i of min(d1_i, max(d2_ki, d2_il)))                   to a valid block
    d5_kl  = min(d1_k, d1_l, d3_kl, min over i of min(d3_ki, d3_il))                  to one that is not
    d6_kl  = max(d4_kl, largest d5 of longer eligible blocks)                         to the longest
    d7_kl  = min(d5_kl, smallest d4 of longer eligible blocks)                        to not the longest

(i strictly between k and l) are lower bounds of these distances. d4 = 0 exactly when the block is valid, and d5 = 0 exactly when it is
not. The score is d7 - 1 if the block is valid and no longer eligible one is; then d7 >= 1 and d6 = 0. Otherwise it is -d6; then d6 >= 1 and
d7 = 0. Where both neighbours are of one kind it moves as d7 or d6 does. Where they are not, d7 is 0 on one side, so at most 1 on the
other, and d6 is too: the scores are 0 and -1. "No block" is judged in the same way by the smallest d4 and the largest d5 of all eligible
blocks: smallest d4 - 1 if none is valid, else -(largest d5).

Inner maxima grow by one term a step, so each is carried along: A over i with c_ki, B over i with c_il,

    A[k,l] = max(A[k,l-1], min(d1[l-1], d2[k,l-1])),    B[k,l] = max(B[k+1,l], min(d1[k+1], d2[k+1,l]))

for l - k >= 2, else 0; and A5, B5 as minima of d3, else n + 1. Distances are limited to FARTHEST, which keeps their sensitivity, so that
two bytes hold one. Rows go from the last k to the first; d4 takes the place of the pairs' distances: four bytes a pair in all.
"""

from fractions import Fraction
from math import floor
from typing import Final

import numpy as np

from starling.genome.arrays import Int16, Int64
from starling.genome.scores.candidates import Candidates
from starling.privacy.compiled import compiled

FARTHEST: Final = 32_000
"""Distances beyond count as this."""
DELTA_M: Final = Fraction(225, 1000)
"""Least frequency of a block's ends (Johnson and Shmatikov 2013, Section 3)."""


def block_scores(pairs: Int16, carriers: Int64, people: int, among: Candidates, delta_m: Fraction = DELTA_M) -> Int16:
    """The score of every eligible block, and of "no block".

    Args:
        pairs: Signed distances of pairs to the correlation, laid out as `among.offsets` says, and one place more; used up.
        carriers: O, how many of the people carry each SNP, int64 (m,).
        people: n.
        among: The eligible blocks.
        delta_m: The frequency threshold, in [0, 1).

    Returns:
        int16 (among.count + 1,), sensitivity 1: eligible blocks, numbered as `Candidates.block` says, and last the answer that
        none of them is valid.
    """
    least = floor(delta_m * people)
    down = np.clip(carriers - least, 0, FARTHEST).astype(np.int16)
    up = np.clip(least + 1 - carriers, 0, FARTHEST).astype(np.int16)
    never = np.int16(min(people + 1, FARTHEST))
    to_invalid = np.empty_like(pairs)
    span = int(np.diff(among.offsets).max())
    smallest, largest = np.full(span + 2, FARTHEST, np.int16), np.full(span + 2, -FARTHEST, np.int16)
    to_valid = pairs
    for start, stop in among.regions:
        _distances(to_valid, to_invalid, up, down, never, among.offsets, among.first, (start, stop), smallest, largest)
    # From the distances of the blocks of one length to those of all longer ones.
    smallest = np.minimum.accumulate(smallest[::-1])[::-1]
    largest = np.maximum.accumulate(largest[::-1])[::-1]
    _finish(to_valid, to_invalid, among.offsets, among.first, smallest, largest)
    to_valid[among.count] = smallest[0] - 1 if smallest[0] > 0 else -largest[0]
    return to_valid[: among.count + 1]


@compiled
def _distances(
    pairs: Int16,
    to_invalid: Int16,
    up: Int16,
    down: Int16,
    never: np.int16,
    offsets: Int64,
    first: Int64,
    region: tuple[int, int],
    smallest: Int16,
    largest: Int16,
) -> None:
    """d4 in place of `pairs`, d5 into `to_invalid`; of eligible blocks of each length the smallest d4 and largest d5."""
    start, stop = region
    zero, one = np.int16(0), np.int16(1)
    below = np.zeros(stop - start, np.int16)  # The row of pairs of k + 1, by its other end.
    b4 = np.zeros(stop - start, np.int16)
    b5 = np.full(stop - start, never, np.int16)
    for k in range(stop - 1, start - 1, -1):
        base = offsets[k] - k
        end = k + offsets[k + 1] - offsets[k]
        a4, a5 = zero, never
        for other in range(k, end):
            at = other - start
            both = max(up[k], up[other])
            far = pairs[base + other]
            if other == k:
                d2, d3 = up[k], never
            else:
                d2, d3 = max(both, far), max(both, one - far)
            if other - k >= 2:
                # The SNP other - 1 came inside on this row, k + 1 on this column.
                inner = below[at]
                next_to = max(up[k + 1], up[other])
                b4[at] = max(b4[at], min(down[k + 1], max(next_to, inner)))
                b5[at] = min(b5[at], max(next_to, one - inner))
                d4 = max(d2, a4, b4[at])
                d5 = min(down[k], down[other], d3, a5, b5[at])
            else:
                d4, d5 = d2, min(down[k], down[other], d3)
            if other > k:
                # For other + 1: this pair's SNP is inside.
                a4 = max(a4, min(down[other], d2))
                a5 = min(a5, d3)
            below[at] = far
            pairs[base + other] = d4
            to_invalid[base + other] = d5
            if other >= first[k]:
                length = other - k + 1
                smallest[length] = min(smallest[length], d4)
                largest[length] = max(largest[length], d5)


@compiled
def _finish(to_valid: Int16, to_invalid: Int16, offsets: Int64, first: Int64, smallest: Int16, largest: Int16) -> None:
    """Scores of eligible blocks to the front of `to_valid`; the arrays by length hold for that length and all longer ones."""
    place = 0
    for k in range(first.size):
        base = offsets[k] - k
        for other in range(max(first[k], k), k + offsets[k + 1] - offsets[k]):
            longer = other - k + 2
            d4, d5 = to_valid[base + other], to_invalid[base + other]
            longest = d4 == 0 and smallest[longer] > 0
            to_valid[place] = min(d5, smallest[longer]) - 1 if longest else -max(d4, largest[longer])
            place += 1
