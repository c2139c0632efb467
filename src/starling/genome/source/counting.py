"""Contingency tables straight from the packed bytes of a PLINK .bed file, by counting bits.

A .bed holds two bits a person, four persons a byte, the first in the lowest bits: 00 two copies of allele A1, 10 one, 11 none, 01
missing. With h the high bit and l the low bit of a code, the people who have

    allele A1           at least one copy: not l            two copies: neither h nor l
    allele A2           at least one copy: h                two copies: h and l
    no call             l and not h

and a missing call is in none of the first four: missing counts as no copy of the allele, or in a cell of its own. Which allele is
counted is public and given, never taken from the counts (PLINK makes the rarer one A1). A byte's unused places are 00, which reads as two
copies of A1: they are in neither mask.
"""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.genome.arrays import Flags, Int64, UInt8, UInt64
from starling.genome.source.calls import Calls
from starling.privacy.compiled import compiled

Allele: TypeAlias = Literal["a1", "a2"]
"""The allele of a .bed with its .bim whose copies are counted."""
Carrying: TypeAlias = Literal["dominant", "recessive"]
"""Who carries: people with at least one copy, or with two."""

_AT_LEAST_ONE, _TWO, _MISSING = 0, 2, 4
"""Patterns of bits; the first two plus 1 for allele A2."""
_ALLELES: Final[tuple[tuple[Allele, bool], ...]] = (("a1", False), ("a2", True))


class StatusMasks(NamedTuple):
    """Who is a case and who a control, uint64 (words,) packed like the calls: the low bit of a person's code is set; and how many are."""

    cases: UInt64
    controls: UInt64
    case_count: int
    control_count: int


def status_masks(is_case: Flags) -> StatusMasks:
    """The masks of people in the order of the .bed, bool (n,)."""
    cases = int(np.count_nonzero(is_case))
    return StatusMasks(_mask(is_case), _mask(~is_case), cases, len(is_case) - cases)


def packed_bits(flags: npt.NDArray[np.generic]) -> UInt64:
    """Flags as bits: uint64 (..., ceil(n/64)) from bool or 0 and 1 (..., n), the first in the lowest bit, unused bits 0.

    >>> packed_bits(np.array([[True, False, True]])).tolist()
    [[5]]
    """
    room = np.zeros((*flags.shape[:-1], -(-flags.shape[-1] // 64) * 64), dtype=np.uint8)
    room[..., : flags.shape[-1]] = flags
    return np.packbits(room, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


def carrier_tables(bed: UInt8, among: StatusMasks, carrying: Carrying, allele: Allele) -> Int64:
    """The 2x2 table of every SNP: cases who carry and who do not, then controls.

    Args:
        bed: Packed calls without the file's three magic bytes, uint8 (m, bytes_a_snp(n)), C-contiguous.
        among: Who of the n people is a case and who a control.
        carrying: Whether at least one copy makes a carrier, or two.
        allele: The allele whose copies are counted.

    Returns:
        int64 (m, 4).
    """
    (case,), (control,) = _counts(bed, among, [_pattern(carrying, allele)])
    return np.stack([case, among.case_count - case, control, among.control_count - control], axis=1)


def called_tables(bed: UInt8, among: StatusMasks, carrying: Carrying, allele: Allele) -> Int64:
    """The table of every SNP with missing calls apart: cases who carry, who do not, who lack a call, then controls; int64 (m, 6). See
    `carrier_tables`.
    """
    (case, case_missing), (control, control_missing) = _counts(bed, among, [_pattern(carrying, allele), _MISSING])
    of_cases = [case, among.case_count - case - case_missing, case_missing]
    return np.stack([*of_cases, control, among.control_count - control - control_missing, control_missing], axis=1)


def genotype_tables(bed: UInt8, among: StatusMasks, allele: Allele) -> Int64:
    """The 2x3 table of every SNP: cases with 0 (or missing), 1 and 2 copies, then controls; int64 (m, 6). See `carrier_tables`."""
    patterns = [_pattern("dominant", allele), _pattern("recessive", allele)]
    (case, case_two), (control, control_two) = _counts(bed, among, patterns)
    of_cases = [among.case_count - case, case - case_two, case_two]
    return np.stack([*of_cases, among.control_count - control, control - control_two, control_two], axis=1)


def missing_calls(bed: UInt8, among: StatusMasks) -> Int64:
    """How many cases and how many controls lack a call of each SNP: int64 (m, 2). See `carrier_tables`."""
    return _counts(bed, among, [_MISSING])[:, 0].T


def code_counts(bed: UInt8, people: int) -> Int64:
    """How many people have each code, whoever they are: int64 (m, 4), by the code as a number; and nobody beyond the last person."""
    out = np.empty((len(bed), 4), dtype=np.int64)
    _count_codes(bed.reshape(-1), bed.shape[1], people, out)
    return out


def by_allele(calls: Calls) -> Iterator[tuple[Flags, UInt8, Allele]]:
    """The rows of a chunk in which A1 is carried, then those in which A2 is; each only if there are any."""
    for allele, second in _ALLELES:
        rows = calls.second == second
        if rows.any():
            # Most files have all alleles one way round; then no row is copied.
            yield rows, calls.packed if rows.all() else calls.packed[rows], allele


def _counts(bed: UInt8, among: StatusMasks, patterns: list[int]) -> Int64:
    """Cases and controls with each pattern, for every SNP: int64 (2, patterns, m)."""
    out = np.empty((len(bed), 2, len(patterns)), dtype=np.int64)
    _count(bed.reshape(-1), bed.shape[1], among, np.array(patterns), out)
    return np.moveaxis(out, 0, -1)


def carrier_bits(bed: UInt8, people: int, carrying: Carrying, allele: Allele) -> UInt64:
    """Who carries, one bit a person: uint64 (m, ceil(n/64)), the first person in the lowest bit, unused bits 0."""
    out = np.zeros((len(bed), (people + 63) // 64), dtype=np.uint64)
    _pack(bed.reshape(-1), bed.shape[1], _mask(np.ones(people, dtype=np.bool_)), _pattern(carrying, allele), out)
    return out


def _pattern(carrying: Carrying, allele: Allele) -> int:
    return (_AT_LEAST_ONE if carrying == "dominant" else _TWO) + (allele == "a2")


def _mask(members: Flags) -> UInt64:
    codes = np.zeros(2 * len(members), dtype=np.bool_)
    codes[::2] = members
    return packed_bits(codes)


@compiled
def ones(word: np.uint64) -> np.uint64:
    """How many bits are set; the form that the compiler knows as one instruction."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def _those(word: np.uint64, pattern: int) -> np.uint64:
    """The low bit of every code of the pattern; high bits are left as they come."""
    if pattern == 0:
        return ~word
    if pattern == 1:
        return word >> np.uint64(1)
    if pattern == 2:
        return ~(word | (word >> np.uint64(1)))
    if pattern == 3:
        return word & (word >> np.uint64(1))
    return word & ~(word >> np.uint64(1))


@compiled
def _last_word(bed: UInt8, start: int, end: int) -> np.uint64:
    """Fewer than eight bytes as a word, the first in the lowest bits."""
    word = np.uint64(0)
    for place in range(start, end):
        word |= np.uint64(bed[place]) << np.uint64(8 * (place - start))
    return word


@compiled
def _count(bed: UInt8, stride: int, among: StatusMasks, patterns: Int64, out: Int64) -> None:
    """The counting of `_counts`. Rows begin at any byte; processors that Numba knows read words from there."""
    cases, controls = among.cases, among.controls
    whole = stride // 8
    for snp in range(out.shape[0]):
        start = snp * stride
        words = bed[start : start + 8 * whole].view(np.uint64)
        for place in range(patterns.size):
            pattern = patterns[place]
            case, control = np.uint64(0), np.uint64(0)
            for index in range(whole):
                those = _those(words[index], pattern)
                case += ones(those & cases[index])
                control += ones(those & controls[index])
            if whole < cases.size:
                those = _those(_last_word(bed, start + 8 * whole, start + stride), pattern)
                case += ones(those & cases[whole])
                control += ones(those & controls[whole])
            out[snp, 0, place], out[snp, 1, place] = np.int64(case), np.int64(control)


@compiled
def _count_codes(bed: UInt8, stride: int, people: int, out: Int64) -> None:
    """The counting of `code_counts`."""
    whole, rest = people // 32, np.uint64(2 * (people % 32))
    lower, beyond = np.uint64(0x5555555555555555), (np.uint64(1) << rest) - np.uint64(1)
    for snp in range(out.shape[0]):
        start = snp * stride
        last = _last_word(bed, start + 8 * whole, (snp + 1) * stride) & beyond
        low, high = last & lower, (last >> np.uint64(1)) & lower
        one, two, both = ones(low & ~high), ones(high & ~low), ones(high & low)
        words = bed[start : start + 8 * whole].view(np.uint64)
        for index in range(whole):
            low, high = words[index] & lower, (words[index] >> np.uint64(1)) & lower
            one += ones(low & ~high)
            two += ones(high & ~low)
            both += ones(high & low)
        out[snp, 0] = people - np.int64(one + two + both)
        out[snp, 1], out[snp, 2], out[snp, 3] = np.int64(one), np.int64(two), np.int64(both)


@compiled
def _squeeze(word: np.uint64) -> np.uint64:
    """The 32 low bits of a word's codes, side by side."""
    word &= np.uint64(0x5555555555555555)
    word = (word | (word >> np.uint64(1))) & np.uint64(0x3333333333333333)
    word = (word | (word >> np.uint64(2))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = (word | (word >> np.uint64(4))) & np.uint64(0x00FF00FF00FF00FF)
    word = (word | (word >> np.uint64(8))) & np.uint64(0x0000FFFF0000FFFF)
    return (word | (word >> np.uint64(16))) & np.uint64(0x00000000FFFFFFFF)


@compiled
def _pack(bed: UInt8, stride: int, everybody: UInt64, pattern: int, out: UInt64) -> None:
    """The packing of `carrier_bits`."""
    for snp in range(out.shape[0]):
        for index in range(everybody.size):
            start = snp * stride + 8 * index
            word = _last_word(bed, start, min(start + 8, (snp + 1) * stride))
            half = _squeeze(_those(word, pattern) & everybody[index])
            out[snp, index // 2] |= half << np.uint64(32 * (index % 2))
