"""PLINK 2's .pgen, read by its own library (the extra `pgen`): hard calls, or dosages where the plan counts them.

The library trusts what a file says: a hostile or broken one can end its process. So it runs in a process of its own (pgen_process.py),
which starts when a file is opened, before any charge, and ends with the last use of it. A variant that the library cannot read, or at
which it dies, counts as missing for everybody; `validate` names it.

The library opens a file that was cut off. The header says where each record lies, so the end of the last is looked at before any charge
(the .pgen specification of PLINK 2, sections 2.3 to 2.5).
"""

import json
import mmap
import os
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Never, TypeVar

import numpy as np
import numpy.typing as npt

from starling.distribution import install
from starling.engine.machine import in_order
from starling.errors import SourceError
from starling.genome.arrays import Flags, Int64
from starling.genome.source import pgen_process
from starling.genome.source.calls import MISSING, Calls, bytes_a_snp, packed
from starling.genome.source.dosages import NO_DOSAGE, Dosages
from starling.genome.source.input_checks import changed, refuse, size_of
from starling.genome.source.pgen_process import BLOCKS, DONE, HEAD, PASSED_OVER, REQUEST, block_bytes, blocks

R = TypeVar("R")
T = TypeVar("T")

CALLS: Final = 16 << 20
"""Bytes of a block: a call has one, a dosage two."""
MOST_VARIANTS: Final = 1 << 16
"""Of a block."""
_ENVIRONMENT: Final = ("LD_LIBRARY_PATH", "PATH", "VIRTUAL_ENV")
"""What the library's process is told of the environment: no token and no password of a ledger."""
_HEADER: Final = 12
"""Bytes of magic number, storage mode, numbers of SNPs and of people, and of the byte that says how records are listed."""
_FIXED, _LISTED = 0x02, 0x10
"""Storage modes: two bits a call and nothing else; records of any length, listed in the header. PLINK 2 writes no other unless told to."""
_BLOCK: Final = 1 << 16
"""SNPs that the header lists together."""


class PgenCalls:
    """An opened .pgen, and the process that reads it.

    Args:
        path: The file.
        people: n.
        alleles: How many alleles each variant of the file has, int64 (variants,).
        dosages: Whether dosages are read in place of calls; of a variant without them, what its calls say.

    Raises:
        SourceError: the library cannot open the file as one of so many people and variants, or no process can be started.
    """

    def __init__(self, path: Path, people: int, alleles: Int64, *, dosages: bool = False) -> None:
        self._path, self._people = path, people
        self._length = max(1, min(CALLS // (2 if dosages else 1) // people, MOST_VARIANTS, len(alleles)))
        self._reading = threading.Lock()
        size = HEAD + BLOCKS * block_bytes(self._length, people, dosages=dosages)
        handle = os.memfd_create("calls")
        try:
            # Memory that is not there is missed now and not after a charge.
            os.posix_fallocate(handle, 0, size)
            self._memory = mmap.mmap(handle, size)
            self._blocks = blocks(self._memory, self._length, people, dosages=dosages)
            self._link, far_end = socket.socketpair()
            with far_end:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", pgen_process.__file__, str(far_end.fileno()), str(handle)],
                    pass_fds=(far_end.fileno(), handle),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
                    | {"OPENBLAS_NUM_THREADS": "1"},
                    start_new_session=True,
                )
        except OSError as error:
            problem = f"needs a process and memory to be read, and there are none ({error.strerror})"
            refuse(path, problem, "free memory, or raise the limits of this account")
        finally:
            os.close(handle)
        self._finalizer = weakref.finalize(self, _end_process, self._link, self._process)
        several = bool((alleles != 2).any())
        job = {
            "path": os.path.abspath(path),  # noqa: PTH100 - a link stays one
            "people": people,
            "variants": len(alleles),
            "length": self._length,
            "offsets": several,
            "dosages": dosages,
            "paths": [str(place) for place in sys.path],
        }
        try:
            self._link.sendall(json.dumps(job).encode() + b"\n")
            if several:
                self._link.sendall(np.concatenate(([0], np.cumsum(alleles))).astype("<u8").tobytes())
            answer = self._link.recv(1)
        except OSError:
            answer = b""
        if answer != DONE:
            self.close()
            _refuse(path, people, len(alleles))

    def close(self) -> None:
        """End the process; nothing can be read any more."""
        self._finalizer()

    def chunks(self, indices: Int64, rows: Int64, alleles: Int64) -> Generator[tuple[Calls, Int64], None, None]:
        """Chunks of calls in the order of the file, each with the SNPs whose variant was passed over; arguments and errors are those of
        `read`.
        """
        for snps, copies, lost in self.read(indices, rows, alleles):
            copies[lost] = MISSING
            # Whatever is neither 0, 1 nor 2 is packed as missing. Copies of the carried allele were counted, so it is A1.
            yield Calls(snps, packed(copies), np.zeros(len(snps), dtype=np.bool_)), snps[lost]

    def dosages(self, indices: Int64, rows: Int64, alleles: Int64) -> Generator[tuple[Dosages, Int64], None, None]:
        """As `chunks`, of a .pgen that was opened for dosages."""
        for snps, steps, lost in self.read(indices, rows, alleles):
            steps[lost] = NO_DOSAGE
            yield Dosages(snps, steps.copy()), snps[lost]

    def read(
        self, indices: Int64, rows: Int64, alleles: Int64
    ) -> Generator[tuple[Int64, npt.NDArray[Any], Flags], None, None]:
        """SNPs in the order of the file, what was read of them, in memory that the next ones take, and which were passed over.

        `indices` and `rows` are as of `read_bed`; `alleles` says which allele of each is carried, 0 being the reference, int64 (k,). Raises
        SourceError when the file is gone, or somebody ended the process.
        """
        order = np.argsort(rows, kind="stable")
        parts = [order[start : start + self._length] for start in range(0, len(order), self._length)]
        with self._reading:
            requested = answered = 0
            try:
                while answered < len(parts):
                    while requested < min(len(parts), answered + BLOCKS):
                        which, block = parts[requested], self._blocks[requested % BLOCKS]
                        block.rows[: len(which)] = rows[which]
                        block.alleles[: len(which)] = alleles[which]
                        try:
                            self._link.sendall(REQUEST.pack(requested % BLOCKS, len(which)))
                        except OSError:
                            raise changed(self._path) from None
                        requested += 1
                    self._answer()
                    which, block = parts[answered], self._blocks[answered % BLOCKS]
                    answered += 1
                    yield indices[which], block.calls[: len(which)], block.states[: len(which)] == PASSED_OVER
            finally:
                for _ in range(requested - answered):
                    self._answer()

    def _answer(self) -> None:
        try:
            answer = self._link.recv(1)
        except OSError:
            answer = b""
        if answer != DONE:
            raise changed(self._path)


def _end_process(link: socket.socket, process: "subprocess.Popen[bytes]") -> None:
    link.close()
    process.wait()


def _refuse(path: Path, people: int, variants: int) -> Never:
    problem = f"is not a .pgen of {people} people and {variants} SNPs"
    refuse(path, problem, "give the .pgen that belongs to the .pvar, and correct people in the plan")


def open_pgen(path: Path, people: int, alleles: Int64, *, dosages: bool = False) -> tuple[int, PgenCalls]:
    """The size of a .pgen that has as many people and variants as its .psam and .pvar, and its reader; arguments are `PgenCalls`'s. Raises
    SourceError when it has not, is none, does not end where its header says, or the library is missing.
    """
    if find_spec("pgenlib") is None:
        problem = "are a .pgen, which needs the extra pgen"
        fix = f"{install('pgen')}, or convert by plink2 --make-bed"
        raise SourceError("genotypes", problem, fix)
    size = size_of(path)
    calls = PgenCalls(path, people, alleles, dosages=dosages)
    try:
        end = _end(path, people, len(alleles))
    except (OSError, ValueError):
        _refuse(path, people, len(alleles))
    if size != end:
        fix = "copy it again, or write it again by plink2 --make-pgen"
        refuse(path, "does not end where its header says that it does", fix)
    return size, calls


def _end(path: Path, people: int, rows: int) -> int:
    """Where the last record ends, by the header of a file of so many people and SNPs. Raises ValueError where the file ends within its
    header, or is of another storage mode.
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


def read_pgen(
    path: Path,
    size: int,
    chunks: Iterator[tuple[T, Int64]],
    work: Callable[[T], R],
    lost: Callable[[Int64], None] = lambda _: None,
) -> Iterator[R]:
    """`work` of `PgenCalls.chunks` or `PgenCalls.dosages` of a file whose size is as checked, as of `read_bed`; `lost` is called with SNPs
    that could not be read.
    """

    def read() -> Iterator[T]:
        for chunk, missed in chunks:
            if len(missed):
                lost(missed)
            yield chunk

    try:
        if path.stat().st_size != size:
            raise changed(path)
    except OSError:
        raise changed(path) from None
    yield from in_order(work, read())
