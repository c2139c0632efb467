"""PLINK's .bed: packed calls read by position, never mapped (a file cut off while mapped would kill the process), never unpacked.

A .bed says nothing but calls, so its size is public: three bytes, and for each SNP of the .bim two bits a person.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from starling.engine.machine import in_order, processors
from starling.genome.arrays import Flags, Int64, UInt8
from starling.genome.source.calls import CHUNK, Calls, bytes_a_snp, chunk_length
from starling.genome.source.input_checks import changed, refuse, size_of

MAGIC: Final = b"\x6c\x1b"
BY_SNP, BY_PERSON = b"\x01", b"\x00"
HEADER: Final = 3
"""Bytes before the first SNP."""

R = TypeVar("R")


def check_bed(path: Path, people: int, rows: int) -> int:
    """The size of a .bed that fits the public numbers of people and of SNPs in its .bim. Raises SourceError when its first bytes or its
    size are not those.
    """
    size = size_of(path)
    with path.open("rb") as file:
        start = file.read(HEADER)
    if start[:2] != MAGIC:
        refuse(path, "does not begin as a .bed does", "give a .bed written by PLINK")
    if start[2:] == BY_PERSON:
        refuse(path, "is ordered by person", "write it again by plink --make-bed, which orders by SNP")
    if start[2:] != BY_SNP:
        refuse(path, "does not begin as a .bed does", "give a .bed written by PLINK")
    expected = HEADER + rows * bytes_a_snp(people)
    if size != expected:
        problem = f"does not have the {expected} bytes of {people} people and {rows} SNPs"
        refuse(path, problem, "give the .bed that belongs to the .bim, and correct people in the plan")
    return size


def read_bed(
    path: Path,
    size: int,
    people: int,
    indices: Int64,
    rows: Int64,
    second: Flags,
    work: Callable[[Calls], R],
    chunk: int = CHUNK,
) -> Iterator[R]:
    """`work` of chunks of SNPs of at most `chunk` bytes each, done by several threads, in the order of the file, whose size is as checked.

    `indices` say which SNPs of the plan's list are read, `rows` which rows of the file they are, int64 (k,), and `second` whether the
    carried allele is A2, bool (k,). Raises SourceError when the file is gone, or is no longer the one that was checked.
    """
    stride = bytes_a_snp(people)
    order = np.argsort(rows, kind="stable")
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        raise changed(path) from None
    try:
        if os.fstat(file).st_size != size:
            raise changed(path)

        def one(start: int) -> R:
            which = order[start : start + length]
            packed = np.empty((len(which), stride), dtype=np.uint8)
            _fill(file, path, rows[which], packed)
            _read_ahead(file, rows[order[start + ahead : start + ahead + length]], stride)
            return work(Calls(indices[which], packed, second[which]))

        # Rounds of all threads, so that none of them is left with the last chunk.
        rounds = -(-len(order) // (processors() * chunk_length(people, chunk)))
        length = max(1, -(-len(order) // max(1, processors() * rounds)))
        ahead = processors() * length
        yield from in_order(one, range(0, len(order), length))
    finally:
        os.close(file)


def _fill(file: int, path: Path, rows: Int64, out: UInt8) -> None:
    """Read rows, ascending, each run of neighbours at once."""
    stride = out.shape[1]
    breaks = [0, *(np.flatnonzero(np.diff(rows) != 1) + 1).tolist(), len(rows)]
    flat = out.reshape(-1).data
    for begin, end in pairwise(breaks):
        place, left = HEADER + int(rows[begin]) * stride, flat[begin * stride : end * stride]
        while left:
            try:
                got = os.preadv(file, [left], place)
            except OSError:
                got = 0
            if not got:
                raise changed(path)
            place, left = place + got, left[got:]


def _read_ahead(file: int, rows: Int64, stride: int) -> None:
    """Have the system fetch rows, ascending, while others are worked on, where it can and they lie together."""
    if rows.size and hasattr(os, "posix_fadvise") and rows[-1] - rows[0] < 2 * rows.size:
        start = HEADER + int(rows[0]) * stride
        with suppress(OSError):
            os.posix_fadvise(file, start, int(rows[-1] - rows[0] + 1) * stride, os.POSIX_FADV_WILLNEED)
