"""VCF and BCF, read record by record: any size in the memory of some records.

A record is the SNP of the plan's list with its id (plan/snps.py says which ways to write an id are one). One without an id is called
CHROM:POS:REF:ALT; where the list calls none so, it is each SNP at its place whose two alleles it has. One of several alternate alleles is
each SNP of the list that is one of them. The first record of a SNP counts. A file of variants often leaves out a site, or an allele, that
nobody carries, so a SNP without a record is carried by nobody, or where missing calls have a cell of their own, nobody has a call of it
(plan/missing.py says of which plans). Its absence is told by `validate` alone. A record that cannot be read is passed over: that every
record is well-formed is the custodian's to see to, and `validate` tells.

So a file that was cut off (a full disk, a broken copy) would be read as one in which nobody carries the rest. Its end is public
shape, and is looked at before any charge: what is compressed must end as bgzip ends it, with an empty block, text with a line.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from starling.engine.machine import in_order
from starling.genome.arrays import Int64, UInt16
from starling.genome.plan import Plan
from starling.genome.source.bcf import MAGIC, Stream, coded_variants
from starling.genome.source.bgzip import END_BLOCK, GZIP, pieces
from starling.genome.source.calls import MISSING, Calls, Variant, chunk_length, packed
from starling.genome.source.dosages import NO_DOSAGE, STEP, Dosages, dosage_length
from starling.genome.source.input_checks import changed, refuse, size_of
from starling.genome.source.vcf_text import text_variants

R = TypeVar("R")

CALLS: Final = 8 << 20
"""Calls of a chunk."""
BYTES: Final = 32 << 20
"""Bytes of a chunk's calls, as they are in the file."""
MOST_HEADER: Final = 1 << 28
"""Bytes of a header."""
_TEXT: Final = b"##fileformat=VCF"
_PLAIN_BCF: Final = b"BCF"
_COLUMNS: Final = (b"#CHROM", b"POS", b"ID", b"REF", b"ALT", b"QUAL", b"FILTER", b"INFO", b"FORMAT")
_REWRITE: Final = "write it again by bcftools"
_MARK: Final = b"\xef\xbb\xbf"
_BGZF: Final = slice(12, 16)
"""Where the first block of a file says that it is bgzip's, by its first subfield: BC, of two bytes."""


def check_vcf(path: Path) -> tuple[int, tuple[bytes, ...]]:
    """The size of a VCF or BCF and the people that its header names. Raises SourceError when it is none, or was cut off."""
    size = size_of(path)
    with path.open("rb") as file:
        start = file.read(32)
        file.seek(max(0, size - len(END_BLOCK)))
        end = file.read(len(END_BLOCK))
    if start.startswith(_MARK + _TEXT):
        refuse(path, "begins with a byte order mark", "save it as UTF-8 without one")
    if not start.startswith((_TEXT, GZIP, _PLAIN_BCF)):
        refuse(path, "does not begin as a VCF or BCF does", "give a .vcf, .vcf.gz or .bcf")
    if start.startswith(_PLAIN_BCF):
        fix = "write it by bcftools view -Ob"
        refuse(path, "is a BCF without compression, in which a cut cannot be detected", fix)
    if start.startswith(GZIP) and start[_BGZF] != b"BC\x02\x00":
        fix = "compress it by bgzip, or bcftools view -Oz"
        refuse(path, "is compressed by gzip, which does not show whether a file was cut off", fix)
    if start.startswith(GZIP) and end != END_BLOCK:
        fix = "copy or write it again: the rest of its SNPs would count as carried by nobody"
        refuse(path, "was cut off: it lacks the block by which bgzip ends a file", fix)
    if start.startswith(_TEXT) and end.endswith(b"\r"):
        refuse(path, "ends its lines by a carriage return alone", "save it with the line ends of Linux or Windows")
    if start.startswith(_TEXT) and not end.endswith(b"\n"):
        refuse(path, "was cut off: it ends within a line", "copy or write it again")
    try:
        header = _header(path)
    except OSError:
        raise changed(path) from None
    return size, _samples(path, header)


def _header(path: Path) -> bytes:
    """The text of the header; of a VCF up to the end of its last line, or what there is of it."""
    with closing(pieces(path)) as content:
        stream = Stream(content)
        start = stream.take(len(MAGIC[0]))
        if start in MAGIC:
            return stream.take(min(int.from_bytes(stream.take(4), "little"), MOST_HEADER)).rstrip(b"\0")
        header = bytearray(start)
        while len(header) < MOST_HEADER and (part := stream.take(1 << 16)):
            begin = max(0, header.rfind(b"\n"))
            header += part
            if (last := header.find(b"\n#CHROM", begin)) >= 0 and (end := header.find(b"\n", last + 1)) >= 0:
                return bytes(header[:end])
        return bytes(header)


def _samples(path: Path, header: bytes) -> tuple[bytes, ...]:
    lines = header.removesuffix(b"\n").split(b"\n")
    last = lines[-1].removesuffix(b"\r")
    if not header.startswith(_TEXT) or not last.startswith(b"#CHROM"):
        refuse(path, "has no header of a VCF or BCF", _REWRITE)
    columns = tuple(last.split(b"\t"))
    if columns[: len(_COLUMNS)] != _COLUMNS:
        if tuple(last.split()[: len(_COLUMNS)]) == _COLUMNS:
            refuse(path, "has a header whose columns are not apart by tabs", _REWRITE)
        if columns == _COLUMNS[:-1]:
            refuse(path, "has no genotypes: its header ends before FORMAT", "give a file with the calls of the people")
        refuse(path, "has a header that does not name the columns from #CHROM to FORMAT", _REWRITE)
    return columns[len(_COLUMNS) :]


def read_vcf(path: Path, size: int, plan: Plan, indices: Int64, work: Callable[[Calls], R]) -> Iterator[R]:
    """`work` of chunks of SNPs, in the order of the file, then of those that it does not have; some threads do it while the next is read.

    `size` is that of the file as checked, and `indices`, int64 (k,), say which SNPs of the list are read. Raises SourceError when the
    file is gone, or is no longer the one that was checked.
    """

    def decode(chunk: list[tuple[int, Variant | None]]) -> R:
        copies = np.empty((len(chunk), plan.people), dtype=np.int8)
        for row, (at, variant) in enumerate(chunk):
            if variant is None:
                copies[row] = 0 if plan.missing is None else MISSING
            elif variant.calls is None:
                copies[row] = MISSING
            else:
                variant.calls.count(variant.allele_index(plan.snps.carried[at]), copies[row])
        places = np.array([at for at, _ in chunk], dtype=np.int64)
        # Copies of the carried allele were counted, so it is A1.
        return work(Calls(places, packed(copies), np.zeros(len(chunk), dtype=np.bool_)))

    most = max(1, CALLS // plan.people)
    return _decoded(path, size, plan, indices, decode, most, min(most, chunk_length(plan.people)))


def read_vcf_dosages(path: Path, size: int, plan: Plan, indices: Int64, work: Callable[[Dosages], R]) -> Iterator[R]:
    """As `read_vcf`, of DS, or of GP where a record has no DS, or of calls where it has neither."""

    def decode(chunk: list[tuple[int, Variant | None]]) -> R:
        steps = np.empty((len(chunk), plan.people), dtype=np.uint16)
        for row, (at, variant) in enumerate(chunk):
            if variant is None:
                steps[row] = 0
            else:
                record_dosages(variant, variant.allele_index(plan.snps.carried[at]), steps[row])
        return work(Dosages(np.array([at for at, _ in chunk], dtype=np.int64), steps))

    length = dosage_length(plan.people)
    return _decoded(path, size, plan, indices, decode, length, length)


def record_dosages(variant: Variant, carried: int, out: UInt16) -> int:
    """Write the dosages of an allele of a record, uint16 (n,); gives how many cannot be read."""
    if variant.dosages is not None:
        return variant.dosages.count(carried, out)
    copies = np.full(len(out), MISSING, dtype=np.int8)
    unreadable = 0 if variant.calls is None else variant.calls.count(carried, copies)
    out[:] = np.where(copies == MISSING, NO_DOSAGE, copies.astype(np.int64) * STEP)
    return unreadable


def unreadable(variant: Variant, carried: int, plan: Plan) -> int:
    """How many calls or dosages of a record, whichever the plan counts, cannot be read."""
    if plan.genotypes == "dosages":
        return record_dosages(variant, carried, np.empty(plan.people, dtype=np.uint16))
    return 0 if variant.calls is None else variant.calls.count(carried, np.empty(plan.people, dtype=np.int8))


def _decoded(
    path: Path,
    size: int,
    plan: Plan,
    indices: Int64,
    decode: Callable[[list[tuple[int, Variant | None]]], R],
    most: int,
    absent: int,
) -> Iterator[R]:
    """Chunks of at most so many SNPs, and those without a record."""
    try:
        if path.stat().st_size != size:
            raise changed(path)
        yield from in_order(decode, _chunks(path, plan, indices, most, absent))
    except OSError:
        raise changed(path) from None


def _chunks(
    path: Path, plan: Plan, indices: Int64, most: int, length: int
) -> Iterator[list[tuple[int, Variant | None]]]:
    """SNPs of the list and their records, then those that have none."""
    wanted = set(indices.tolist())
    chunk: list[tuple[int, Variant | None]] = []
    room = BYTES
    for variant in variants(path, plan.people):
        for at in plan.snps.of_record(variant.name, variant.alleles, variant.place):
            if at not in wanted:
                continue
            wanted.remove(at)
            chunk.append((at, variant))
            room -= 0 if variant.calls is None else variant.calls.nbytes
            if len(chunk) == most or room < 0:
                yield chunk
                chunk, room = [], BYTES
    if chunk:
        yield chunk
    absent = sorted(wanted)
    for start in range(0, len(absent), length):
        yield [(at, None) for at in absent[start : start + length]]


def variants(path: Path, people: int, broken: Callable[[], None] = lambda: None) -> Iterator[Variant]:
    """Each record that can be read; `broken` is called for each other. Raises OSError where the file cannot be read."""
    with closing(pieces(path)) as content:
        start = b""
        for piece in content:
            start += piece
            if len(start) >= len(MAGIC[0]):
                break
        read = coded_variants if start.startswith(MAGIC) else text_variants
        yield from read(chain((start,), content), people, broken)
