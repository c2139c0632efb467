"""The runs of SNPs that an invented study is made of, however it is invented; and those of a study without linkage: fast, for scale.

Without linkage SNPs are drawn one by one. An allele of frequency k/2^b is drawn for 64 people at once from b random words: going through
the bits of k from the lowest, OR with a word where the bit is 1 and AND where it is 0 halves the distance to 1 or to 0, and leaves each
bit set with probability k/2^b exactly.

The words are those of NumPy's stream, bit for bit, but are made where they are used: filling an array with them first takes several times
as long.

Several populations. The frequencies of each drift from those of their ancestors by a variance of DRIFT f (1 - f). Controls are of all
populations alike; population k has k times as many of the cases as the first: a SNP whose frequencies differ seems to have an effect.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from starling.engine.machine import in_order
from starling.genome.arrays import Flags, Int64, UInt8, UInt64
from starling.privacy.compiled import compiled

AUTOSOMES = 22
_BASES = "ACGT"


@dataclass(frozen=True, slots=True)
class Design:
    """A study to invent, by a public seed; the first `cases` people are cases, and `causal` has odds ratios by number of SNP, from 1."""

    people: int
    cases: int
    snps: int
    seed: int
    causal: dict[int, float]
    populations: int = 1

    def members(self) -> Int64:
        """The population of each person, from 0, int64 (n,): cases and controls each in the order of the populations."""
        return members(self.people, self.cases, self.populations)


def members(people: int, cases: int, populations: int) -> Int64:
    """The population of each person, from 0, int64 (n,), of a study whose first `cases` people are cases."""
    weights = (np.arange(1, populations + 1), np.ones(populations))
    # A person is of the population in whose part of the whole her middle lies.
    middles = [np.arange(1, 2 * count, 2) / (2 * count) for count in (cases, people - cases)]
    pairs = zip(weights, middles, strict=True)
    parts = [np.searchsorted(np.cumsum(each) / each.sum(), middle) for each, middle in pairs]
    return np.concatenate(parts).astype(np.int64)


class Run(NamedTuple):
    """Some SNPs, one after another.

    Attributes:
        calls: As in a .bed, uint8 (c, ceil(n/4)).
        sites: Chromosome, position, A1 (carried) and A2 of each.
        frequencies: The frequency of A1 of each SNP in the population, or among the ancestors of several.
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


BITS: Final = 10
"""Frequencies are multiples of 1/1024."""
FINE: Final = 20
"""Those of causal SNPs in cases are rounded to multiples of 2^-20."""
LEAST, MOST = 52, 512
"""The steps of frequencies, in 1/1024."""
DRIFT: Final = 1 / 64
"""Of populations; Wright's F_ST."""
_RUN: Final = 1 << 21
"""Random words of a run, about; part of what the seed means, so not an option."""
_SPACING: Final = 2000
"""Base pairs between neighbours; a million SNPs then fit on 22 chromosomes of 91 million base pairs."""


def independent(design: Design, workers: int) -> Iterator[Run]:
    """All SNPs of a study without linkage, in order."""
    length = max(1, _RUN // (2 * BITS * words_of(design.people)))
    return in_order(partial(_run, design, length), range(0, design.snps, length), workers)


def _run(design: Design, length: int, start: int) -> Run:
    random = stream(design.seed, start // length)
    number = min(length, design.snps - start)
    frequencies = random.integers(LEAST, MOST, number, endpoint=True)
    # The autosomes have equal shares of the SNPs.
    share = -(-design.snps // AUTOSOMES)
    places = [(1 + snp // share, (1 + snp % share) * _SPACING) for snp in range(start, start + number)]
    sites = [(*place, *pair) for place, pair in zip(places, two_bases(random, number), strict=True)]
    ratios = {at - start - 1: ratio for at, ratio in design.causal.items()}
    if design.populations == 1:
        alleles = _alleles(random, frequencies, ratios, design)
    else:
        members = design.members()
        alleles = np.zeros((number, 2, words_of(design.people)), dtype=np.uint64)
        for population in range(design.populations):
            alleles |= _alleles(random, drifted(random, frequencies), ratios, design) & mask_of(members == population)
    return Run(bed_rows(alleles, design.people), sites, [value / (1 << BITS) for value in frequencies.tolist()])


def _alleles(random: np.random.Generator, frequencies: Int64, ratios: Mapping[int, float], design: Design) -> UInt64:
    alleles = np.empty((len(frequencies), 2, words_of(design.people)), dtype=np.uint64)
    draw_alleles(random, frequencies, BITS, alleles)
    enrich(random, frequencies, ratios, design.cases, alleles)
    return alleles


def drifted(random: np.random.Generator, frequencies: Int64) -> Int64:
    """Those of a population, from those of its ancestors."""
    shares = frequencies / (1 << BITS)
    own = shares + random.normal(size=len(shares)) * np.sqrt(DRIFT * shares * (1 - shares))
    return np.clip(np.rint(own * (1 << BITS)), LEAST // 2, (1 << BITS) - LEAST // 2).astype(np.int64)


def mask_of(members: Flags) -> UInt64:
    """Flags of people as bits, uint64 (words,)."""
    room = np.zeros(64 * words_of(len(members)), dtype=np.bool_)
    room[: len(members)] = members
    return np.packbits(room, bitorder="little").view("<u8").astype(np.uint64)


def enrich(
    random: np.random.Generator, frequencies: Int64, ratios: Mapping[int, float], cases: int, alleles: UInt64
) -> None:
    """Draw the alleles of cases, the first so many people, at causal SNPs anew, as much more frequent as an odds ratio says.

    `frequencies` are those of the alleles in the population, in steps of 1/2^BITS, int64 (c,), `ratios` the odds ratios by row, of which
    rows that are not there are passed over, and `alleles` says who has the allele on either chromosome, uint64 (c, 2, words).
    """
    mask = mask_of(np.arange(64 * alleles.shape[2]) < cases)
    for row in sorted(ratios.keys() & set(range(len(alleles)))):
        p, ratio = int(frequencies[row]) / (1 << BITS), ratios[row]
        fine = np.array([round((1 << FINE) * p * ratio / (1 - p + p * ratio))])
        of_cases = np.empty_like(alleles[:1])
        draw_alleles(random, fine, FINE, of_cases)
        alleles[row] = (of_cases[0] & mask) | (alleles[row] & ~mask)


def draw_alleles(random: np.random.Generator, numerators: Int64, bits: int, out: UInt64) -> None:
    """Fill alleles, uint64 (c, 2, words), each set with probability numerator/2^bits."""
    state = random.bit_generator.state
    words = np.array(state["state"]["state"], dtype=np.uint64)
    _combine(words, numerators, bits, out)
    state["state"]["state"] = words
    random.bit_generator.state = state


@compiled
def _combine(state: UInt64, numerators: Int64, bits: int, out: UInt64) -> None:
    """What `draw_alleles` draws; the words of SFC64 (Chris Doty-Humphrey, PractRand), whose four words of state go on from here."""
    a, b, c, counter = state[0], state[1], state[2], state[3]
    for snp in range(out.shape[0]):
        for side in range(2):
            row = out[snp, side]
            row[:] = np.uint64(0)
            for bit in range(bits):
                either = (numerators[snp] >> bit) & 1
                for index in range(row.size):
                    word = a + b + counter
                    counter += np.uint64(1)
                    a = b ^ (b >> np.uint64(11))
                    b = c + (c << np.uint64(3))
                    c = ((c << np.uint64(24)) | (c >> np.uint64(40))) + word
                    row[index] = (row[index] | word) if either else (row[index] & word)
    state[0], state[1], state[2], state[3] = a, b, c, counter
