"""Contingency tables straight from the packed bytes of a PLINK .bed file, by counting bits.

A .bed holds two bits a person, four persons a byte, the first in the lowest bits: 00 two copies of allele A1, 10 one, 11 none, 01
missing. With h the high bit and l the low bit of a code, the people who have

    allele A1           at least one copy: not l            two copies: neither h nor l
    allele A2           at least one copy: h                two copies: h and l

and a missing call is in none of the four: missing counts as no copy of the allele. Which allele is counted is public and given, never
taken from the counts (PLINK makes the rarer one A1). A byte's unused places are 00, which reads as two copies of A1: they are in
neither mask.
"""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starling.privacy.compiled import compiled

Int64: TypeAlias = npt.NDArray[np.int64]
UInt8: TypeAlias = npt.NDArray[np.uint8]
UInt64: TypeAlias = npt.NDArray[np.uint64]
Allele: TypeAlias = Literal["a1", "a2"]
"""The allele of a .bed with its .bim whose copies are counted."""
Carrying: TypeAlias = Literal["dominant", "recessive"]
"""Who carries: people with at least one copy, or with two."""

_AT_LEAST_ONE, _TWO = 0, 2
"""Patterns of bits; plus 1 for allele A2."""


class StatusMasks(NamedTuple):
    """Who is a case and who a control, packed like the calls: the low bit of a person's code is set.

    Attributes:
        cases: uint64 (words,).
        controls: uint64 (words,); nobody is in both.
        case_count: How many people are cases.
        control_count: How many people are controls.
    """

    cases: UInt64
    controls: UInt64
    case_count: int
    control_count: int


def status_masks(is_case: npt.NDArray[np.bool_]) -> StatusMasks:
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
    out = np.empty((len(bed), 4), dtype=np.int64)
    _count_carriers(bed.reshape(-1), bed.shape[1], among, _pattern(carrying, allele), out)
    return out


def genotype_tables(bed: UInt8, among: StatusMasks, allele: Allele) -> Int64:
    """The 2x3 table of every SNP: cases with 0 (or missing), 1 and 2 copies, then controls; int64 (m, 6). See `carrier_tables`."""
    out = np.empty((len(bed), 6), dtype=np.int64)
    _count_genotypes(
        bed.reshape(-1), bed.shape[1], among, _pattern("dominant", allele), _pattern("recessive", allele), out
    )
    return out


def carrier_bits(bed: UInt8, people: int, carrying: Carrying, allele: Allele) -> UInt64:
    """Who carries, one bit a person: uint64 (m, ceil(n/64)), the first person in the lowest bit, unused bits 0."""
    out = np.zeros((len(bed), (people + 63) // 64), dtype=np.uint64)
    everybody = _mask(np.ones(people, dtype=np.bool_))
    _pack(bed.reshape(-1), bed.shape[1], everybody, _pattern(carrying, allele), out)
    return out


def _pattern(carrying: Carrying, allele: Allele) -> int:
    return (_AT_LEAST_ONE if carrying == "dominant" else _TWO) + (allele == "a2")


def _mask(members: npt.NDArray[np.bool_]) -> UInt64:
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
    return word & (word >> np.uint64(1))


@compiled
def _last_word(bed: UInt8, start: int, end: int) -> np.uint64:
    """Fewer than eight bytes as a word, the first in the lowest bits."""
    word = np.uint64(0)
    for place in range(start, end):
        word |= np.uint64(bed[place]) << np.uint64(8 * (place - start))
    return word


@compiled
def _count_carriers(bed: UInt8, stride: int, among: StatusMasks, pattern: int, out: Int64) -> None:
    """The counting of `carrier_tables`. Rows begin at any byte; processors that Numba knows read words from there."""
    cases, controls = among.cases, among.controls
    whole = stride // 8
    for snp in range(out.shape[0]):
        start = snp * stride
        words = bed[start : start + 8 * whole].view(np.uint64)
        case, control = np.uint64(0), np.uint64(0)
        for index in range(whole):
            those = _those(words[index], pattern)
            case += ones(those & cases[index])
            control += ones(those & controls[index])
        if whole < cases.size:
            those = _those(_last_word(bed, start + 8 * whole, start + stride), pattern)
            case += ones(those & cases[whole])
            control += ones(those & controls[whole])
        out[snp, 0], out[snp, 1] = np.int64(case), among.case_count - np.int64(case)
        out[snp, 2], out[snp, 3] = np.int64(control), among.control_count - np.int64(control)


@compiled
def _count_genotypes(bed: UInt8, stride: int, among: StatusMasks, some: int, two: int, out: Int64) -> None:
    """The counting of `genotype_tables`: patterns of people with at least one copy and with two, both counted in one pass."""
    cases, controls = among.cases, among.controls
    whole = stride // 8
    for snp in range(out.shape[0]):
        start = snp * stride
        words = bed[start : start + 8 * whole].view(np.uint64)
        case_some, case_two, control_some, control_two = np.uint64(0), np.uint64(0), np.uint64(0), np.uint64(0)
        for index in range(whole):
            with_some, with_two = _those(words[index], some), _those(words[index], two)
            case_some += ones(with_some & cases[index])
            case_two += ones(with_two & cases[index])
            control_some += ones(with_some & controls[index])
            control_two += ones(with_two & controls[index])
        if whole < cases.size:
            word = _last_word(bed, start + 8 * whole, start + stride)
            with_some, with_two = _those(word, some), _those(word, two)
            case_some += ones(with_some & cases[whole])
            case_two += ones(with_two & cases[whole])
            control_some += ones(with_some & controls[whole])
            control_two += ones(with_two & controls[whole])
        out[snp, 0], out[snp, 3] = among.case_count - np.int64(case_some), among.control_count - np.int64(control_some)
        out[snp, 1], out[snp, 4] = np.int64(case_some - case_two), np.int64(control_some - control_two)
        out[snp, 2], out[snp, 5] = np.int64(case_two), np.int64(control_two)


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
