"""A release is a folder that is there as a whole or not at all.

It is written under another name beside its place, `.NAME.partial-xxxxxxxx/release`, flushed to the disk and renamed last. A
lock file in the temporary folder is held for as long as its run lives, so that a later run can tell what a killed run left
(reported, removed) from a run that is still writing (refused). The kernel frees the lock of a killed process, whatever killed
it. The temporary folder is closed to other users.

Where a ledger pays, the charge is committed to what was drawn before anybody can read it (release/commitment.py), and to the finished
folder before it is put into place (`seal`). So the temporary folder is claimed for its request before the first of both: from then
on it holds the one draw, and perhaps the one answer, of that charge. It bears the mark of its request, is never swept, and the
next run of that request goes on with it or puts it into place.

A failure of the disk gives one constant message: which file, and how much of it, would tell sizes.
"""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from starling.errors import OutputError, PolicyRefused

MARK: Final = ".partial-"
LOCK: Final = "lock"
CLAIMED: Final = "request"
"""Bears the mark of the request whose draw, and perhaps whose answer, a temporary folder holds."""
CONTENT: Final = "release"
DRAW: Final = "draw"
"""Where measurements lie encrypted until their charge is committed to them, beside the folder of the release."""
REMOVED: Final = "removed {}: left by a run that was killed before it published anything"
"""What is reported of a temporary folder that nobody holds."""


def check(out: Path, mark: str = "") -> None:
    """Whether a release can be written as the folder `out`; nothing that it makes stays, nothing that is there goes.

    Raises:
        OutputError: `out` exists, another run than that of the `mark` is writing it, or its parent is missing or closed to us.
    """
    temporary, lock = _open(out, mark)
    _remove(temporary, lock)


@contextmanager
def writing(
    out: Path,
    report: Callable[[str], None] = lambda _: None,
    mark: str = "",
    drawn: Callable[[Path], Collection[str]] = lambda _: (),
) -> Iterator[Path]:
    """A folder to write into; it becomes `out` when the block ends without an exception, and vanishes otherwise.

    Where it is claimed (`claim`) it stays, for the next run of its request.

    Args:
        out: Must not exist; its parent must. Checked before the block begins, so before anything is charged.
        report: Told, in a sentence, of each folder that a killed run left and that is removed now.
        mark: The mark of the request that pays, where a ledger does.
        drawn: The files, by their paths in the release, of the draw that the charge is committed to, where a temporary folder that
            is claimed for the request holds it: that folder is gone on with, and all other files in its release are removed. Elsewhere
            nothing, and the folder is fresh.

    Raises:
        OutputError: as `check`, before the block; or when the disk is full or fails, with one constant message.
    """
    temporary, lock = _open(out, mark, drawn)
    try:
        for name in _sweep(out, temporary):
            report(REMOVED.format(name))
        folder = temporary / CONTENT
        folder.mkdir(exist_ok=True)
        yield folder
        _flush(folder)
        _place(folder, out)
        (temporary / CLAIMED).unlink(missing_ok=True)
        for _ in _sweep(out, temporary, mark):
            # An earlier draw of this very request, of which something was lost.
            continue
    except OSError:
        raise OutputError(
            "output",
            "could not be written (full disk or failing device); nothing was published",
            "make room, then run the same again: nothing is paid twice",
        ) from None
    finally:
        _leave(temporary, lock)


def claim(folder: Path, mark: str) -> None:
    """Keep a folder from `writing` for its request, durably, whatever happens to this run: it holds the one draw of a charge.

    Raises:
        OSError: the disk is full or fails.
    """
    claimed = folder.parent / CLAIMED
    claimed.write_text(mark)
    sync(claimed)
    sync(folder.parent)
    sync(folder.parent.parent)


def unclaim(folder: Path) -> None:
    """Let the folder vanish with its `writing` after all."""
    (folder.parent / CLAIMED).unlink(missing_ok=True)


def seal(folder: Path, commit: Callable[[Path], None]) -> None:
    """Make a finished and claimed folder the one answer of its request, before it is put into place, by keeping its manifest in the ledger.

    Raises:
        PolicyRefused: by `commit`, which then has kept nothing (another run answered); the folder vanishes with its `writing`.
        LedgerUnavailable, OutputError: by `commit`, and nobody knows whether it kept it: the folder stays for the next run.
    """
    _flush(folder)
    try:
        commit(folder)
    except PolicyRefused:
        unclaim(folder)
        raise


def recover(out: Path, mark: str, is_answer: Callable[[Path], bool]) -> bool:
    """Whether the release that was answered under `mark` is in place as `out`; puts it there if its run died before it could.

    `is_answer` says whether a folder is the one that the ledger keeps.

    Raises:
        OutputError: the folder cannot be put into place.
    """
    placed = out.is_dir() and is_answer(out)
    for path in _partial(out):
        if _mark(path) != mark or (lock := _take(path)) is None:
            continue
        if placed:
            # Its run died after the rename.
            _remove(path, lock)
        elif is_answer(path / CONTENT):
            try:
                _place(path / CONTENT, out)
            except OSError as error:
                raise _refused(out, f"cannot be written ({error.strerror})", "make room, then run it again") from None
            _remove(path, lock)
            return True
        else:
            os.close(lock)
    return placed


def _mark(temporary: Path) -> str:
    """The mark of a claimed folder; empty where there is none."""
    try:
        return (temporary / CLAIMED).read_text()
    except (OSError, ValueError):
        return ""


def claimed(out: Path, mark: str) -> list[Path]:
    """The temporary folders of `out` that bear the mark of a request."""
    return [path for path in _partial(out) if _mark(path) == mark]


def held(temporary: Path) -> bool:
    """Whether a living run holds the lock of `temporary`, or it may be so and another user owns it."""
    lock = _take(temporary)
    if lock is not None:
        os.close(lock)
    return lock is None and temporary.exists()


def place_of(temporary: Path) -> Path:
    """Which `out` a temporary folder was made for."""
    return temporary.parent / temporary.name[1 : temporary.name.rindex(MARK)]


def sweep(out: Path) -> tuple[str, ...]:
    """Remove what killed runs left of `out`; a sentence about each. `writing` does it too."""
    return tuple(REMOVED.format(name) for name in _sweep(out, None))


def _partial(out: Path) -> list[Path]:
    """Every temporary folder of `out`, of living and of killed runs."""
    if not out.parent.is_dir():
        return []
    pattern = re.compile(re.escape(f".{out.name}{MARK}") + "[a-z0-9_]+")
    return sorted(path for path in out.parent.iterdir() if pattern.fullmatch(path.name))


def check_spelling(path: Path) -> None:
    """Raises OutputError unless the system's name of a path is its UTF-8: libraries that take paths as UTF-8 would miss it."""
    try:
        alike = os.fsencode(path) == str(path).encode()
    except UnicodeEncodeError:
        alike = False
    if not alike:
        fix = "set PYTHONUTF8=1, or choose a folder whose path has plain letters alone"
        raise OutputError("path", "has letters that this locale does not write as UTF-8", fix)


def _open(out: Path, mark: str = "", drawn: Callable[[Path], Collection[str]] = lambda _: ()) -> tuple[Path, int]:
    """The temporary folder for `out` and its lock, after every check that can be made without the data."""
    check_spelling(out)
    try:
        if out.exists() or out.is_symlink():
            raise _refused(out, "exists", "choose a new folder; a release is never overwritten")
        if not out.parent.is_dir():
            raise _refused(out, "has no parent folder", f"make it first: mkdir -p {out.parent}")
        if any(_mark(path) not in ("", mark) for path in _partial(out)):
            fix = "run that request again, with its ledger and its request id, or choose another folder"
            raise _refused(out, "belongs to a release that was paid for and not put into place", fix)
        temporary, lock = _existing(out, mark, drawn) or _make(out)
        # After our own lock is held: of two runs that begin together at least one sees the other.
        if any(held(path) for path in _partial(out) if path != temporary):
            _leave(temporary, lock)
            raise being_written(out)
    except OSError as error:
        fix = "choose a folder in a place that you may write"
        raise _refused(out, f"cannot be written ({error.strerror})", fix) from None
    return temporary, lock


def _existing(out: Path, mark: str, drawn: Callable[[Path], Collection[str]]) -> tuple[Path, int] | None:
    """The temporary folder that holds the draw of this request, with its lock, and of its release the files of the draw alone."""
    for path in _partial(out):
        if not mark or _mark(path) != mark or (lock := _take(path)) is None:
            continue
        if names := drawn(path):
            _clear(path / CONTENT, names)
            return path, lock
        os.close(lock)
    return None


def _clear(folder: Path, names: Collection[str]) -> None:
    """Remove everything below `folder` but the files of these names."""
    for parent, _, files in os.walk(folder, topdown=False):
        for name in files:
            path = Path(parent, name)
            if path.relative_to(folder).as_posix() not in names:
                path.unlink()
        if Path(parent) != folder and not any(Path(parent).iterdir()):
            Path(parent).rmdir()


def _leave(temporary: Path, lock: int) -> None:
    """Remove a temporary folder, unless it is claimed; either way it is no more this run's."""
    if _mark(temporary):
        os.close(lock)
    else:
        _remove(temporary, lock)


def being_written(out: Path) -> OutputError:
    """Another run, which lives, writes the folder `out`."""
    return _refused(out, "is being written by another run", "wait for it, or choose another folder")


def _refused(out: Path, problem: str, fix: str) -> OutputError:
    return OutputError(str(out), problem, fix)


def _make(out: Path) -> tuple[Path, int]:
    """A temporary folder, closed to other users (as mkdtemp makes it), with its lock held."""
    while True:
        # Its name alone: since Python 3.12 the path is absolute, and would not be the one that `_partial` gives of a relative `out`.
        temporary = out.parent / Path(tempfile.mkdtemp(prefix=f".{out.name}{MARK}", dir=out.parent)).name
        lock = _take(temporary)
        if lock is not None:
            return temporary, lock
        # Another run took it for abandoned in the moment before it was locked, and removes it.


def _take(temporary: Path) -> int | None:
    """The lock of a temporary folder, as a descriptor that holds it until it is closed or the process ends.

    None if a living run holds it, another user owns the folder, or it is gone.
    """
    try:
        lock = os.open(temporary / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except (FileNotFoundError, PermissionError):
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_nlink:
            return lock
    except BlockingIOError:
        pass
    os.close(lock)
    return None


def _sweep(out: Path, own: Path | None, mark: str = "") -> Iterator[str]:
    """Remove what killed runs left, unless it is claimed for another request than `mark`; their names."""
    for path in _partial(out):
        if path != own and _mark(path) in ("", mark) and (lock := _take(path)) is not None:
            # The lock is held while it goes, so that nobody else takes the folder up.
            _remove(path, lock)
            yield path.name


def _remove(temporary: Path, lock: int) -> None:
    shutil.rmtree(temporary, ignore_errors=True)
    os.close(lock)


def _flush(folder: Path) -> None:
    """Every file and folder below `folder`, and itself, onto the disk."""
    for parent, _, files in os.walk(folder, topdown=False):
        for name in files:
            sync(Path(parent, name))
        sync(Path(parent))


def sync(path: Path) -> None:
    """Flush a file, or the entries of a folder, onto the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _place(folder: Path, out: Path) -> None:
    """Rename into place, durably. A rename onto a folder that has content fails, so nothing is overwritten."""
    folder.rename(out)
    sync(out.parent)
