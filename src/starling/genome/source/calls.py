"""Genotype calls as they come out of any file: chunks of packed rows, one row a SNP of the plan's list, in .bed coding.

Every SNP of the list comes exactly once, whatever the file says, so that what is computed from the calls has a public shape. Rules
that hold for every format: a call is missing when any of its alleles is; who has one copy only (a man's X) is written as having
two; alleles beside the two of the list are not the carried one; a SNP that the file does not have is carried by nobody.

Records of a VCF and of a BCF are one `Variant`, as far as they are looked at.
"""

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np

from starling.genome.arrays import Flags, Int8, Int64, UInt8
from starling.genome.plan.sites import chromosome
from starling.privacy.compiled import compiled

if TYPE_CHECKING:
    from starling.genome.source.dosages import RecordDosages

CHUNK: Final = 8 << 20
"""Bytes of packed calls in a chunk, or one SNP where that is more."""
MISSING: Final = -1
"""What stands in place of a number of copies where there is no call."""


class Calls(NamedTuple):
    """Some SNPs of the list.

    Attributes:
        snps: Their places in the plan's list, int64 (c,).
        packed: Two bits a person, as in a .bed: uint8 (c, ceil(n/4)), C-contiguous.
        second: Whether the carried allele is A2 of the coding, bool (c,).
    """

    snps: Int64
    packed: UInt8
    second: Flags


def chunk_length(people: int, chunk: int = CHUNK) -> int:
    """SNPs of a chunk of so many bytes."""
    return max(1, chunk // bytes_a_snp(people))


def bytes_a_snp(people: int) -> int:
    """How packed calls are coded."""
    return (people + 3) // 4


def packed(copies: Int8) -> UInt8:
    """Copies of A1 as a .bed has them: uint8 (c, ceil(n/4)) from int8 (c, n), each 0, 1, 2 or MISSING.

    >>> packed(np.array([[2, 1, 0, MISSING, 2]], dtype=np.int8)).tolist() == [[0b01_11_10_00, 0]]
    True
    """
    out = np.zeros((len(copies), bytes_a_snp(copies.shape[1])), dtype=np.uint8)
    _pack(copies, out)
    return out


@compiled
def _pack(copies: Int8, out: UInt8) -> None:
    for snp in range(copies.shape[0]):
        for person in range(copies.shape[1]):
            number = copies[snp, person]
            code = 0 if number == 2 else 2 if number == 1 else 3 if number == 0 else 1
            out[snp, person >> 2] |= np.uint8(code << (2 * (person & 3)))


def copies(calls: UInt8, people: int) -> Int8:
    """The reverse of `packed`: copies of A1, int8 (c, n), MISSING where there is no call."""
    spread = (calls[:, :, np.newaxis] >> np.array([0, 2, 4, 6], dtype=np.uint8)) & 3
    return np.asarray(_COPIES[spread.reshape(len(calls), 4 * calls.shape[1])[:, :people]])


_COPIES: Final = np.array([2, MISSING, 1, 0], dtype=np.int8)


LONGEST: Final = 1 << 28
"""Bytes of a record, beside those of its calls; a longer one is passed over, so that memory stays bounded."""
LONGEST_CALL: Final = 256
"""Bytes of a person's call by which a record may be longer."""


class GenotypeCalls(Protocol):
    """The calls of a record, not yet looked at."""

    @property
    def nbytes(self) -> int:
        """Bytes that they keep in memory."""
        ...

    def count(self, carried: int, out: Int8) -> int:
        """Write the copies of an allele of each person, 0, 1, 2 or MISSING, into int8 (n,); gives how many calls cannot be read."""
        ...

    def find_single(self, out: Flags) -> None:
        """Write who has one allele and no second, bool (n,)."""
        ...


class Variant(NamedTuple):
    """A record.

    Attributes:
        position: Base pairs, from 1; 0 before the first.
        id: As the file writes it; empty if it has none.
        calls: None where the record has no genotypes.
        dosages: None where it has neither dosages nor probabilities.
    """

    chromosome: str
    position: int
    id: str
    alleles: tuple[str, ...]
    calls: GenotypeCalls | None
    dosages: "RecordDosages | None" = None

    @property
    def name(self) -> str:
        """The id, or CHROM:POS:REF:ALT."""
        if self.id:
            return self.id
        return ":".join((chromosome(self.chromosome), str(self.position), self.alleles[0], ",".join(self.alleles[1:])))

    @property
    def place(self) -> tuple[str, int] | None:
        """Chromosome and position of a record without an id; None where it has one."""
        return None if self.id else (chromosome(self.chromosome), self.position)

    def allele_index(self, carried: str) -> int:
        """Which of the alleles is carried, in capitals or not; a number that no call has if none is."""
        wanted = carried.upper()
        return next((at for at, allele in enumerate(self.alleles) if allele.upper() == wanted), NO_ALLELE)


NO_ALLELE: Final = 1 << 30
"""No call has it."""


def longest(people: int) -> int:
    """Bytes of the longest record that is read."""
    return LONGEST + LONGEST_CALL * people
