"""What was made of a public file, kept for whoever asks again while the file is the same.

A worker opens one study for every question; its list of SNPs takes longer to read than a question to answer.
"""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Final, Generic, TypeVar

T = TypeVar("T")

MOST_BYTES: Final = 64 << 20
"""Of a larger file nothing is kept."""
SETTLED: Final = 2.0
"""Seconds since a file was last changed: of one that was changed later nothing is kept, since clocks of files tick slowly."""

_Version = tuple[int, int, int, int, int]


class Unchanged(Generic[T]):
    """What was made of the last few files."""

    def __init__(self, most: int = 2) -> None:
        self._most = most
        self._lock = Lock()
        self._entries: dict[Path, tuple[_Version, T]] = {}

    def value(self, path: Path, make: Callable[[], T], keep: Callable[[T], bool]) -> T:
        """What `make` makes of a file, now or when it was the same as now.

        Args:
            path: The file.
            make: Reads it. Nobody may change what it gives.
            keep: Whether to keep what it gave.
        """
        before = _version(path)
        with self._lock:
            entry = self._entries.get(path)
        if entry is not None and entry[0] == before:
            return entry[1]
        value = make()
        if before is not None and before == _version(path) and keep(value):
            with self._lock:
                self._entries.pop(path, None)
                self._entries[path] = before, value
                while len(self._entries) > self._most:
                    del self._entries[next(iter(self._entries))]
        return value


def _version(path: Path) -> _Version | None:
    """What is another once a file was changed; None of one that is not there, too large, or was written just now."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    if status.st_size > MOST_BYTES or abs(time.time() - status.st_ctime) < SETTLED:
        return None
    return status.st_dev, status.st_ino, status.st_ctime_ns, status.st_mtime_ns, status.st_size
