"""The records of a BCF (VCF specification, section 6), read by total rules of our own, for the reasons that `vcf_text` has.

Only what is looked at is decoded: place, id, alleles, GT, and DS or GP. Every length is held against the bytes that are there; a record
that says something else of itself is passed over.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from struct import Struct
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from starling.genome.arrays import Flags, Float32, Int8, Int32
from starling.genome.source.calls import MISSING, Variant, longest
from starling.genome.source.dosages import DOT, MOST_ALLELES, NO_MORE, WRONG, RecordDosages
from starling.privacy.compiled import compiled

MAGIC: Final = (b"BCF\x02\x01", b"BCF\x02\x02")
_LENGTHS: Final = Struct("<II")
_SHARED: Final = Struct("<iiifII")
"""Chromosome, position from 0, length, quality, numbers of INFO fields and alleles, of people and FORMAT fields."""
_INTEGERS: Final[dict[int, str]] = {1: "<i1", 2: "<i2", 3: "<i4"}
_READ: Final[dict[bytes, dict[int, str]]] = {b"GT": _INTEGERS, b"DS": {5: "<f4"}, b"GP": {5: "<f4"}}
"""The fields that are looked at, with the types that they may have."""
_SIZES: Final = {0: 0, 1: 1, 2: 2, 3: 4, 5: 4, 7: 1}
_TEXT: Final = 7
_DOT_BITS: Final = 0x7F800001
_NO_MORE_BITS: Final = 0x7F800002
"""How a float says that a number is missing, and that there are no further ones."""
_QUOTED: Final = re.compile(rb'"(?:[^"\\]|\\.)*"')
_LINE: Final = re.compile(rb"##(contig|FILTER|INFO|FORMAT)=<(.*)>\s*")
_KEY: Final = re.compile(rb"(?:^|,)(ID|IDX)=([^,]*)")
_MOST_DIGITS: Final = 10
"""Of a number of 32 bits."""


class Stream:
    """Bytes that come in pieces, taken in order."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces, self._piece, self._at = iter(pieces), b"", 0

    def take(self, size: int) -> bytes:
        """The next bytes; fewer at the end."""
        parts: list[bytes] = []
        while size > 0:
            part = self._piece[self._at : self._at + size]
            self._at += len(part)
            size -= len(part)
            parts.append(part)
            if size and (piece := next(self._pieces, None)) is not None:
                self._piece, self._at = piece, 0
            elif size:
                break
        return b"".join(parts)

    def skip(self, size: int) -> None:
        """Pass over the next bytes."""
        while size > 0 and (part := self.take(min(size, 1 << 20))):
            size -= len(part)


class _CodedCalls:
    """The calls of a record: numbers, one for each allele of each person."""

    __slots__ = ("_lowest", "_numbers")

    def __init__(self, numbers: npt.NDArray[np.signedinteger]) -> None:
        self._lowest = int(np.iinfo(numbers.dtype).min)
        self._numbers = numbers

    @property
    def nbytes(self) -> int:
        return self._numbers.nbytes

    def count(self, carried: int, out: Int8) -> int:
        return int(_count(self._numbers.astype(np.int32), self._lowest, carried, out))

    def find_single(self, out: Flags) -> None:
        known = self._numbers != self._lowest + 1
        out[:] = (known.sum(axis=1) == 1) & (np.where(known, self._numbers, 0).sum(axis=1) > 1)


def _read_numbers(floats: Float32, _people: int, most: int) -> Float32:
    # One more than there can be shows whether there are more.
    stored = np.ascontiguousarray(floats[:, : most + 1])
    bits = stored.view(np.uint32)
    numbers = np.where(np.isfinite(stored) & (stored >= 0), stored, np.float32(WRONG))
    numbers[bits == _DOT_BITS], numbers[bits == _NO_MORE_BITS] = DOT, NO_MORE
    return numbers


class _Names:
    """What the numbers in records stand for, by the lines of a header."""

    def __init__(self, header: bytes) -> None:
        self.contigs: dict[int, str] = {}
        self.keys: dict[bytes, int] = {b"PASS": 0}
        for line in header.split(b"\n"):
            if (match := _LINE.fullmatch(line)) is None:
                continue
            values = dict(_KEY.findall(_QUOTED.sub(b"", match[2])))
            name, index = values.get(b"ID", b""), values.get(b"IDX", b"")
            if match[1] == b"contig":
                self.contigs.setdefault(_number(index, len(self.contigs)), name.decode("utf-8", "surrogateescape"))
            elif name not in self.keys:
                self.keys[name] = _number(index, len(self.keys))


def _number(index: bytes, otherwise: int) -> int:
    """What a line says that its number is; of more digits than any record states it says none."""
    return int(index) if index.isdigit() and len(index) <= _MOST_DIGITS else otherwise


def coded_variants(pieces: Iterable[bytes], people: int, broken: Callable[[], None]) -> Iterator[Variant]:
    """The records after the header; `broken` is called for each that is passed over."""
    stream = Stream(pieces)
    stream.take(len(MAGIC[0]))
    names = _Names(stream.take(int.from_bytes(stream.take(4), "little")))
    while len(lengths := stream.take(_LENGTHS.size)) == _LENGTHS.size:
        shared, individual = _LENGTHS.unpack(lengths)
        if shared + individual > longest(people):
            stream.skip(shared + individual)
            broken()
            continue
        record = stream.take(shared + individual)
        try:
            variant = _variant(record, shared, individual, names, people)
        except _Malformed:
            broken()
        else:
            yield variant


class _Malformed(Exception):
    """A record that says something else of itself than is there."""


def _variant(record: bytes, shared: int, individual: int, names: _Names, people: int) -> Variant:
    if not len(record) == shared + individual >= shared >= _SHARED.size:
        raise _Malformed
    place, position, _, _, information, individuals = _SHARED.unpack_from(record)
    alleles = information >> 16
    if place not in names.contigs or position < -1 or individuals & 0xFFFFFF != people or alleles == 0:
        raise _Malformed
    name, at = _text(record, _SHARED.size, shared)
    letters: list[str] = []
    for _ in range(alleles):
        allele, at = _text(record, at, shared)
        letters.append(allele)
    fields = _fields(record, shared, individuals >> 24, {names.keys.get(key, -1): key for key in _READ}, people)
    calls = _CodedCalls(fields[b"GT"]) if b"GT" in fields else None
    dosages = None
    if (key := next((each for each in (b"DS", b"GP") if each in fields), None)) and alleles <= MOST_ALLELES:
        dosages = RecordDosages(partial(_read_numbers, fields[key]), alleles, key == b"GP", calls)
    return Variant(names.contigs[place], position + 1, "" if name == "." else name, tuple(letters), calls, dosages)


def _type(record: bytes, at: int, stop: int) -> tuple[int, int, int]:
    """The type of what comes next, how many values it has, and where they begin."""
    if at >= stop:
        raise _Malformed
    kind, number = record[at] & 15, record[at] >> 4
    if kind not in _SIZES:
        raise _Malformed
    if number < 15:
        return kind, number, at + 1
    number, at = _integer(record, at + 1, stop)
    if number < 0:
        raise _Malformed
    return kind, number, at


def _integer(record: bytes, at: int, stop: int) -> tuple[int, int]:
    """A single number, and where it ends."""
    size = _SIZES[record[at] & 15] if at < stop and record[at] & 15 in _INTEGERS else 0
    if not size or record[at] >> 4 != 1 or at + 1 + size > stop:
        raise _Malformed
    return int.from_bytes(record[at + 1 : at + 1 + size], "little", signed=True), at + 1 + size


def _text(record: bytes, at: int, stop: int) -> tuple[str, int]:
    """A text, and where it ends."""
    kind, number, at = _type(record, at, stop)
    if (number and kind != _TEXT) or at + number > stop:
        raise _Malformed
    return record[at : at + number].rstrip(b"\0").decode("utf-8", "surrogateescape"), at + number


def _fields(record: bytes, at: int, count: int, keys: dict[int, bytes], people: int) -> dict[bytes, npt.NDArray[Any]]:
    """Those that are looked at among the fields of the people, (n, k); the first of each name that holds numbers of its type."""
    fields: dict[bytes, npt.NDArray[Any]] = {}
    for _ in range(count):
        name, at = _integer(record, at, len(record))
        kind, number, at = _type(record, at, len(record))
        size = people * number * _SIZES[kind]
        if at + size > len(record):
            raise _Malformed
        key = keys.get(name)
        if key is not None and key not in fields and number and kind in _READ[key]:
            numbers = np.frombuffer(record, dtype=_READ[key][kind], count=people * number, offset=at)
            fields[key] = numbers.reshape(people, number)
        at += size
    return fields


@compiled
def _count(numbers: Int32, lowest: int, carried: int, out: Int8) -> int:
    """Copies of an allele in each call; how many calls cannot be read. A number is twice the allele and two, or one more: phased."""
    unreadable = 0
    for person in range(numbers.shape[0]):
        number, known, missing, wrong = 0, 0, False, False
        for index in range(numbers.shape[1]):
            value = int(numbers[person, index])
            if value == lowest + 1:
                continue  # no further allele
            allele = (value >> 1) - 1
            missing |= allele < 0
            wrong |= allele < -1 and value != lowest
            known += 1
            number += allele == carried
        unreadable += wrong
        if missing or known == 0:
            out[person] = MISSING
        else:
            out[person] = min(2, 2 * number if known == 1 else number)
    return unreadable
