"""What both ways of inventing a study share: its design, and the runs of SNPs that it is made of."""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled

UInt8: TypeAlias = npt.NDArray[np.uint8]
UInt64: TypeAlias = npt.NDArray[np.uint64]

AUTOSOMES = 22
_BASES = "ACGT"


@dataclass(frozen=True, slots=True)
class Design:
    """A study to invent.

    Attributes:
        people: n.
        cases: The first so many people.
        snps: m.
        seed: Public.
        causal: Odds ratio by number of SNP, from 1.
    """

    people: int
    cases: int
    snps: int
    seed: int
    causal: dict[int, float]


class Run(NamedTuple):
    """Some SNPs, one after another.

    Attributes:
        calls: As in a .bed, uint8 (c, ceil(n/4)).
        sites: Chromosome, position, A1 (carried) and A2 of each.
        frequencies: The frequency of A1 of each SNP in the population.
    """

    calls: UInt8
    sites: list[tuple[int, int, str, str]]
    frequencies: list[float]


def stream(seed: int, *which: int) -> np.random.Generator:
    """One of the independent random streams of a seed."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=which)))


def two_bases(random: np.random.Generator, number: int) -> list[tuple[str, str]]:
    """Pairs of different bases."""
    first = random.integers(0, 4, number)
    second = (first + random.integers(1, 4, number)) % 4
    return [(_BASES[one], _BASES[other]) for one, other in zip(first.tolist(), second.tolist(), strict=True)]


def words_of(people: int) -> int:
    """64-bit words of one bit a person."""
    return (people + 63) // 64


def bed_rows(alleles: UInt64, people: int) -> UInt8:
    """Calls as in a .bed from who has A1 on either chromosome: uint8 (c, ceil(n/4)) from uint64 (c, 2, words of n)."""
    out = np.empty((len(alleles), 2 * alleles.shape[2]), dtype=np.uint64)
    _interleave(alleles, people, out)
    return np.ascontiguousarray(out.astype("<u8", copy=False).view(np.uint8)[:, : (people + 3) // 4])


@compiled
def _spread(word: np.uint64) -> np.uint64:
    """32 bits to the even places of 64."""
    word &= np.uint64(0x00000000FFFFFFFF)
    word = (word | (word << np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    word = (word | (word << np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    word = (word | (word << np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = (word | (word << np.uint64(2))) & np.uint64(0x3333333333333333)
    return (word | (word << np.uint64(1))) & np.uint64(0x5555555555555555)


@compiled
def _interleave(alleles: UInt64, people: int, out: UInt64) -> None:
    """Two copies 00, one 10, none 11; 00 beyond the people."""
    for snp in range(alleles.shape[0]):
        for index in range(alleles.shape[2]):
            first, second = alleles[snp, 0, index], alleles[snp, 1, index]
            left = people - 64 * index
            here = ~np.uint64(0) if left >= 64 else (np.uint64(1) << np.uint64(left)) - np.uint64(1)
            high, low = ~(first & second) & here, ~(first | second) & here
            out[snp, 2 * index] = _spread(low) | (_spread(high) << np.uint64(1))
            shift = np.uint64(32)
            out[snp, 2 * index + 1] = _spread(low >> shift) | (_spread(high >> shift) << np.uint64(1))
