"""Tables of pairs of SNPs from packed carrier bits, and their distances to a correlation, for all pairs of a region.

People who carry both are the ones of the two rows of bits together; with each SNP's carriers that is the whole table.
"""

from itertools import pairwise

import numpy as np

from starling.engine.machine import in_order
from starling.genome.arrays import Int16, Int64, UInt64
from starling.genome.distance.rules import Kernel, Rule, way
from starling.genome.distance.search import distance
from starling.genome.scores.blocks import FARTHEST
from starling.genome.scores.candidates import Candidates
from starling.genome.source.counting import ones
from starling.privacy.compiled import compiled

_PIECES = 64
"""Rows of pairs are shared out in so many pieces of about equal size."""


@compiled
def carriers(bits: UInt64) -> Int64:
    """How many carry each SNP, int64 (m,), from bits of shape (m, words)."""
    out = np.empty(bits.shape[0], dtype=np.int64)
    for snp in range(bits.shape[0]):
        row = bits[snp]
        count = np.uint64(0)
        for index in range(row.size):
            count += ones(row[index])
        out[snp] = np.int64(count)
    return out


def pair_tables(bits: UInt64, people: int, pairs: Int64) -> Int64:
    """int64 (pairs, 4): people with both SNPs, the first alone, the second alone, neither.

    From who carries each SNP, as `counting.carrier_bits` gives it, uint64 (m, words), and the positions of the SNPs, int64 (pairs, 2).
    """
    number = carriers(bits)
    both = carriers(bits[pairs[:, 0]] & bits[pairs[:, 1]])
    first, second = number[pairs[:, 0]], number[pairs[:, 1]]
    return np.stack([both, first - both, second - both, people - first - second + both], axis=1)


def pair_distances(bits: UInt64, people: int, rule: Rule, among: Candidates) -> Int16:
    """The signed distance of every pair of the candidates' rows to the correlation of `rule`, that of n people, limited to +-FARTHEST:
    int16, laid out as `among.offsets` says, and one place more, as `block_scores` takes it; pairs of a SNP with itself are 0.

    `bits` are as `pair_tables` takes them. Limiting a distance keeps it 1-Lipschitz. Two cores work on it, each at rows of its own.
    """
    out = np.zeros(int(among.offsets[-1]) + 1, dtype=np.int16)
    number = carriers(bits)
    targets = np.linspace(0, out.size - 1, _PIECES + 1)
    edges = np.unique(np.searchsorted(among.offsets, targets)).tolist()
    reachable = way(rule.kernel, people // 2, 0, 0, people - people // 2)[0]

    def fill(ends: tuple[int, int]) -> None:
        start, stop = ends[0], min(ends[1], len(bits))
        _fill(bits, number, people, rule.kernel, reachable, among.offsets, start, stop, out)

    for _ in in_order(fill, pairwise(edges)):
        pass
    return out


@compiled
def _fill(
    bits: UInt64,
    number: Int64,
    people: int,
    rule: Kernel,
    reachable: int,
    offsets: Int64,
    start: int,
    stop: int,
    out: Int16,
) -> None:
    """Fill in the distances of `pair_distances` for the rows of SNPs from `start` to before `stop`."""
    for k in range(start, stop):
        row = bits[k]
        for place in range(offsets[k] + 1, offsets[k + 1]):
            other = k + place - offsets[k]
            column = bits[other]
            count = np.uint64(0)
            for index in range(row.size):
                count += ones(row[index] & column[index])
            both = int(np.int64(count))
            first, second = int(number[k]) - both, int(number[other]) - both
            far = distance(rule, both, first, second, people - both - first - second, 0, reachable)
            out[place] = min(max(far, -FARTHEST), FARTHEST)
