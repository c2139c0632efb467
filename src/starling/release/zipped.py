"""A release as one zip file, for sending and keeping. It holds the files as they are, at its top level, not compressed.

Stored, not deflated: the Parquet files are compressed already, the same folder gives the same bytes with every build of zlib, and
nobody who opens a zip from elsewhere expands anything. A zip of a release has one form. Whatever deviates from it is refused before
a byte is written: a path that leaves the folder, a link, a name twice, a compressed entry, a size that the zip cannot hold.
"""

import errno
import filecmp
import os
import shutil
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import IO, Final

from starling.errors import IntegrityError, OutputError, ParameterError, Problem
from starling.planfile.foreign import opened as opened_file
from starling.planfile.spelling import shown
from starling.release.bundle import check_spelling
from starling.release.manifest import DEEPEST, DOWNLOAD_AGAIN, MOST_FILES, files_of, hollow

EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can say: of every file."""

MODE: Final = stat.S_IFREG | 0o644
LONGEST_PART: Final = 255
"""Bytes of the name of a file or folder: as many as common file systems take."""
LONGEST_DIRECTORY: Final = 1 << 23
"""Bytes of the list of files at the end of a zip."""
LONGEST: Final = 1 << 38
"""Bytes of a zip."""
BUFFER: Final = 1 << 20


def check(path: Path) -> None:
    """Raises OutputError when `path` exists, or has no folder to be written into; before anything is spent on it."""
    if path.exists() or path.is_symlink():
        raise OutputError(str(path), "exists", "choose another name; a release is never overwritten")
    if not path.parent.is_dir():
        raise OutputError(str(path), "has no parent folder", f"make it first: mkdir -p {path.parent}")


def zipped(folder: Path, path: Path) -> None:
    """Write the release `folder` as the zip file `path`, there as a whole or not at all.

    Raises:
        OutputError: `path` exists, or cannot be written.
        IntegrityError: the folder holds something that is no regular file.
    """
    check(path)
    files = files_of(folder)
    temporary = None
    try:
        # In a fresh folder that is closed to others, under a name that nobody could foresee: no planted link is followed.
        temporary = Path(mkdtemp(prefix=f".{path.name}.partial-", dir=path.parent))
        partial = temporary / "zip"
        with partial.open("xb") as file:
            write_entries(files, file)
            file.flush()
            os.fsync(file.fileno())
        _place(partial, path)
    except FileExistsError:
        check(path)
    except OSError:
        raise OutputError(
            str(path), "cannot be written (closed folder, full disk or failing device)", "make room"
        ) from None
    finally:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)


def _place(partial: Path, path: Path) -> None:
    """Give a finished file its name; raises FileExistsError where something has it meanwhile, be it a link."""
    try:
        os.link(partial, path, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK):
            raise
        # A file system without hard links: what has come there since `check` is replaced, not followed.
        partial.rename(path)


def write_entries(files: Mapping[str, Path], file: IO[bytes]) -> None:
    """Write files by their names in ascending order as the zip that `zipped` makes of a folder of them."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, path in files.items():
            info = zipfile.ZipInfo(name, EPOCH)
            info.create_system = 3  # Unix, wherever it is written: it says how the mode is meant
            info.external_attr = MODE << 16
            info.file_size = path.stat().st_size
            with path.open("rb") as content, archive.open(info, "w") as entry:
                shutil.copyfileobj(content, entry, BUFFER)


@contextmanager
def opened(path: Path) -> Iterator[Path]:
    """The folder of a release, given as a folder or as a zip of one; that is unpacked for the time of the block.

    Raises:
        ParameterError: `path` is neither.
        IntegrityError: it is a file that is no zip as `zipped` writes it.
        OutputError: there is no room to unpack it, or the locale does not write its path as UTF-8.
    """
    check_spelling(path)
    if path.is_dir():
        yield path
        return
    if not path.is_file():
        problem = "is neither a folder nor a file" if path.exists() else "is not there"
        raise ParameterError(shown(path.name), problem, "give the folder of a release, or its zip")
    with TemporaryDirectory(prefix="starling-") as temporary:
        folder = Path(temporary, "release")
        folder.mkdir()
        unpack(path, folder)
        yield folder


def unpack(path: Path, folder: Path) -> None:
    """Write the files of a zip into an empty folder, with room beside it for another zip; see `opened`."""
    try:
        _check_directory(path)
        with zipfile.ZipFile(path) as archive:
            IntegrityError.check(_problems(archive.infolist(), path.stat().st_size))
            _extract(archive, folder)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, ValueError, RuntimeError):
        problem = "is not a zip file, or is damaged"
        fix = "give the folder of a release, or its zip; if it is one, get it again from its publisher"
        raise IntegrityError(shown(path.name), problem, fix) from None
    if not _same(path, folder, folder.with_name("again.zip")):
        raise _not_ours(path, "is not a zip as Starling writes it, byte for byte")


def _check_directory(path: Path) -> None:
    """Raises IntegrityError where the list of files is too long to be read; a zip of a release ends with the record that says it."""
    try:
        with opened_file(path, LONGEST) as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(-min(98, size), os.SEEK_END)
            tail = file.read(98)
        longer = hollow(path, size)
    except OSError:
        raise _not_ours(path, "cannot be read, or is longer than any release") from None
    if longer:
        raise _not_ours(path, "says to be longer than it is")
    end, locator, wide = tail[-22:], tail[-42:-22], tail[-98:-42]
    length = int.from_bytes(end[12:16], "little")
    if locator.startswith(b"PK\6\7") and wide.startswith(b"PK\6\6"):
        length = int.from_bytes(wide[40:48], "little")
    if not end.startswith(b"PK\5\6"):
        raise zipfile.BadZipFile
    if length > LONGEST_DIRECTORY:
        raise IntegrityError("zip", "lists more files than a release has", DOWNLOAD_AGAIN)


def _not_ours(path: Path, problem: str) -> IntegrityError:
    return IntegrityError(shown(path.name), problem, DOWNLOAD_AGAIN)


def _problems(infos: list[zipfile.ZipInfo], size: int) -> list[Problem]:
    """What forbids to unpack a zip of `size` bytes."""
    if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > size:
        return [Problem("zip", "says that it holds more than it can", DOWNLOAD_AGAIN)]
    problems = []
    seen: set[str] = set()
    for info in infos:
        problem = _problem(info, seen)
        if problem:
            problems.append(Problem(shown(info.orig_filename), problem, DOWNLOAD_AGAIN))
        # As a file system may see it that does not tell large letters from small ones.
        seen.add(info.filename.casefold())
    return problems


def _problem(info: zipfile.ZipInfo, seen: set[str]) -> str | None:
    name, parts = info.filename, info.filename.split("/")
    plain = name == info.orig_filename and name.isprintable() and not {"\\", ":"} & {*name}
    # Of a path that begins at the root the first part is empty.
    if not plain or not all(parts) or {".", ".."} & {*parts}:
        return "is not a path within the zip"
    if len(parts) > DEEPEST or max(len(part.encode()) for part in parts) > LONGEST_PART:
        return "is a longer path than a file of a release has"
    if info.filename.casefold() in seen:
        return "is in the zip twice"
    if info.external_attr >> 16 != MODE:
        return "is not a plain file"
    if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size or info.flag_bits & ~0x800:
        return "is compressed or encrypted, which no file of a release is"
    return None


def _extract(archive: zipfile.ZipFile, folder: Path) -> None:
    try:
        for info in archive.infolist():
            target = folder / info.filename
            target.parent.mkdir(parents=True, exist_ok=True)
            # "x": a file is never written twice, and never through a link.
            with archive.open(info) as entry, target.open("xb") as file:
                shutil.copyfileobj(entry, file, BUFFER)
    except (FileExistsError, NotADirectoryError):
        raise IntegrityError("zip", "has a file where it has a folder", DOWNLOAD_AGAIN) from None
    except OSError as error:
        if error.errno == errno.EINVAL:
            # The zip asked for a place before its own beginning.
            raise zipfile.BadZipFile from None
        raise OutputError(
            "temporary folder", "has no room to unpack the zip", "set TMPDIR to a folder with room"
        ) from None


def _same(path: Path, folder: Path, other: Path) -> bool:
    """Whether the zip is what `zipped` makes of its files: then no byte of it is unchecked."""
    zipped(folder, other)
    try:
        return filecmp.cmp(path, other, shallow=False)
    finally:
        other.unlink()
