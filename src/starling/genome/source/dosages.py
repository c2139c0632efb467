"""Dosages as they come out of any file: the expected copies of the carried allele, on one grid.

A dosage is a whole number of steps, 16384 to a copy, as PLINK 2 keeps it; what is finer in a VCF or a BGEN is rounded to it, so that the
same dosages give the same numbers from whichever file, and sums of them are exact.

Every SNP of the list comes exactly once, whatever the file says. A number that is none, or not from 0 to 2, is missing; who has one copy
only (a man's X) counts as having two, as in calls; a SNP that the file does not have is carried by nobody.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from starling.genome.arrays import Flags, Float32, Float64, Int64, UInt16
from starling.genome.source.calls import MISSING, NO_ALLELE, Calls, GenotypeCalls, packed

STEP: Final = 1 << 14
"""Steps of a copy."""
MOST: Final = 2 * STEP
NO_DOSAGE: Final = 65_535
"""What stands in place of a dosage where there is none."""
NEAR: Final = 1638
"""Steps that a call may be off: as PLINK calls what is within .1 of a whole number of copies."""
CHUNK: Final = 16 << 20
"""Bytes of the dosages of a chunk, or one SNP where that is more."""
DOT, NO_MORE, WRONG = -1.0, -2.0, -3.0
"""What stands in place of a number that a file leaves out, that it does not have, and that cannot be read."""
MOST_ALLELES: Final = 8
"""Of a record whose dosages are read; where there are more, its calls count."""
_UNUSUAL: Final = 0.1
"""How far the probabilities of a person may be from 1 in all: they are rounded where they are written."""


class Dosages(NamedTuple):
    """Some SNPs of the list.

    Attributes:
        snps: Their places in the plan's list, int64 (c,).
        steps: Of the carried allele, 0 to 2 x STEP, or NO_DOSAGE: uint16 (c, n), C-contiguous.
    """

    snps: Int64
    steps: UInt16


def dosage_length(people: int) -> int:
    """SNPs of a chunk."""
    return max(1, CHUNK // (2 * people))


def nearest_calls(dosages: Dosages) -> Calls:
    """The calls that dosages are near to, of the carried allele; missing where they are near to none.

    >>> from starling.genome.source.calls import copies
    >>> some = Dosages(np.array([0]), np.array([[0, 1638, 1639, 16384, 30000, 32768, 65535]], dtype=np.uint16))
    >>> copies(nearest_calls(some).packed, 7).tolist()
    [[0, 0, -1, 1, -1, 2, -1]]
    """
    steps = dosages.steps.astype(np.int32)
    copies = (steps + STEP // 2) // STEP
    near = (np.abs(steps - copies * STEP) <= NEAR) & (steps <= MOST)
    calls = np.where(near, copies, MISSING).astype(np.int8)
    return Calls(dosages.snps, packed(calls), np.zeros(len(steps), dtype=np.bool_))


def width(alleles: int, *, likely: bool) -> int:
    """How many numbers a record of so many alleles has of a person, at most and at least one."""
    return alleles * (alleles + 1) // 2 if likely else max(1, alleles - 1)


@dataclass(frozen=True, slots=True)
class RecordDosages:
    """The dosages or probabilities of a record, not yet looked at.

    Attributes:
        read: Gives what the record says of n people, up to so many numbers of each and no fewer than tell whether there are more, float32
            (n, k), DOT, NO_MORE or WRONG included: DS, of each allele but the first, or GP, the probabilities of genotypes in the order of
            VCF, or of alleles where a person has one copy.
        alleles: How many the record has, REF included.
        likely: Whether these are probabilities.
        calls: They stand in where all that the record says of a person is DOT, and DS of who has one copy by them is doubled.
    """

    read: Callable[[int, int], Float32]
    alleles: int
    likely: bool
    calls: GenotypeCalls | None

    def count(self, carried: int, out: UInt16) -> int:
        """Write the dosage of an allele, 0 for REF or NO_ALLELE, of each person as `Dosages` has it, uint16 (n,); gives how many cannot be
        read.
        """
        copies, single = np.full(len(out), MISSING, dtype=np.int8), np.zeros(len(out), dtype=np.bool_)
        if self.calls is not None:
            self.calls.count(carried, copies)
            self.calls.find_single(single)
        most = width(self.alleles, likely=self.likely)
        numbers = self.read(len(out), most)
        numbers = np.pad(numbers, ((0, 0), (0, max(0, most - numbers.shape[1]))), constant_values=NO_MORE)
        known = (numbers != NO_MORE).sum(axis=1)
        missing = (numbers == DOT).sum(axis=1)
        values = np.where(numbers >= 0, numbers, 0.0).astype(np.float64)
        total = values.sum(axis=1)
        if self.likely:
            own, wrong = _expected(values, known, total, self.alleles, carried)
        else:
            ones = np.where(single, 2.0, 1.0)
            total *= ones
            own = values[:, carried - 1] * ones if 0 < carried < self.alleles else 2 - total
            wrong = (known != self.alleles - 1) | (total * STEP >= MOST + 0.5)
        wrong |= (numbers == WRONG).any(axis=1) | (missing > 0)
        steps = np.rint(own * STEP) if carried != NO_ALLELE else np.zeros(len(out))
        wrong |= ~((steps >= 0) & (steps <= MOST))
        absent = known == missing
        out[:] = np.where(wrong, NO_DOSAGE, steps)
        out[absent] = np.where(copies == MISSING, NO_DOSAGE, copies.astype(np.int64) * STEP)[absent]
        return int(np.count_nonzero(wrong & ~absent))


def _expected(values: Float64, known: Int64, total: Float64, alleles: int, carried: int) -> tuple[Float64, Flags]:
    """The copies that probabilities expect, and of whom they are none."""
    own, alone = np.zeros(len(values)), np.zeros(len(values))
    pairs = [(first, second) for second in range(alleles) for first in range(second + 1)]
    for at, pair in enumerate(pairs):
        own += values[:, at] * pair.count(carried)
        alone += 2.0 * values[:, at] * (at == carried)
    single = known == alleles
    wrong = (~single & (known != len(pairs))) | (np.abs(total - 1) > _UNUSUAL)
    return np.where(single, alone, own) / np.where(total > 0, total, 1.0), wrong
