"""A record of a VCF or BCF as far as it is looked at, whichever of the two it comes from."""

from typing import Final, NamedTuple, Protocol

from starling.genome.arrays import Int8
from starling.genome.plan.sites import chromosome

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


class Variant(NamedTuple):
    """A record.

    Attributes:
        position: Base pairs, from 1; 0 before the first.
        id: As the file writes it; empty if it has none.
        calls: None where the record has no genotypes.
    """

    chromosome: str
    position: int
    id: str
    alleles: tuple[str, ...]
    calls: GenotypeCalls | None

    @property
    def name(self) -> str:
        """The id, or CHROM:POS:REF:ALT."""
        if self.id:
            return self.id
        return ":".join((chromosome(self.chromosome), str(self.position), self.alleles[0], ",".join(self.alleles[1:])))

    def allele_index(self, carried: str) -> int:
        """Which of the alleles is carried, in capitals or not; a number that no call has if none is."""
        wanted = carried.upper()
        return next((at for at, allele in enumerate(self.alleles) if allele.upper() == wanted), NO_ALLELE)


NO_ALLELE: Final = 1 << 30
"""No call has it."""


def longest(people: int) -> int:
    """Bytes of the longest record that is read."""
    return LONGEST + LONGEST_CALL * people
