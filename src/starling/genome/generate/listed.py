"""Invented calls of the SNPs of a public list: neighbours hang together, and a few SNPs are causal.

The list is cut into blocks of BLOCK SNPs, each on one chromosome. The SNPs of a block have one frequency. The alleles of its first are
drawn alone; each further one has the allele of the one before it, on each chromosome of each person, with chance INHERITED /
2^INHERITED_BITS, and a new one otherwise. So the correlation of two SNPs of a block is this chance to the power of their distance. A causal
SNP is the first of a block, and one that is named begins one; among cases its carried allele is as much more frequent as its odds ratio
says (the package's docstring), and its neighbours follow.

Several populations differ in the frequencies of their blocks and in prevalence, as those of runs.py do.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from starling.engine.machine import in_order
from starling.genome.arrays import Flags, Int64, UInt8
from starling.genome.generate.runs import (
    BITS,
    LEAST,
    MOST,
    bed_rows,
    draw_alleles,
    drifted,
    enrich,
    mask_of,
    members,
    stream,
    words_of,
)
from starling.genome.plan.snps import Snps

BLOCK: Final = 4
"""SNPs of a block."""
INHERITED_BITS: Final = 2
INHERITED: Final = 3
"""The allele of the SNP before is kept with chance INHERITED / 2^INHERITED_BITS."""
ODDS_RATIOS: Final = (6.0, 4.0, 2.5, 2.0)
"""Those of the causal SNPs."""
_RUN: Final = 1 << 18
"""Words of alleles of a run, about; part of what the seed means, so not an option."""
_CAUSAL, _CALLS = range(2)
"""Which random stream of the seed."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A study of listed SNPs, by a public seed; the first `cases` people are cases, of `populations` that differ. `named` has the odds
    ratios of causal SNPs by their places in the list; without any, some are chosen.
    """

    snps: Snps
    people: int
    cases: int
    seed: int
    populations: int = 1
    named: Mapping[int, float] = field(default_factory=dict)

    def starts(self) -> Flags:
        """Whether each SNP is the first of a block, bool (m,)."""
        starts: Flags = np.arange(len(self.snps)) % BLOCK == 0
        starts[[first for first, _ in self.snps.chromosome_ranges.values()]] = True
        starts[list(self.named)] = True
        return starts

    def causal(self) -> dict[int, float]:
        """The odds ratio of each causal SNP, by its place in the list, ascending."""
        if self.named:
            return dict(sorted(self.named.items()))
        firsts = np.flatnonzero(self.starts())
        random = stream(self.seed, _CAUSAL)
        ratios = ODDS_RATIOS[: len(firsts)]
        return dict(sorted(zip(random.choice(firsts, len(ratios), replace=False).tolist(), ratios, strict=True)))


def calls_of(design: Listed, workers: int) -> Iterator[UInt8]:
    """The calls of all SNPs in the order of the list, as in a .bed, uint8 (c, ceil(n/4)) for each run of c SNPs."""
    # A whole number of blocks, so that none is cut between runs.
    length = BLOCK * max(1, _RUN // (2 * BLOCK * words_of(design.people)))
    starts, causal = design.starts(), design.causal()

    def run(start: int) -> UInt8:
        return _run(stream(design.seed, _CALLS, start // length), design, starts[start : start + length], causal, start)

    return in_order(run, range(0, len(design.snps), length), workers)


def _run(random: np.random.Generator, design: Listed, starts: Flags, causal: Mapping[int, float], start: int) -> UInt8:
    """The calls of SNPs from `start` on, of which `starts` says where blocks begin."""
    block = np.cumsum(starts) - 1
    frequencies: Int64 = random.integers(LEAST, MOST, int(block[-1]) + 1, endpoint=True)
    ratios = {at - start: ratio for at, ratio in causal.items()}
    alleles = np.zeros((len(starts), 2, words_of(design.people)), dtype=np.uint64)
    of_people = members(design.people, design.cases, design.populations)
    for population in range(design.populations):
        own = np.empty_like(alleles)
        of_blocks = frequencies if design.populations == 1 else drifted(random, frequencies)
        draw_alleles(random, of_blocks[block], BITS, own)
        enrich(random, of_blocks[block], ratios, design.cases, own)
        alleles |= own & mask_of(of_people == population)
    # SNPs that are not the first of a block keep most alleles of the one before.
    inherited = np.empty_like(alleles)
    draw_alleles(random, np.full(len(alleles), INHERITED), INHERITED_BITS, inherited)
    since = np.arange(len(starts)) - np.maximum.accumulate(np.where(starts, np.arange(len(starts)), 0))
    for distance in range(1, BLOCK):
        rows = np.flatnonzero(since == distance)
        alleles[rows] = (alleles[rows - 1] & inherited[rows]) | (alleles[rows] & ~inherited[rows])
    return bed_rows(alleles, design.people)
