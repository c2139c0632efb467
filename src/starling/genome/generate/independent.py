"""SNPs drawn one by one, without linkage: fast, for scale.

An allele of frequency k/2^b is drawn for 64 people at once from b random words: going through the bits of k from the lowest, OR with
a word where the bit is 1 and AND where it is 0 halves the distance to 1 or to 0, and leaves each bit set with probability k/2^b exactly.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.engine.ahead import in_order
from starling.genome.generate.runs import AUTOSOMES, Design, Run, UInt64, bed_rows, stream, two_bases, words_of
from starling.privacy.compiled import compiled

Int64: TypeAlias = npt.NDArray[np.int64]

BITS: Final = 10
"""Frequencies are multiples of 1/1024."""
FINE: Final = 20
"""Those of causal SNPs in cases are rounded to multiples of 2^-20."""
LEAST, MOST = 52, 512
"""Of frequencies, in 1/1024."""
_RUN: Final = 1 << 21
"""Random words of a run, about; part of what the seed means, so not an option."""
_SPACING: Final = 2000
"""Base pairs between neighbours; a million SNPs then fit on 22 chromosomes of 91 million base pairs."""


def runs(design: Design, workers: int) -> Iterator[Run]:
    """All SNPs, in order."""
    length = max(1, _RUN // (2 * BITS * words_of(design.people)))
    starts = range(0, design.snps, length)
    return in_order(partial(_run, design, length), starts, workers)


def _run(design: Design, length: int, start: int) -> Run:
    random = stream(design.seed, start // length)
    number = min(length, design.snps - start)
    frequencies = random.integers(LEAST, MOST, number, endpoint=True)
    sites = [(*_place(design, start + row), *pair) for row, pair in enumerate(two_bases(random, number))]
    alleles = np.empty((number, 2, words_of(design.people)), dtype=np.uint64)
    _draw(_words(random, number, 2, BITS, alleles.shape[2]), frequencies, BITS, alleles)
    for row in range(number):
        ratio = design.causal.get(start + row + 1)
        if ratio is not None:
            p = int(frequencies[row]) / (1 << BITS)
            fine = np.array([round((1 << FINE) * p * ratio / (1 - p + p * ratio))])
            mine = np.empty((1, 2, alleles.shape[2]), dtype=np.uint64)
            _draw(_words(random, 1, 2, FINE, alleles.shape[2]), fine, FINE, mine)
            among_cases = _first(design.cases, alleles.shape[2])
            alleles[row] = (mine[0] & among_cases) | (alleles[row] & ~among_cases)
    return Run(bed_rows(alleles, design.people), sites, [value / (1 << BITS) for value in frequencies.tolist()])


def _place(design: Design, snp: int) -> tuple[int, int]:
    """Chromosome and position: the autosomes have equal shares of the SNPs."""
    each = -(-design.snps // AUTOSOMES)
    return 1 + snp // each, (1 + snp % each) * _SPACING


def _words(random: np.random.Generator, *shape: int) -> UInt64:
    return random.integers(0, 1 << 64, shape, dtype=np.uint64)


def _first(people: int, words: int) -> UInt64:
    """A mask of the first people."""
    bits = np.zeros(64 * words, dtype=np.uint8)
    bits[:people] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)


@compiled
def _draw(words: UInt64, numerators: Int64, bits: int, out: UInt64) -> None:
    """Alleles, uint64 (c, 2, words), from random words (c, 2, bits, words)."""
    for snp in range(out.shape[0]):
        for side in range(2):
            row = out[snp, side]
            row[:] = np.uint64(0)
            for bit in range(bits):
                if (numerators[snp] >> bit) & 1:
                    for index in range(row.size):
                        row[index] |= words[snp, side, bit, index]
                else:
                    for index in range(row.size):
                        row[index] &= words[snp, side, bit, index]
