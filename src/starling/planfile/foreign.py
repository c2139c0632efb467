"""Opening a file that may come from anybody: it is a regular file of a bounded size, or it is not opened.

A pipe or a device would keep its reader waiting, or never end; opening one may even do something. So a file is looked at before it is
opened, is opened without waiting, and is looked at again once it is open, when nobody can exchange it any more.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def opened(path: Path, most: int) -> BinaryIO:
    """A regular file, open for reading.

    Args:
        path: The file; a link is followed, since whoever names the file may name it so.
        most: The most bytes that the file may have.

    Raises:
        OSError: it is not there, no regular file, or longer; `strerror` says which.
    """
    _check(path.stat(), most)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check(os.fstat(descriptor), most)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def content(path: Path, most: int) -> bytes:
    """All of a regular file of at most `most` bytes; raises OSError as `opened` does."""
    with opened(path, most) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise _too_long(most)
    return data


def _check(status: os.stat_result, most: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file")
    if status.st_size > most:
        raise _too_long(most)


def _too_long(most: int) -> OSError:
    return OSError(errno.EFBIG, f"Longer than {most:,} bytes")
