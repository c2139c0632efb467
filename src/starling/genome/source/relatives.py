"""People who are there twice, or near kin: for the custodian, because a guarantee for one person is a weaker one for a family.

KING's robust estimate of kinship between two people (Manichaikul et al. 2010, equation 11), over SNPs that both have a call of:

    (H - 2 O) / (2 h) + 1/2 - (h_1 + h_2) / (4 h)

H: both heterozygous; O: homozygous for different alleles; h_1, h_2: heterozygous calls of each; h the smaller. About 1/2 for the same
person or a twin, 1/4 for parent and child or siblings, 0 for strangers, whatever the frequencies of the alleles.

Strangers share stretches too. Of a few megabases that makes some of them look like siblings, so kin are told from LEAST_SPAN on; the same
person twice is the same everywhere.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np

from starling.genome.arrays import Float64, Int8, Int64

DUPLICATE: Final = 0.354
"""Estimates from here on are of one person, or twins: 2^(-3/2), as KING draws the line."""
FIRST_DEGREE: Final = 0.177
"""Estimates from here on are of parent and child or siblings: 2^(-5/2)."""
MOST_PEOPLE: Final = 10_000
"""All pairs of more are not compared: of more people only those are looked for who are there twice, as `duplicates` finds them."""
LEAST_SNPS: Final = 500
"""Fewer say too little about two people."""
LEAST_SPAN: Final = 100_000_000
"""Base pairs that the list spans, from the first to the last SNP of each chromosome, that tell siblings from strangers."""
MOST_SNPS: Final = 2048
"""Looked at, evenly spread over the list."""
MOST_CALLS: Final = 256 << 20
"""Looked at of more people, of fewer SNPs each."""
_FEWEST: Final = 128
"""SNPs, whatever the number of people."""
_BANDS: Final = 16
"""Sets of SNPs by each of which two people may be found alike: a wrong or missing call spoils one of them."""
_CHANCE: Final = 1 / 16
"""How many others a stranger is alike with in a band, about."""
_LIKES: Final = 8
"""People alike in a band with whom each is compared."""
_BLOCK: Final = 1024
"""People compared with all others at once."""


class Pair(NamedTuple):
    """Two people by their rows, and their kinship."""

    first: int
    second: int
    kinship: float


def spread(snps: int, people: int) -> Int64:
    """The SNPs that kinship is estimated from: places in the list, none if they are too few."""
    if snps < LEAST_SNPS:
        return np.empty(0, dtype=np.int64)
    most = min(snps, max(_FEWEST, min(MOST_SNPS, MOST_CALLS // people)))
    return np.unique(np.linspace(0, snps - 1, most).astype(np.int64))


def not_looked_for(snps: int, people: int, base_pairs: int) -> str:
    """Who was not looked for, as a phrase for people; empty where all were."""
    if snps < LEAST_SNPS:
        return f"nobody was compared: fewer than {LEAST_SNPS} SNPs do not tell who is there twice"
    if people > MOST_PEOPLE:
        return f"kin were not looked for among more than {MOST_PEOPLE:,} people, those who are there twice were"
    if base_pairs < LEAST_SPAN:
        return f"kin were not looked for on less than {LEAST_SPAN:,} base pairs, those who are there twice were"
    return ""


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
        estimate = _kinship(both, opposite, first, second)
        for row, other in np.argwhere(estimate >= least).tolist():
            if start + row < other:
                pairs.append(Pair(start + row, other, float(estimate[row, other])))
    return pairs


def duplicates(copies: Int8) -> list[Pair]:
    """Pairs of people whose estimate is DUPLICATE or more among those who are alike in a band of SNPs, in order, from what `kin` takes.

    With one call in a hundred wrong or missing, two of one person are alike in a band of 20 SNPs with a chance of .67, so that 16 bands
    overlook them with a chance of 2e-8.
    """
    people = copies.shape[1]
    shares = np.stack([(copies == number).mean(axis=1) for number in range(3)])
    alike = np.maximum((shares**2).sum(axis=0), 1e-3)
    order = np.argsort(alike, kind="stable").tolist()
    candidates: set[tuple[int, int]] = set()
    for _ in range(_BANDS):
        band: list[int] = []
        while order and people * float(np.prod(alike[band])) > _CHANCE:
            band.append(order.pop(0))
        if people * float(np.prod(alike[band])) > _CHANCE:
            break
        candidates |= _alike(copies[band])
    pairs = np.array(sorted(candidates), dtype=np.int64).reshape(-1, 2)
    duplicates_of: list[Pair] = []
    for start in range(0, len(pairs), _BLOCK):
        some = pairs[start : start + _BLOCK]
        estimates = _estimates(copies[:, some[:, 0]], copies[:, some[:, 1]])
        for (first, second), estimate in zip(some.tolist(), estimates.tolist(), strict=True):
            if estimate >= DUPLICATE:
                duplicates_of.append(Pair(first, second, estimate))
    return duplicates_of


def _alike(band: Int8) -> set[tuple[int, int]]:
    """Pairs who have the same calls of all SNPs of a band."""
    key = np.zeros(band.shape[1], dtype=np.uint64)
    for row in band:
        # Whoever has the same key by chance is told apart later.
        key = key * np.uint64(0x9E3779B97F4A7C15) + row.astype(np.uint64) + np.uint64(1)
    order = np.lexsort((np.arange(len(key)), key))
    pairs: set[tuple[int, int]] = set()
    for apart in range(1, _LIKES + 1):
        same = np.flatnonzero(key[order[apart:]] == key[order[:-apart]])
        pairs.update(zip(order[same].tolist(), order[same + apart].tolist(), strict=True))
    return pairs


def _estimates(first: Int8, second: Int8) -> Float64:
    """The estimate of each pair, from int8 (SNPs, pairs) of either."""
    called = (first >= 0) & (second >= 0)
    both = ((first == 1) & (second == 1)).sum(axis=0)
    opposite = (called & (np.abs(first - second) == 2)).sum(axis=0)
    estimate: Float64 = _kinship(both, opposite, *(((each == 1) & called).sum(axis=0) for each in (first, second)))
    return estimate


def _kinship(both: Any, opposite: Any, first: Any, second: Any) -> Any:
    """The estimate from H, O, h_1 and h_2, arrays of any kind of number; 0 where a person has no heterozygous call."""
    fewer = np.minimum(first, second)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = (both - 2 * opposite) / (2 * fewer) + 0.5 - (first + second) / (4 * fewer)
    return np.nan_to_num(estimate, nan=0, neginf=0)
