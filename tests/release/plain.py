"""Files of a release as they will lie there, for tests that write measurements which no charge waits for."""

import io
from collections.abc import Callable
from pathlib import Path


def plain(folder: Path) -> Callable[[str], io.RawIOBase]:
    """What makes such files below the folder."""

    def create(name: str) -> io.RawIOBase:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("xb", buffering=0)

    return create
