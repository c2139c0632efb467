"""PLINK 2's .pgen, read by its own library (the extra `pgen`), hard calls only. Dosages are not used."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

import numpy as np

from starling.engine.ahead import in_order
from starling.errors import SourceError
from starling.genome.source.calls import MISSING, Calls, Flags, Int64, packed
from starling.genome.source.refusing import changed, refuse, size_of

R = TypeVar("R")

CALLS: Final = 32 << 20
"""Unpacked calls of a chunk, a byte each."""
_NO_CALL: Final = -9


def _library() -> ModuleType:
    try:
        import pgenlib
    except ImportError:
        raise SourceError(
            field="genotypes",
            problem="are a .pgen, which needs the extra pgen",
            fix="install starling[pgen], or convert by plink2 --make-bed",
        ) from None
    return pgenlib  # type: ignore[no-any-return]


def check_pgen(path: Path, people: int, rows: int) -> int:
    """The size of a .pgen that has as many people and SNPs as its .psam and .pvar.

    Raises:
        SourceError: when it has not, is none, or the library is missing.
    """
    library = _library()
    size = size_of(path)
    try:
        with _open(library, path, people, rows):
            return size
    except (RuntimeError, OSError, ValueError, AssertionError):
        refuse(
            path,
            f"is not a .pgen of {people} people and {rows} SNPs",
            "give the .pgen that belongs to the .pvar, and correct people in the plan",
        )


def _open(library: ModuleType, path: Path, people: int, rows: int) -> Any:
    return library.PgenReader(bytes(path), raw_sample_ct=people, variant_ct=rows)


def read_pgen(
    path: Path,
    size: int,
    people: int,
    sites: int,
    places: Int64,
    rows: Int64,
    second: Flags,
    work: Callable[[Calls], R],
) -> Iterator[R]:
    """As `read_bed`; `sites` is the number of rows of the file."""
    try:
        if path.stat().st_size != size:
            raise changed(path)
        with _open(_library(), path, people, sites) as reader:
            yield from in_order(work, _chunks(reader, people, places, rows, second))
    except (RuntimeError, OSError, ValueError):
        raise changed(path) from None


def _chunks(reader: Any, people: int, places: Int64, rows: Int64, second: Flags) -> Iterator[Calls]:
    order = np.argsort(rows, kind="stable")
    length = max(1, CALLS // people)
    for start in range(0, len(order), length):
        which = order[start : start + length]
        alternate = np.empty((len(which), people), dtype=np.int8)
        reader.read_list(rows[which].astype(np.uint32), alternate)
        # A .pvar's ALT takes the place of A1.
        alternate[alternate == _NO_CALL] = MISSING
        yield Calls(places[which], packed(alternate), second[which])
