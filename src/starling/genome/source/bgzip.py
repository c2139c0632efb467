"""The bytes of a file, plain or compressed by bgzip, piece by piece. Where a block is broken the file ends: no byte makes reading fail.

bgzip's blocks stand alone (SAM format specification, section 4.1), so some threads inflate them.
"""

import zlib
from collections.abc import Generator, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

from starling.engine.machine import in_order

GZIP: Final = b"\x1f\x8b"
END_BLOCK: Final = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
"""The empty block by which bgzip ends a file."""
PIECE: Final = 4 << 20
"""Bytes of a piece, about."""
_BLOCKS: Final = 64
"""Compressed blocks of a piece."""
_LONGEST: Final = 1 << 16
"""Bytes of a block, compressed or not."""
_HEAD: Final = b"\x1f\x8b\x08\x04"
_FIXED: Final = 12
"""Bytes of a block's head before its subfields."""


def pieces(path: Path) -> Generator[bytes, None, None]:
    """The bytes of a file in order; raises OSError where it cannot be read."""
    with path.open("rb") as file:
        start = file.read(len(GZIP))
        file.seek(0)
        if start == GZIP:
            yield from _inflated(file)
            return
        while piece := file.read(PIECE):
            yield piece


def _inflated(file: BinaryIO) -> Iterator[bytes]:
    blocks = iter(partial(_block, file), None)
    groups = iter(lambda: list(islice(blocks, _BLOCKS)), [])
    for piece, whole in in_order(_inflate, groups):
        yield piece
        if not whole:
            return


def _block(file: BinaryIO) -> bytes | None:
    """What comes after the head of the next block; None where there is no further one."""
    head = file.read(_FIXED)
    if len(head) < _FIXED or not head.startswith(_HEAD):
        return None
    extra = file.read(int.from_bytes(head[10:12], "little"))
    at, size = 0, 0
    while at + 4 <= len(extra):
        length = int.from_bytes(extra[at + 2 : at + 4], "little")
        if extra[at : at + 2] == b"BC" and length == 2:
            size = int.from_bytes(extra[at + 4 : at + 6], "little") + 1 - _FIXED - len(extra)
        at += 4 + length
    block = file.read(size) if size > 0 else b""
    return block if len(block) == size > 0 else None


def _inflate(blocks: list[bytes]) -> tuple[bytes, bool]:
    """The bytes of blocks, and whether all of them were whole; what comes after a broken one is left out."""
    parts: list[bytes] = []
    for block in blocks:
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            part = inflate.decompress(block[:-8], _LONGEST)
        except zlib.error:
            return b"".join(parts), False
        check = (zlib.crc32(part), len(part))
        if not inflate.eof or check != (int.from_bytes(block[-8:-4], "little"), int.from_bytes(block[-4:], "little")):
            return b"".join(parts), False
        parts.append(part)
    return b"".join(parts), True
