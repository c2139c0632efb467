"""Files of a home that several processes may write at once: each is there as a whole or not at all, durably."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starling.errors import OutputError, ParameterError
from starling.privacy.sampling.entropy import fresh_bytes


def write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet.

    Raises:
        ParameterError: it is there already.
        OutputError: it cannot be written.
    """
    try:
        with _written(path, text, 0o640) as written:
            os.link(written, path)
    except FileExistsError:
        raise ParameterError("name", f"{path.stem} is taken", "a new delivery has a new name") from None
    except OSError:
        raise _unwritable() from None


def write(path: Path, text: str) -> None:
    """Write a file for its owner alone, in place of the one that may be there; raises OutputError."""
    try:
        with _written(path, text, 0o600) as written:
            written.replace(path)
    except OSError:
        raise _unwritable() from None


@contextmanager
def _written(path: Path, text: str, mode: int) -> Iterator[Path]:
    """A file beside `path` with this text, under a name that no other writer has; removed at the end."""
    partial = path.with_name(f"{path.stem}.{fresh_bytes(8).hex()}.partial")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield partial
    finally:
        partial.unlink(missing_ok=True)


def _unwritable() -> OutputError:
    return OutputError("home", "cannot be written", "make room in the folder of the server")
