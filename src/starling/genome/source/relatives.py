"""People who are there twice, or near kin: for the custodian, because a guarantee for one person is a weaker one for a family.

KING's robust estimate of kinship between two people (Manichaikul et al. 2010, equation 11), over SNPs that both have a call of:

    (H - 2 O) / (2 h) + 1/2 - (h_1 + h_2) / (4 h)

H: both heterozygous; O: homozygous for different alleles; h_1, h_2: heterozygous calls of each; h the smaller. About 1/2 for the same
person or a twin, 1/4 for parent and child or siblings, 0 for strangers, whatever the frequencies of the alleles.

Strangers share stretches too. Of a few megabases that makes some of them look like siblings, so kin are told from LEAST_SPAN on; the same
person twice is the same everywhere.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Int8: TypeAlias = npt.NDArray[np.int8]
Int64: TypeAlias = npt.NDArray[np.int64]

DUPLICATE: Final = 0.354
"""Estimates from here on are of one person, or twins: 2^(-3/2), as KING draws the line."""
FIRST_DEGREE: Final = 0.177
"""Estimates from here on are of parent and child or siblings: 2^(-5/2)."""
MOST_PEOPLE: Final = 10_000
"""All pairs of more are not looked at."""
LEAST_SNPS: Final = 500
"""Fewer say too little about two people."""
LEAST_SPAN: Final = 100_000_000
"""Base pairs that the list spans, from the first to the last SNP of each chromosome, that tell siblings from strangers."""
MOST_SNPS: Final = 2048
"""Looked at, evenly spread over the list."""
_BLOCK: Final = 1024
"""People compared with all others at once."""


class Pair(NamedTuple):
    """Two people by their rows, and their kinship."""

    first: int
    second: int
    kinship: float


def spread(snps: int) -> Int64:
    """The SNPs that kinship is estimated from: places in the list, none if they are too few."""
    if snps < LEAST_SNPS:
        return np.empty(0, dtype=np.int64)
    return np.unique(np.linspace(0, snps - 1, min(snps, MOST_SNPS)).astype(np.int64))


def span(chromosomes: Iterable[Int64]) -> int:
    """Base pairs from the first to the last SNP of each chromosome, given the ascending positions on each."""
    return sum(int(positions[-1] - positions[0]) for positions in chromosomes)


def kin(copies: Int8, least: float = FIRST_DEGREE) -> list[Pair]:
    """Pairs of people whose estimate is `least` or more, in order.

    Args:
        copies: How many copies of one allele of each SNP people have, int8 (SNPs, n): 0, 1, 2, or below 0 where there is no call.
        least: FIRST_DEGREE, or DUPLICATE.
    """
    # Products of matrices of 0 and 1 count SNPs; float32 holds such counts exactly.
    none, one, two = (np.ascontiguousarray((copies == number).T, dtype=np.float32) for number in range(3))
    called = none + one + two
    pairs: list[Pair] = []
    for start in range(0, len(one), _BLOCK):
        rows = slice(start, start + _BLOCK)
        both = one[rows] @ one.T
        opposite = none[rows] @ two.T + two[rows] @ none.T
        first, second = one[rows] @ called.T, called[rows] @ one.T
        fewer = np.minimum(first, second)
        with np.errstate(divide="ignore", invalid="ignore"):
            estimate = (both - 2 * opposite) / (2 * fewer) + 0.5 - (first + second) / (4 * fewer)
        for row, other in np.argwhere(np.nan_to_num(estimate, nan=0, neginf=0) >= least).tolist():
            if start + row < other:
                pairs.append(Pair(start + row, other, float(estimate[row, other])))
    return pairs
