"""VCF and BCF, read record by record by htslib (cyvcf2): any size in the memory of some records.

A record is the SNP of the plan's list with its id; one without an id is called CHROM:POS:REF:ALT, the chromosome named as in the
plan. The first record of an id counts. A file of variants often leaves out a site that nobody carries, so a SNP without a record
is carried by nobody, and its absence is told by `validate` alone. A record that htslib cannot parse is passed over: that every record
is well-formed is the custodian's to see to, and `validate` tells.

So a file that was cut off (a full disk, a broken copy) would be read as one in which nobody carries the rest. Its end is public
shape, and is looked at before any charge: what is compressed must end as bgzip ends it, with an empty block, text with a line.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from starling.engine.machine import in_order
from starling.genome.plan import Plan
from starling.genome.plan.sites import chromosome
from starling.genome.source.calls import MISSING, Calls, Int8, Int64, chunk_length, packed
from starling.genome.source.input_checks import changed, refuse, size_of
from starling.privacy.compiled import compiled

R = TypeVar("R")

Alleles: TypeAlias = npt.NDArray[np.int16]

CALLS: Final = 8 << 20
"""Unpacked calls of a chunk, a byte each."""
MOST_BROKEN: Final = 1000
"""Records in a row that cannot be parsed; a file cut off within a compressed block gives no end of them."""
_PADDING: Final = -2
_TEXT: Final = b"##fileformat=VCF"
_GZIP: Final = b"\x1f\x8b"
_PLAIN_BCF: Final = b"BCF"
END_BLOCK: Final = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
"""The empty block by which bgzip ends a file (SAM format specification, section 4.1.2)."""
_BGZF: Final = slice(12, 16)
"""Where the first block of a file says that it is bgzip's, by its first subfield: BC, of two bytes."""


def check_vcf(path: Path) -> tuple[int, tuple[str, ...]]:
    """The size of a VCF or BCF and the people that its header names.

    Raises:
        SourceError: when it is none, or was cut off.
    """
    size = size_of(path)
    with path.open("rb") as file:
        start = file.read(32)
        file.seek(max(0, size - len(END_BLOCK)))
        end = file.read(len(END_BLOCK))
    if not start.startswith((_TEXT, _GZIP, _PLAIN_BCF)):
        refuse(path, "does not begin as a VCF or BCF does", "give a .vcf, .vcf.gz or .bcf")
    _check_end(path, start, end)
    try:
        reader = _open(path)
    except Exception:  # noqa: BLE001 - the library raises bare Exception for what is no VCF
        reader = None
    if reader is None:
        refuse(path, "has no header of a VCF or BCF", "write it again by bcftools")
    try:
        return size, tuple(reader.samples)
    finally:
        reader.close()


def _check_end(path: Path, start: bytes, end: bytes) -> None:
    """Raises SourceError unless the last bytes of a file with these first ones are those of a whole file."""
    if start.startswith(_PLAIN_BCF):
        fix = "write it by bcftools view -Ob"
        refuse(path, "is a BCF without compression, of which nobody sees whether it was cut off", fix)
    if start.startswith(_GZIP) and start[_BGZF] != b"BC\x02\x00":
        fix = "compress it by bgzip, or bcftools view -Oz"
        refuse(path, "is compressed by gzip, which does not show whether a file was cut off", fix)
    if start.startswith(_GZIP) and end != END_BLOCK:
        fix = "copy or write it again: the rest of its SNPs would count as carried by nobody"
        refuse(path, "was cut off: it lacks the block by which bgzip ends a file", fix)
    if start.startswith(_TEXT) and not end.endswith(b"\n"):
        refuse(path, "was cut off: it ends within a line", "copy or write it again")


def read_vcf(path: Path, size: int, plan: Plan, indices: Int64, work: Callable[[Calls], R]) -> Iterator[R]:
    """`work` of chunks of SNPs, in the order of the file, then of those that it does not have.

    Args:
        path: Where the file is.
        size: Its bytes, as checked.
        plan: The SNP list, and how many people there are.
        indices: Which SNPs of the list to read, int64 (k,).
        work: What is done with each chunk; some threads do it while the next is read.

    Raises:
        SourceError: when the file is gone, or is no longer the one that was checked.
    """
    if not path.is_file() or path.stat().st_size != size:
        raise changed(path)
    yield from in_order(work, _chunks(path, plan, indices))


def _chunks(path: Path, plan: Plan, indices: Int64) -> Iterator[Calls]:
    wanted = set(indices.tolist())
    length = max(1, CALLS // plan.people)
    counted: list[int] = []
    copies = np.empty((length, plan.people), dtype=np.int8)
    for record in records(path):
        at = plan.snps.indices.get(name_of(record), -1)
        if at not in wanted:
            continue
        wanted.remove(at)
        alleles = alleles_of(record)
        if alleles is None:
            copies[len(counted)] = MISSING
        else:
            _count(alleles, carried_index(record, plan.snps.carried[at]), copies[len(counted)])
        counted.append(at)
        if len(counted) == length:
            yield _calls(counted, packed(copies))
            counted = []
    if counted:
        yield _calls(counted, packed(copies[: len(counted)]))
    absent, nobody = sorted(wanted), packed(np.zeros((1, plan.people), dtype=np.int8))
    length = chunk_length(plan.people)
    for start in range(0, len(absent), length):
        some = absent[start : start + length]
        yield _calls(some, np.repeat(nobody, len(some), axis=0))


def _calls(indices: list[int], rows: npt.NDArray[np.uint8]) -> Calls:
    # Copies of the carried allele were counted, so it is A1.
    return Calls(np.array(indices, dtype=np.int64), rows, np.zeros(len(indices), dtype=np.bool_))


def _open(path: Path) -> Any:
    from cyvcf2 import VCF
    from cyvcf2.cyvcf2 import set_htslib_log_level

    # htslib would write what it finds in a record to standard error, calls included.
    set_htslib_log_level(0)
    return VCF(str(path), threads=2)


def records(path: Path, broken: Callable[[], None] = lambda: None) -> Iterator[Any]:
    """Each record that htslib can parse; `broken` is called for each other. After MOST_BROKEN in a row the file has ended."""
    reader = _open(path)
    in_a_row = 0
    try:
        while in_a_row < MOST_BROKEN:
            try:
                record = next(reader)
            except StopIteration:
                return
            except Exception:  # noqa: BLE001 - the library raises bare Exception for a record that it cannot parse
                in_a_row += 1
                broken()
                continue
            in_a_row = 0
            yield record
    finally:
        reader.close()


def name_of(record: Any) -> str:
    """The id of a record, or CHROM:POS:REF:ALT."""
    if record.ID is not None:
        return str(record.ID)
    return ":".join((chromosome(record.CHROM), str(record.POS), record.REF, ",".join(record.ALT)))


def carried_index(record: Any, carried: str) -> int:
    """Which of the record's alleles is carried, REF being 0; a number that no call has if none is."""
    alleles = [record.REF, *record.ALT]
    return alleles.index(carried) if carried in alleles else len(alleles) + 1


def alleles_of(record: Any) -> Alleles | None:
    """The alleles of each person's call, int16 (n, ploidy): -1 for none known, -2 where there is no further one. None without calls."""
    try:
        genotype = record.genotype
    except Exception:  # noqa: BLE001 - the library raises bare Exception for calls of another kind than GT
        return None
    return None if genotype is None else np.asarray(genotype.array(fill=_PADDING)[:, :-1], dtype=np.int16)


@compiled
def _count(alleles: Alleles, carried: int, out: Int8) -> None:
    """Copies of an allele in each call: 0, 1, 2 or MISSING."""
    for person in range(alleles.shape[0]):
        number, known, missing = 0, 0, False
        for index in range(alleles.shape[1]):
            allele = alleles[person, index]
            if allele == MISSING:
                missing = True
            elif allele != _PADDING:
                known += 1
                number += allele == carried
        if missing or known == 0:
            out[person] = MISSING
        else:
            out[person] = min(2, 2 * number if known == 1 else number)
