"""PLINK 2's .pgen, read by its own library (the extra `pgen`), hard calls only. Dosages are not used.

The library opens a file that was cut off, and fails where it reads beyond its end, which is after the charge. The header says where each
record lies, so the end of the last is looked at before (the .pgen specification of PLINK 2, sections 2.3 to 2.5).
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

import numpy as np

from starling.distribution import install
from starling.engine.machine import in_order
from starling.errors import SourceError
from starling.genome.source.calls import MISSING, Calls, Flags, Int64, bytes_a_snp, packed
from starling.genome.source.input_checks import changed, refuse, size_of

R = TypeVar("R")

CALLS: Final = 32 << 20
"""Unpacked calls of a chunk, a byte each."""
_NO_CALL: Final = -9
_HEADER: Final = 12
"""Bytes of magic number, storage mode, numbers of SNPs and of people, and of the byte that says how records are listed."""
_FIXED, _LISTED = 0x02, 0x10
"""Storage modes: two bits a call and nothing else; records of any length, listed in the header. PLINK 2 writes no other unless told to."""
_BLOCK: Final = 1 << 16
"""SNPs that the header lists together."""


def _library() -> ModuleType:
    try:
        import pgenlib
    except ImportError:
        problem = "are a .pgen, which needs the extra pgen"
        fix = f"{install('pgen')}, or convert by plink2 --make-bed"
        raise SourceError("genotypes", problem, fix) from None
    return pgenlib  # type: ignore[no-any-return]


def check_pgen(path: Path, people: int, rows: int) -> int:
    """The size of a .pgen that has as many people and SNPs as its .psam and .pvar.

    Raises:
        SourceError: when it has not, is none, does not end where its header says, or the library is missing.
    """
    library = _library()
    size = size_of(path)
    try:
        with _open(library, path, people, rows):
            end = _end(path, people, rows)
    except (RuntimeError, OSError, ValueError, AssertionError):
        problem = f"is not a .pgen of {people} people and {rows} SNPs"
        refuse(path, problem, "give the .pgen that belongs to the .pvar, and correct people in the plan")
    if size != end:
        fix = "copy it again, or write it again by plink2 --make-pgen"
        refuse(path, "does not end where its header says that it does", fix)
    return size


def _end(path: Path, people: int, rows: int) -> int:
    """Where the last record ends, by the header of a file of so many people and SNPs.

    Raises:
        ValueError: the file ends within its header, or is of another storage mode.
    """
    with path.open("rb") as file:
        header = file.read(_HEADER)
        if len(header) == _HEADER and header[2] == _FIXED:
            return _HEADER + rows * bytes_a_snp(people)
        if len(header) < _HEADER or header[2] != _LISTED:
            raise ValueError
        how = header[-1]
        # Bits of a record's type, bytes of its length, bytes of its number of alleles; whether there is a bit for its reference allele.
        kind, length, alleles, flags = 4 << (how >> 2 & 1), 1 + (how & 3), how >> 4 & 3, how >> 6 == 3
        blocks = (rows + _BLOCK - 1) // _BLOCK
        last = rows - (blocks - 1) * _BLOCK
        file.seek(_HEADER + 8 * (blocks - 1))
        begin = int.from_bytes(file.read(8), "little")
        listed = _BLOCK * kind // 8 + _BLOCK * (length + alleles) + flags * _BLOCK // 8
        file.seek((blocks - 1) * listed + (last * kind + 7) // 8, os.SEEK_CUR)
        lengths = np.frombuffer(file.read(last * length), dtype=np.uint8)
        if len(lengths) < last * length:
            raise ValueError
        weights = np.array([256**place for place in range(length)], dtype=np.int64)
        return begin + int((lengths.reshape(last, length).astype(np.int64) @ weights).sum())


def _open(library: ModuleType, path: Path, people: int, rows: int) -> Any:
    return library.PgenReader(bytes(path), raw_sample_ct=people, variant_ct=rows)


def read_pgen(
    path: Path,
    size: int,
    people: int,
    sites: int,
    indices: Int64,
    rows: Int64,
    second: Flags,
    work: Callable[[Calls], R],
) -> Iterator[R]:
    """As `read_bed`; `sites` is the number of rows of the file."""
    try:
        if path.stat().st_size != size:
            raise changed(path)
        with _open(_library(), path, people, sites) as reader:
            yield from in_order(work, _chunks(reader, people, indices, rows, second))
    except (RuntimeError, OSError, ValueError):
        raise changed(path) from None


def _chunks(reader: Any, people: int, indices: Int64, rows: Int64, second: Flags) -> Iterator[Calls]:
    order = np.argsort(rows, kind="stable")
    length = max(1, CALLS // people)
    for start in range(0, len(order), length):
        which = order[start : start + length]
        alternate = np.empty((len(which), people), dtype=np.int8)
        reader.read_list(rows[which].astype(np.uint32), alternate)
        # A .pvar's ALT takes the place of A1.
        alternate[alternate == _NO_CALL] = MISSING
        yield Calls(indices[which], packed(alternate), second[which])
