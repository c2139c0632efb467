"""The lines of a VCF, read by total rules of our own.

htslib passes over a whole line where one person's call is malformed, so that one person's record would change the calls of all others, and
a line cut short ends its process (docs/decisions/0015-genotype-files.md). Here a call that cannot be read is missing, alone.
A line is passed over as a whole where it has another number of fields than the header, a position that is none, or too many bytes.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

import numpy as np

from starling.genome.arrays import Flags, Float32, Int8, UInt8
from starling.genome.plan.sites import MOST_POSITION
from starling.genome.source.calls import MISSING, NO_ALLELE, Variant, longest
from starling.genome.source.dosages import DOT, MOST_ALLELES, NO_MORE, WRONG, RecordDosages
from starling.privacy.compiled import compiled

_FIELDS: Final = 9
"""Fields of a line before the calls."""
_TAB, _COLON, _DOT, _ZERO, _NINE, _SLASH, _BAR = (ord(sign) for sign in "\t:.09/|")
_COMMA, _MINUS, _PLUS, _SMALL_E, _LARGE_E = (ord(sign) for sign in ",-+eE")
_DIGITS: Final = 15
"""Digits of a number that count: so many and a power of ten up to the 22nd are exact as a double."""
_MOST_POWER: Final = 22
_LARGEST: Final = 10_000


class _TextCalls:
    """The calls of a line, from the first to its end; `field` says which part of a call, apart by colons, is GT."""

    __slots__ = ("_field", "_text")

    def __init__(self, text: UInt8, field: int) -> None:
        self._text, self._field = text, field

    @property
    def nbytes(self) -> int:
        return self._text.nbytes

    def count(self, carried: int, out: Int8) -> int:
        return int(_count(self._text, self._field, carried, out))

    def find_single(self, out: Flags) -> None:
        _find_single(self._text, self._field, out)


def _numbers(text: UInt8, field: int, people: int, most: int) -> Float32:
    """What part `field` of each call says, DS or GP."""
    numbers = np.empty((people, most), dtype=np.float32)
    _read_numbers(text, field, numbers)
    return numbers


def text_variants(pieces: Iterable[bytes], people: int, broken: Callable[[], None]) -> Iterator[Variant]:
    """The records after the header; `broken` is called for each line that is passed over."""
    headed = False
    for text, ends in _lines(pieces, longest(people), broken):
        array = np.frombuffer(text, dtype=np.uint8)
        begin = 0
        for end in ends:
            if not headed:
                headed = text.startswith(b"#CHROM", begin)
            elif (variant := _variant(text, array, begin, end, people)) is not None:
                yield variant
            else:
                broken()
            begin = end + 1


def _lines(pieces: Iterable[bytes], most: int, broken: Callable[[], None]) -> Iterator[tuple[bytes, list[int]]]:
    """Whole lines: their text, and where each of them ends in it. Of a line beyond `most` bytes nothing is kept."""
    parts: list[bytes] = []
    length, skipping = 0, False
    for piece in pieces:
        stop = piece.rfind(b"\n") + 1
        if not stop:
            if not skipping:
                parts.append(piece)
                length += len(piece)
            if length > most:
                parts, length, skipping = [], 0, True
            continue
        start = piece.find(b"\n") + 1 if skipping else 0
        if skipping:
            broken()
        text = b"".join((*parts, piece[start:stop]))
        parts, length, skipping = [piece[stop:]], len(piece) - stop, False
        ends, at = [], text.find(b"\n")
        while at >= 0:
            ends.append(at)
            at = text.find(b"\n", at + 1)
        yield text, ends
    if skipping:
        broken()
    elif length:
        yield b"".join(parts), [length]


def _variant(text: bytes, array: UInt8, begin: int, end: int, people: int) -> Variant | None:
    """The record of a line; None where it is passed over."""
    if end > begin and text[end - 1] == ord("\r"):
        end -= 1
    tabs: list[int] = []
    at = begin - 1
    for _ in range(_FIELDS):
        at = text.find(b"\t", at + 1, end)
        if at < 0:
            return None
        tabs.append(at)
    position = text[tabs[0] + 1 : tabs[1]]
    if not position.isdigit() or len(position) > 10 or int(position) > MOST_POSITION:
        return None
    calls = array[tabs[8] + 1 : end]
    if np.count_nonzero(calls == _TAB) != people - 1:
        return None
    place, name, reference, alternate = (
        text[low + 1 : high].decode("utf-8", "surrogateescape")
        for low, high in zip((begin - 1, tabs[1], tabs[2], tabs[3]), (tabs[0], tabs[2], tabs[3], tabs[4]), strict=True)
    )
    keys = text[tabs[7] + 1 : tabs[8]].split(b":")
    alleles = (reference, *(() if alternate == "." else alternate.split(",")))
    genotypes = _TextCalls(calls, keys.index(b"GT")) if b"GT" in keys else None
    dosages = None
    if (key := next((each for each in (b"DS", b"GP") if each in keys), None)) and len(alleles) <= MOST_ALLELES:
        read = partial(_numbers, calls, keys.index(key))
        dosages = RecordDosages(read, len(alleles), key == b"GP", genotypes)
    return Variant(place, int(position), "" if name == "." else name, alleles, genotypes, dosages)


@compiled
def _count(text: UInt8, field: int, carried: int, out: Int8) -> int:
    """Copies of an allele in each call, apart by tabs; how many calls cannot be read.

    A call is alleles apart by / or |, perhaps with such a sign before the first (VCF 4.4); an allele is a number, or a dot: missing.
    """
    at, unreadable = 0, 0
    for person in range(out.size):
        seen = 0
        while seen < field and at < text.size and text[at] != _TAB:
            seen += text[at] == _COLON
            at += 1
        number, known, missing, wrong = 0, 0, False, False
        begin, allele, digits, dot = at, 0, 0, False
        more = seen == field
        while more:
            sign = int(text[at]) if at < text.size else _TAB
            if _ZERO <= sign <= _NINE:
                allele = min(10 * allele + sign - _ZERO, NO_ALLELE - 1)
                digits += 1
            elif sign == _DOT and not dot:
                dot = True
            elif sign in (_SLASH, _BAR, _TAB, _COLON):
                more = sign in (_SLASH, _BAR)
                empty = digits == 0 and not dot
                missing |= dot
                wrong |= (dot and digits > 0) or (empty and at > begin)
                if digits > 0:
                    known += 1
                    number += allele == carried
                allele, digits, dot = 0, 0, False
            else:
                wrong = True
            at += more or 0
        while at < text.size and text[at] != _TAB:
            at += 1
        at += 1
        unreadable += wrong
        if wrong or missing or known == 0:
            out[person] = MISSING
        else:
            out[person] = min(2, 2 * number if known == 1 else number)
    return unreadable


@compiled
def _find_single(text: UInt8, field: int, out: Flags) -> None:
    """Whether each call is a single allele: a number without a sign that parts alleles."""
    at = 0
    for person in range(out.size):
        seen = 0
        while seen < field and at < text.size and text[at] != _TAB:
            seen += text[at] == _COLON
            at += 1
        digits, others = 0, 0
        while seen == field and at < text.size and text[at] != _TAB and text[at] != _COLON:
            digit = _ZERO <= text[at] <= _NINE
            digits += digit
            others += not digit
            at += 1
        out[person] = digits > 0 and others == 0
        while at < text.size and text[at] != _TAB:
            at += 1
        at += 1


@compiled
def _read_numbers(text: UInt8, field: int, out: Float32) -> None:
    """The numbers of each person, apart by commas, as a BCF holds them: float32 (n, k). More than k are WRONG."""
    at = 0
    for person in range(out.shape[0]):
        seen = 0
        while seen < field and at < text.size and text[at] != _TAB:
            seen += text[at] == _COLON
            at += 1
        count, more = 0, seen == field
        while more:
            value, at = _number(text, at)
            if count < out.shape[1]:
                out[person, count] = np.float32(value)
            else:
                out[person, 0] = WRONG
            count += 1
            more = at < text.size and text[at] == _COMMA
            at += more
        if count == 0:
            out[person, 0] = DOT
        for rest in range(max(count, 1), out.shape[1]):
            out[person, rest] = NO_MORE
        while at < text.size and text[at] != _TAB:
            at += 1
        at += 1


@compiled
def _number(text: UInt8, at: int) -> tuple[float, int]:
    """A decimal number from 0, DOT or WRONG, and where it ends."""
    begin, dots, number, digits, power = at, 0, 0.0, 0, 0
    wrong = False
    while at < text.size and not _ends_digits(text[at]):
        sign = int(text[at])
        dots += sign == _DOT
        if _ZERO <= sign <= _NINE:
            digits += number > 0 or sign > _ZERO
            counts = digits <= _DIGITS
            number = 10 * number + (sign - _ZERO) if counts else number
            power += (not counts) - (dots > 0)
        wrong |= sign != _DOT and not _ZERO <= sign <= _NINE
        at += 1
    length = at - begin
    scaled = at < text.size and text[at] not in (_TAB, _COLON, _COMMA)
    if length == 1 and dots == 1 and not scaled:
        return DOT, at
    wrong |= dots > 1 or length == dots
    if scaled:
        exponent, at = _exponent(text, at + 1)
        wrong |= exponent > _LARGEST
        power += exponent
    if wrong or (number > 0 and power > _MOST_POWER):
        return WRONG, at
    # Below it lies nothing but what is far less than a step.
    scale = 10.0 ** min(abs(power), _MOST_POWER)
    return (number / scale if power < 0 else number * scale), at


@compiled
def _ends_digits(sign: int) -> bool:
    return sign in (_TAB, _COLON, _COMMA, _SMALL_E, _LARGE_E)


@compiled
def _exponent(text: UInt8, at: int) -> tuple[int, int]:
    """A power of ten, and where it ends; what is none is one that no number has."""
    negative = at < text.size and text[at] == _MINUS
    at += at < text.size and text[at] in (_MINUS, _PLUS)
    exponent, begin, wrong = 0, at, False
    while at < text.size and text[at] not in (_TAB, _COLON, _COMMA):
        sign = int(text[at])
        wrong |= not _ZERO <= sign <= _NINE
        exponent = min(10 * exponent + sign - _ZERO, _LARGEST)
        at += 1
    if wrong or at == begin:
        return 2 * _LARGEST, at
    return -exponent if negative else exponent, at
