"""Numbers put away on a disk while a count runs, in a file that has no name.

The file is unlinked as it is made: nobody else can open it, and it is gone with the process however that ends, killed or not. Its bytes are
freed, not wiped: where confidential bytes must not stay on a disk, point TMPDIR at an encrypted one.
"""

import os
import weakref
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

import numpy as np
import numpy.typing as npt

from starling.errors import OutputError

_BLOCK: Final = 1 << 13
"""Numbers that `check` writes: 64 KiB."""

Int64 = npt.NDArray[np.int64]


class Spill:
    """A private file of int64, written at its end and read anywhere, by several threads. Closed when nobody holds it any more.

    Args:
        folder: The folder on whose disk the spilled rows lie; None for the system's temporary folder.
        most: The most bytes that they may take; None for what the disk has.

    Its methods raise OutputError when the disk is full or fails, or `most` is reached.
    """

    def __init__(self, folder: Path | None = None, most: int | None = None) -> None:
        try:
            file = TemporaryFile(prefix="starling-", dir=folder, buffering=0)  # noqa: SIM115 - closed with this object
        except OSError:
            raise spill_failed() from None
        self._file, self._bytes, self._most = file.fileno(), 0, most
        weakref.finalize(self, file.close)

    def append(self, numbers: Int64) -> int:
        """Put numbers at the end; how many stand before them."""
        place = self._bytes
        data = np.ascontiguousarray(numbers).data.cast("B")
        if self._most is not None and place + len(data) > self._most:
            raise spill_failed()
        try:
            while len(data):
                written = os.pwrite(self._file, data, self._bytes)
                self._bytes += written
                data = data[written:]
        except OSError:
            raise spill_failed() from None
        return place // 8

    def read(self, place: int, length: int) -> Int64:
        """`length` numbers, before the first of which stand `place`; all of them were put there."""
        parts: list[bytes] = []
        begin, end = 8 * place, 8 * (place + length)
        while begin < end:
            try:
                part = os.pread(self._file, end - begin, begin)
            except OSError:
                part = b""
            if not part:
                raise spill_failed()
            parts.append(part)
            begin += len(part)
        return np.frombuffer(b"".join(parts), dtype=np.int64)


def check() -> None:
    """Raises OutputError unless the folder for temporary files takes a private file with something in it; before a charge."""
    Spill().append(np.zeros(_BLOCK, dtype=np.int64))


def spill_failed() -> OutputError:
    """That the disk for temporary files does not suffice."""
    return OutputError(
        "spill",
        "could not be kept on the disk for temporary files",
        "free space there, or point TMPDIR at a disk that has more",
    )
