"""SNPs for principal components: common ones, well called, that say little of each other.

Without pruning, components follow long stretches of correlated SNPs and not the populations (Price et al. 2008). The rule is public, and it
reads genotypes alone. In the order of the file, a SNP is taken if both its alleles have a frequency of RARE or more, at most LACKING of
the people have no call, and its squared correlation with each SNP taken among the WINDOW before it is at most 1/LINKED. For the
correlation a missing call counts as no copy of A1, and of many people every k-th 64 are looked at.
"""

from typing import Final, NamedTuple

import numpy as np

from starling.genome.adjusted.sums import call_counts
from starling.genome.arrays import Flags, Int64, UInt64
from starling.genome.source.calls import Calls
from starling.genome.source.counting import carrier_bits, ones
from starling.privacy.compiled import compiled

RARE: Final = 0.01
LACKING: Final = 0.05
WINDOW: Final = 50
LINKED: Final = 5
"""Of a squared correlation, its reciprocal: .2, as in PLINK's manual."""
WORDS: Final = 128
"""64 people each, at most, whose copies are correlated."""


class Planes(NamedTuple):
    """What pruning looks at, of some SNPs and people.

    Attributes:
        usual: Whether a SNP is common and well called, bool (c,).
        copies: Who has at least one copy of A1, and who has two: uint64 (c, 2, words).
    """

    usual: Flags
    copies: UInt64


def planes(calls: Calls, people: int) -> Planes:
    """Of a chunk as it is read."""
    numbers = call_counts(calls, people)
    common = np.minimum(numbers.frequencies, 1 - numbers.frequencies) >= RARE
    usual = common & (numbers.counts[:, 3] <= LACKING * people)
    both = [carrier_bits(calls.packed, people, carrying, "a1") for carrying in ("dominant", "recessive")]
    return Planes(usual, np.stack([bits[:, :: _step(people)] for bits in both], axis=1))


def _step(people: int) -> int:
    return -(-people // (64 * WORDS))


class Pruning:
    """Chooses SNPs chunk by chunk, in the order of the file, for a study of so many people."""

    def __init__(self, people: int) -> None:
        words = range(0, -(-people // 64), _step(people))
        self._people = sum(min(64, people - 64 * word) for word in words)
        self._usual = np.zeros(WINDOW, dtype=np.bool_)
        self._copies = np.zeros((WINDOW, 2, len(words)), dtype=np.uint64)

    def take(self, chunk: Planes) -> Flags:
        """Which SNPs of the next chunk are taken, bool (c,)."""
        usual = np.concatenate((self._usual, chunk.usual))
        copies = np.concatenate((self._copies, chunk.copies))
        _strike_out(usual, copies, _moments(copies, self._people), self._people)
        self._usual, self._copies = usual[-WINDOW:], copies[-WINDOW:]
        return usual[WINDOW:]


def _moments(copies: UInt64, people: int) -> Int64:
    """Sum of copies, and people times the sum of squares less the square of the sum: int64 (c, 2)."""
    one, two = np.bitwise_count(copies).sum(axis=2, dtype=np.int64).T
    return np.stack([one + two, people * (one + 3 * two) - (one + two) ** 2], axis=1)


@compiled
def _strike_out(usual: Flags, copies: UInt64, moments: Int64, people: int) -> None:
    """Leave of `usual` what is not linked with one of the WINDOW before it that are left. Whole numbers: 2^59 at most."""
    for snp in range(WINDOW, usual.size):
        if not usual[snp]:
            continue
        for other in range(snp - 1, snp - WINDOW - 1, -1):
            if not usual[other]:
                continue
            both = np.uint64(0)
            for word in range(copies.shape[2]):
                a, b = copies[snp, 0, word], copies[snp, 1, word]
                c, d = copies[other, 0, word], copies[other, 1, word]
                both += ones(a & c) + ones(a & d) + ones(b & c) + ones(b & d)
            covariance = people * np.int64(both) - moments[snp, 0] * moments[other, 0]
            if LINKED * covariance * covariance > moments[snp, 1] * moments[other, 1]:
                usual[snp] = False
                break
