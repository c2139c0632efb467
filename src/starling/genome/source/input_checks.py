"""Refusals of files by their public shape: before any charge, so with full messages."""

import os
import stat
from pathlib import Path
from typing import Never

from starling.errors import Problem, SourceError


def refuse(path: Path, problem: str, fix: str, *, field: str = "genotypes", line: int | None = None) -> Never:
    """Raises SourceError about one file."""
    raise SourceError(problems=[Problem(field, problem, fix, path.name, line)])


def size_of(path: Path, *, field: str = "genotypes") -> int:
    """Bytes of a plain file that can be read. Raises SourceError when it is none."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            refuse(path, "is not a plain file", "give one file", field=field)
        with path.open("rb"):
            return status.st_size
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "not a file name"
        refuse(path, f"cannot be opened ({reason})", "check the path and its permissions", field=field)


def changed(path: Path) -> SourceError:
    """A file is no longer the one that was checked."""
    problem = "changed or vanished since it was checked"
    return SourceError(problems=[Problem("genotypes", problem, "start again", path.name)])


def read_all(path: Path, size: int) -> bytes:
    """The whole of a small file, which must still have its size. Raises SourceError when it has not."""
    try:
        with path.open("rb") as file:
            content = file.read(size + 1)
            if len(content) == size == os.fstat(file.fileno()).st_size:
                return content
    except OSError:
        pass
    raise changed(path)
