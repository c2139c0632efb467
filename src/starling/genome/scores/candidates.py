"""Which blocks loc_block chooses from: public, a function of the SNP list, the regions and the SNPs asked for.

A block (k, l), k <= l, is the run of SNPs from k to l. It is eligible when it lies within one region, is at most `longest` SNPs
long, and contains one of the SNPs asked for. Pairs of SNPs are laid out in one row for each k, one row after another: (k, k), (k, k + 1),
... to the end of k's region or `longest`; that is the upper triangle of a matrix, or a band of it.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from starling.errors import ParameterError
from starling.genome.arrays import Int64

MOST_SNPS: Final = 10_000
"""SNPs of regions without a longest block, at most: 50 million pairs, 200 MB."""
_MOST_PAIRS: Final = MOST_SNPS * (MOST_SNPS + 1) // 2


@dataclass(frozen=True, eq=False)
class Candidates:
    """The blocks that an answer may name.

    Attributes:
        regions: Half-open ranges (start, stop) of SNPs, ascending and apart; each within one chromosome, which the plan sees to.
        snps: Positions of the SNPs asked for.
        longest: Most SNPs of a block; None for no bound.
        offsets: Where each SNP's row of pairs begins, int64 (snps of the list + 1,); SNPs outside the regions have empty rows.
        first: The first l, for each SNP k, that makes (k, l) eligible, int64; beyond the row where none does.
        before: How many eligible blocks begin before each SNP, int64 (snps of the list + 1,).
    """

    regions: tuple[tuple[int, int], ...]
    snps: tuple[int, ...]
    longest: int | None
    offsets: Int64 = field(repr=False)
    first: Int64 = field(repr=False)
    before: Int64 = field(repr=False)

    @property
    def count(self) -> int:
        """Eligible blocks."""
        return int(self.before[-1])

    def block(self, index: int) -> tuple[int, int]:
        """The eligible block of that number, (k, l) with both ends within."""
        k = bisect_right(self.before, index) - 1
        return k, int(max(k, self.first[k])) + index - int(self.before[k])


def candidates(
    size: int, regions: Sequence[tuple[int, int]], snps: Sequence[int], longest: int | None = None
) -> Candidates:
    """The blocks within `regions` that contain one of `snps`.

    Args:
        size: SNPs of the whole list.
        regions: Half-open ranges of positions in it, ascending, apart, none empty.
        snps: Positions of the SNPs asked for.
        longest: Most SNPs of a block, at least 1. Required where the regions hold more pairs than those of 10,000 SNPs in a row.

    Raises:
        ParameterError: for ranges or positions that are none, or when no block is eligible.

    >>> candidates(6, [(0, 3), (3, 6)], [1]).count, candidates(6, [(0, 3), (3, 6)], [1], longest=2).count
    (4, 3)
    """
    edges = [edge for region in regions for edge in region]
    touching = any(start >= stop for start, stop in regions) or any(a > b for a, b in pairwise(edges))
    if not regions or edges[0] < 0 or edges[-1] > size or touching:
        problem, fix = "are not ascending ranges of the SNP list that lie apart", "sort and merge them"
        raise ParameterError("regions", problem, fix)
    if any(not 0 <= snp < size for snp in snps):
        raise ParameterError("snps", "are not all in the SNP list", "give positions in the list")
    if longest is not None and longest < 1:
        raise ParameterError("longest", "is below 1", "give the most SNPs of a block")
    if longest is None and sum((stop - start) * (stop - start + 1) // 2 for start, stop in regions) > _MOST_PAIRS:
        problem, fix = f"is not given for regions of more than {MOST_SNPS} SNPs", "say how long a block may be"
        raise ParameterError("longest", problem, fix)
    reach = np.zeros(size, dtype=np.int64)
    for start, stop in regions:
        reach[start:stop] = np.minimum(stop - np.arange(start, stop), stop if longest is None else longest)
    boundaries = np.unique(np.array([*snps, size], dtype=np.int64))
    first = boundaries[np.searchsorted(boundaries, np.arange(size))]
    eligible = np.maximum(0, np.arange(size) + reach - first)
    if not eligible.any():
        problem, fix = "leave no block to choose: none of them lies in a region", "give SNPs of the regions"
        raise ParameterError("snps", problem, fix)
    return Candidates(tuple(regions), tuple(snps), longest, _sums(reach), first, _sums(eligible))


def _sums(lengths: Int64) -> Int64:
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
