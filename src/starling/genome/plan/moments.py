"""Weighted moments of copies and of a quantitative phenotype, and how much one person can change them all.

A person's phenotype is a whole number t from -HALF to HALF, the ends of the plan's range, and her copies of a SNP's carried allele less
one are u = -1, 0 or 1. Centred: sums of x = 0, 1, 2 and of y from 0 to 1 would need almost three times the noise. With v = t/(2 HALF),
from -1/2 to 1/2, these are added up over all people, in units of 1/HALF^2 so that all are whole numbers:

    of each SNP              8 u v,    2 u,    2 u^2,    1 where a call or the phenotype is missing,
    once for all SNPs        8 v,      4 v^2,            2 where the phenotype is missing.

The weights are public, and the noise is the same on all sums: a slope needs the product u v most. Who has no call adds nothing else of
that SNP, and who has no phenotype nothing else at all.

Privacy. Neighbours: one person is replaced, with all genotypes and the phenotype; n is public. A person adds a row of whole numbers, so
that sums of neighbours differ by the difference of two rows. `sensitivity` is the largest L1 norm of such a difference, exactly. SNPs are
independent of each other given the phenotypes, so that each takes the worst of its pairs of calls, which are the same pairs for all: m
times that, and the shared part. It remains to look for the phenotypes t and t'. Let |t| >= |t'| and t >= 0, since both signs turned change
nothing. For t' fixed every term is convex in t where t >= |t'| (of t^2 the difference t^2 - t'^2 is), and along t' = t and t' = -t too:
the largest value is at t = HALF, with any t'; all are tried. Where one person has no phenotype, terms grow with |t|: t = HALF again. The
tests compare it with all pairs of rows.
"""

from functools import lru_cache
from typing import Final

import numpy as np

from starling.genome.arrays import Int64

HALF: Final = 1000
"""Steps from the middle of the plan's range to an end: 100 steps of a plan, and whatever divides 2,000, are whole numbers of them."""
CALLS: Final = (-1, 0, 1, None)
"""u of each call; None is a missing one."""


def snp_weights(half: int = HALF) -> Int64:
    """What sums over people of u t, u, u^2 and of missing ones are multiplied by: int64 (4,)."""
    return np.array([4 * half, 2 * half**2, 2 * half**2, half**2], dtype=np.int64)


def trait_weights(half: int = HALF) -> Int64:
    """The same of t, t^2 and of people without the phenotype: int64 (3,)."""
    return np.array([4 * half, 1, 2 * half**2], dtype=np.int64)


def centred(levels: Int64, steps: int, half: int = HALF) -> Int64:
    """t of phenotypes in steps from 0: to the nearest whole number.

    >>> centred(np.array([0, 1, 50, 100]), 100).tolist(), centred(np.array([0, 1, 2, 3]), 3).tolist()
    ([-1000, -980, 0, 1000], [-1000, -333, 333, 1000])
    """
    from_middle = (2 * np.asarray(levels, dtype=np.int64) - steps) * half
    return np.asarray(np.sign(from_middle) * ((2 * np.abs(from_middle) + steps) // (2 * steps)))


def of_snp(call: int | None, t: int | None) -> tuple[int, int, int, int]:
    """What a person adds to the sums of one SNP, before weights."""
    return (0, 0, 0, 1) if call is None or t is None else (call * t, call, call * call, 0)


def of_trait(t: int | None) -> tuple[int, int, int]:
    """What a person adds to the sums of the phenotype, before weights."""
    return (0, 0, 1) if t is None else (t, t * t, 0)


def sensitivity(snps: int, half: int = HALF) -> int:
    """The most that all weighted sums together change, in the L1 norm, when one person is replaced.

    >>> [sensitivity(snps) / HALF**2 for snps in (1, 2, 3, 10)]
    [17.0, 26.0, 36.0, 120.0]
    """
    return max(snps * each + shared for each, shared in _changes(half))


@lru_cache
def _changes(half: int) -> tuple[tuple[int, int], ...]:
    """What changes of one SNP at most, and of the phenotype, where one person is at the upper end: for each phenotype of the other."""
    phenotypes = (*range(-half, half + 1), None)
    others = [np.array([of_snp(call, t) for t in phenotypes]) for call in CALLS]
    rows, weights = [np.array(of_snp(call, half)) for call in CALLS], snp_weights(half)
    of_snps = np.max([np.abs(row - other) @ weights for row in rows for other in others], axis=0)
    of_all = np.abs(np.array([of_trait(t) for t in phenotypes]) - of_trait(half)) @ trait_weights(half)
    return tuple(zip(of_snps.tolist(), of_all.tolist(), strict=True))
