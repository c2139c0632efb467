"""BGEN, versions 1.2 and 1.3 (layout 2), read by total rules of our own, as VCF and BCF are (docs/decisions/0040-dosages.md).

Its sites are read before any charge, as those of a .pvar: a plan that counts dosages protects phenotypes alone. So is its shape: how many
people and variants there are, and that the last ends where the file does. Probabilities are read after it. A variant whose bytes cannot be
decompressed, or say something else of themselves than is there, counts as missing for everybody; `validate` names it.

A dosage is rounded to the grid of `dosages.py`: of probabilities of 16 bits, as PLINK 2 writes them, every one of its own comes back.
"""

import os
import zlib
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from struct import Struct
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from starling.engine.machine import in_order
from starling.errors import SourceError
from starling.genome.arrays import Int64, UInt8, UInt16
from starling.genome.plan.sites import UNKNOWN, Site, Sites, chromosome
from starling.genome.source.dosages import MOST_ALLELES, NO_DOSAGE, STEP, Dosages, dosage_length
from starling.genome.source.input_checks import changed, refuse, size_of
from starling.privacy.compiled import compiled

R = TypeVar("R")

BYTES: Final = 32 << 20
"""Bytes of the variants of a chunk, as they are in the file."""
MOST_ALLELE: Final = 1 << 20
"""Bytes of an allele's letters."""
_START: Final = Struct("<IIII4s")
"""Where variants begin, bytes of the header, numbers of variants and people, and the letters that a BGEN has there."""
_MAGIC: Final = (b"bgen", bytes(4))
_LAYOUT: Final = 2
_NOTHING, _ZLIB, _ZSTD = range(3)
_HEAD: Final = 1 << 10
"""Bytes that most variants have before their probabilities, names included."""
_REWRITE: Final = "copy it again, or write it again by plink2 --export bgen-1.2"


class _Cut(Exception):
    """The file ends within what it says that it holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Bgen:
    """An opened BGEN.

    Attributes:
        size: Its bytes.
        people: How many it says that it has.
        samples: Who they are; None where it does not name them.
        sites: Its variants, without lines.
        places: Where the probabilities of each variant begin, behind their length, and how many bytes they have: int64 (k, 2).
        compression: How they are written.
    """

    size: int = field(repr=False)
    people: int = field(repr=False)
    samples: tuple[bytes, ...] | None = field(repr=False)
    sites: Sites = field(repr=False)
    places: Int64 = field(repr=False)
    compression: int = field(repr=False)


def open_bgen(path: Path) -> Bgen:
    """The public shape of a BGEN. Raises SourceError where it is none, is of another layout, or was cut off."""
    size = size_of(path)
    try:
        with path.open("rb") as file:
            return _opened(path, _Bytes(file.fileno(), size))
    except _Cut:
        refuse(path, "does not end where its header and its variants say that it does", _REWRITE)
    except OSError:
        raise changed(path) from None


def has_names(path: Path) -> bool:
    """Whether a BGEN names its people, by its header; True of what is none, which `open_bgen` refuses."""
    try:
        with path.open("rb") as file:
            content = _Bytes(file.fileno(), size_of(path))
            _, header, _, _, magic = _START.unpack(content.take(0, _START.size))
            return magic not in _MAGIC or content.take(header + 3, 1)[0] > 127
    except (OSError, _Cut, SourceError):
        return True


class _Bytes:
    """A file by position, and its size as it was checked."""

    def __init__(self, handle: int, size: int) -> None:
        self._handle, self.size = handle, size

    def take(self, at: int, length: int) -> bytes:
        """Some bytes, all of them there."""
        content = os.pread(self._handle, length, at) if at + length <= self.size else b""
        if len(content) < length:
            raise _Cut
        return content


def _opened(path: Path, content: _Bytes) -> Bgen:
    begin, header, variants, people, magic = _START.unpack(content.take(0, _START.size))
    if magic not in _MAGIC or header < _START.size:
        refuse(path, "does not begin as a BGEN does", "give a .bgen")
    flags = int.from_bytes(content.take(header, 4), "little")
    compression, layout, has_names = flags & 3, flags >> 2 & 15, flags >> 31
    if layout != _LAYOUT or compression > _ZSTD:
        refuse(path, "is a BGEN of another version than 1.2 and 1.3", "write it again by plink2 --export bgen-1.2")
    samples = tuple(_names(content, 4 + header, people, 4 + begin)) if has_names else None
    sites, places = [], array("q")
    at = 4 + begin
    for _ in range(variants):
        site, at = _site(content, at)
        length = int.from_bytes(content.take(at, 4), "little")
        sites.append(site)
        places.extend((at + 4, length))
        at += 4 + length
    if at != content.size:
        raise _Cut
    listed = Sites(path.name, sites, [])
    return Bgen(content.size, people, samples, listed, np.array(places, dtype=np.int64).reshape(-1, 2), compression)


def _names(content: _Bytes, at: int, people: int, stop: int) -> Iterator[bytes]:
    """The people, by the block that begins at a byte and ends by another."""
    block = content.take(at, stop - at) if stop - at >= 8 else b""
    if int.from_bytes(block[4:8], "little") != people:
        raise _Cut
    at = 8
    for _ in range(people):
        length = int.from_bytes(block[at : at + 2], "little")
        name = block[at + 2 : at + 2 + length]
        if at + 2 > len(block) or len(name) < length:
            raise _Cut
        yield b"_".join(name.split())
        at += 2 + length


def _site(content: _Bytes, at: int) -> tuple[Site, int]:
    """A variant's place and alleles, and where its probabilities begin."""
    head = content.take(at, min(_HEAD, content.size - at))
    used = 0

    def take(length: int) -> bytes:
        nonlocal used
        used += length
        return head[used - length : used] if used <= len(head) else content.take(at + used - length, length)

    def text(width: int) -> str:
        length = int.from_bytes(take(width), "little")
        if length > MOST_ALLELE:
            raise _Cut
        return take(length).decode("utf-8", "surrogateescape")

    other, name, place = text(2), text(2), text(2)
    position = int.from_bytes(take(4), "little")
    first, *rest = (text(4) for _ in range(max(1, int.from_bytes(take(2), "little"))))
    named = other if name in ("", *UNKNOWN) else name
    return Site(chromosome(place), position, named or UNKNOWN[0], ",".join(rest), first), at + used


class _Record(NamedTuple):
    """A variant to decode.

    Attributes:
        snp: Its place in the plan's list.
        content: Its bytes; None where they are too many.
        alleles: How many it has.
        carried: Which of them is.
    """

    snp: int
    content: bytes | None
    alleles: int
    carried: int


def read_bgen(
    path: Path,
    bgen: Bgen,
    people: int,
    indices: Int64,
    rows: Int64,
    carried: Int64,
    work: Callable[[Dosages], R],
    lost: Callable[[Int64], None] = lambda _: None,
) -> Iterator[R]:
    """`work` of chunks of SNPs in the order of the file; some threads do it while the next is read.

    Args:
        path: The file.
        bgen: As it was opened.
        people: n.
        indices: Places in the plan's list, int64 (k,).
        rows: Their variants in the file, int64 (k,).
        carried: Which allele of each is carried, 0 being the first, int64 (k,).
        work: Done with each chunk.
        lost: Called with SNPs that could not be read, and count as missing.

    Raises:
        SourceError: when the file is gone, or is no longer the one that was checked.
    """

    def decode(chunk: list[_Record]) -> tuple[R, Int64]:
        steps = np.full((len(chunk), people), NO_DOSAGE, dtype=np.uint16)
        good = [_decoded(record, bgen.compression, out) for record, out in zip(chunk, steps, strict=True)]
        snps = np.array([record.snp for record in chunk], dtype=np.int64)
        return work(Dosages(snps, steps)), snps[~np.array(good)]

    wanted = [(int(indices[at]), int(rows[at]), int(carried[at])) for at in np.argsort(rows, kind="stable")]
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != bgen.size:
                raise changed(path)
            content = _Bytes(file.fileno(), bgen.size)
            for result, missed in in_order(decode, _chunks(content, bgen, people, wanted)):
                if len(missed):
                    lost(missed)
                yield result
    except (OSError, _Cut):
        raise changed(path) from None


def _chunks(content: _Bytes, bgen: Bgen, people: int, wanted: list[tuple[int, int, int]]) -> Iterator[list[_Record]]:
    length, chunk, room = dosage_length(people), list[_Record](), BYTES
    for snp, row, carried in wanted:
        at, size = bgen.places[row].tolist()
        alleles = 2 + bgen.sites.sites[row].first.count(",")
        is_short = size <= _most(people, alleles) and alleles <= MOST_ALLELES
        chunk.append(_Record(snp, content.take(at, size) if is_short else None, alleles, carried))
        room -= size if is_short else 0
        if len(chunk) == length or room < 0:
            yield chunk
            chunk, room = [], BYTES
    if chunk:
        yield chunk


def _most(people: int, alleles: int) -> int:
    """Bytes that the probabilities of a variant may have, of 32 bits each, compressed or not."""
    return 4096 + people * (1 + 2 * alleles * (alleles + 1))


def _decoded(record: _Record, compression: int, out: UInt16) -> bool:
    """Write a variant's dosages; whether it can be read. Where it cannot, nothing that was written counts."""
    content = None if record.content is None else _plain(record.content, compression, _most(len(out), record.alleles))
    if content is not None:
        if _decode(np.frombuffer(content, dtype=np.uint8), record.alleles, record.carried, out):
            return True
        out[:] = NO_DOSAGE
    return False


def _plain(content: bytes, compression: int, most: int) -> bytes | None:
    """Decompressed; None where it is not what it says."""
    if compression == _NOTHING:
        return content
    size = int.from_bytes(content[:4], "little")
    if len(content) < 4 or size > most:
        return None
    try:
        if compression == _ZSTD:
            return bytes(pa.decompress(content[4:], decompressed_size=size, codec="zstd", asbytes=True))
        inflate = zlib.decompressobj()
        plain = inflate.decompress(content[4:], size + 1)
    except (zlib.error, OSError, ValueError):
        return None
    return plain if len(plain) == size and inflate.eof else None


@compiled
def _decode(content: UInt8, alleles: int, carried: int, out: UInt16) -> bool:
    """The dosages of a variant, by its decompressed bytes; False where they say something else of themselves than is there.

    Before the probabilities: people (4 bytes), alleles (2), least and most copies (2); a byte for each person, with 128 for no call;
    whether phases are known, and bits of a number. The last number of a person, or of each copy where phases are known, is left out.
    """
    people = out.size
    begin: Any = np.int64(10 + people)
    if content.size < begin:
        return False
    stated: Any = np.int64(0)
    for at in range(4):
        stated += np.int64(content[at]) << (8 * at)
    phased = content[begin - 2]
    bits: Any = np.int64(content[begin - 1])
    if stated != people or content[4] != alleles or content[5] != 0 or phased > 1 or not 1 <= bits <= 32:
        return False
    whole: Any = (np.int64(1) << bits) - 1
    start: Any = np.int64(8) * begin
    stop = np.int64(8) * content.size
    for person in range(people):
        copies: Any = np.int64(content[8 + person] & 63)
        parts = copies if phased else np.int64(1)
        numbers = alleles if phased or copies == 1 else alleles * (alleles + 1) // 2
        if copies > 2:
            return False
        if copies == 0:
            out[person] = NO_DOSAGE
            continue
        own, wrong = np.int64(0), False
        if start + parts * (numbers - 1) * bits > stop:
            return False
        if alleles == 2 and parts == 1 and copies == 2:
            # Most files hold nothing else.
            two, one = _bits(content, start, bits), _bits(content, start + bits, bits)
            start += 2 * bits
            own = one + 2 * (whole - one - two if carried == 1 else two)
            wrong, parts = bool(one + two > whole), np.int64(0)
        for _ in range(parts):
            left, first, second = whole, 0, 0
            for number in range(numbers):
                value = left if number == numbers - 1 else _bits(content, start, bits)
                start += 0 if number == numbers - 1 else bits
                left -= value
                own += value * _weight(number, first, second, carried, numbers == alleles, copies)
                first += 1
                if first > second:
                    first, second = 0, second + 1
            wrong = wrong or bool(left < 0)
        missing = wrong or content[8 + person] > 127
        # A whole number below 2^48 by one of 32 bits at most: what is left is never so near to a half that a double mistakes it.
        out[person] = NO_DOSAGE if missing else np.floor(own * STEP / whole + 0.5)
    return True


@compiled
def _weight(number: int, first: int, second: int, carried: int, of_alleles: bool, copies: Any) -> int:
    """The copies of the carried allele in what a number is the probability of: an allele, or a pair; a single copy counts as two."""
    if of_alleles:
        return (number == carried) * (2 if copies == 1 else 1)
    return (first == carried) + (second == carried)


@compiled
def _bits(content: UInt8, at: Any, bits: Any) -> Any:
    """A number of some bits, the lowest first; all of them are there."""
    place, shift = at >> 3, at & 7
    number, known = np.int64(content[place]) >> shift, 8 - shift
    while known < bits:
        place += 1
        number |= np.int64(content[place]) << known
        known += 8
    return number & ((np.int64(1) << bits) - 1)
