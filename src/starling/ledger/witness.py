"""The signed head of a ledger, kept outside of it: a ledger that is behind its witness was rolled back or restored from a backup.

The witness is a file of signed heads, one a line, the last one in force. A line is appended after each commit, without a flush
of its own: after a power cut it may lag behind the ledger or end in half a line, which weakens nothing but the last moment;
it is never ahead.
"""

import fcntl
import json
import os
from pathlib import Path

from starling.errors import IntegrityError, OutputError
from starling.ledger.chain import Head
from starling.ledger.keys import Key, Public, folder, make_home

ROOM = 1 << 20
"""Bytes after which the file begins anew with its last line."""


def message(ledger: str, head: Head) -> bytes:
    """What is signed of a head."""
    return f"starling head\n{ledger}\n{head.seq}\n{head.hash}".encode()


class Witness:
    """The highest head of one ledger, by its id, that this machine has seen: in a file, by default below the folder of keys, away from the
    ledger's own.
    """

    def __init__(self, ledger: str, path: Path | None = None) -> None:
        self._ledger = ledger
        self._path = path or folder() / "heads" / f"{ledger}.jsonl"
        # The last line that this process wrote or checked: a signature is checked once, not at every charge.
        self._checked: tuple[bytes, Head] = b"", Head(0, "")

    @property
    def home(self) -> Path:
        """The folder of which `heads` is a part: STARLING_HOME, or the home of a server."""
        return self._path.parent.parent

    def read(self, signer: Public) -> Head | None:
        """The witnessed head, or None where there is none yet; raises IntegrityError when it was tampered with."""
        try:
            text = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            raise _unwritable() from None
        lines = text[: text.rfind(b"\n") + 1].splitlines()
        if not lines:
            raise IntegrityError(
                "witness",
                "is empty, and was not: it was cut, or a power cut came while it was made",
                f"compare the ledger's head with one in a release (ledger verify --head), then remove {self._path.name}",
            )
        head, signature = _parsed(lines[-1])
        if not signer.holds(message(self._ledger, head), signature):
            raise _tampered()
        return head

    def advance(self, head: Head, key: Key) -> Head | None:
        """Remember `head`. Where something as far or further is remembered already, nothing is done and that comes back. Raises
        OutputError where it cannot be written.
        """
        try:
            return self._append(head, key)
        except OSError:
            raise _unwritable() from None

    def _append(self, head: Head, key: Key) -> Head | None:
        descriptor = self._opened()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            tail = os.pread(descriptor, 512, max(0, size - 512))
            complete = tail[: tail.rfind(b"\n") + 1]
            seen = self._seen(complete, key)
            if seen is not None and seen.seq >= head.seq:
                return seen
            signature = key.sign(message(self._ledger, head))
            line = f'{{"seq": {head.seq}, "hash": "{head.hash}", "signature": "{signature}"}}'.encode()
            # Beginning anew, the last of the old lines stays the last until the file is cut behind the new one.
            end = 0 if size > ROOM else size - len(tail) + len(complete)
            written = os.pwrite(descriptor, line + b"\n", end)
            if written <= len(line):
                raise OSError
            if end + written < size:
                os.ftruncate(descriptor, end + written)
            self._checked = line, head
        finally:
            # Closing alone would leave it locked where a child that was forked meanwhile has the descriptor too.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)
        return None

    def _seen(self, complete: bytes, key: Key) -> Head | None:
        """The head of the last whole line; raises IntegrityError where `key` did not sign it: what is forged holds nothing back."""
        if not complete:
            return None
        line = complete.splitlines()[-1]
        checked, head = self._checked
        if line != checked:
            head, signature = _parsed(line)
            if not key.public.holds(message(self._ledger, head), signature):
                raise _tampered()
            self._checked = line, head
        return head

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path, flags, 0o600)
        except FileNotFoundError:
            if self._path.parent == folder() / "heads":
                make_home()
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            descriptor = os.open(self._path, flags, 0o600)
        if os.geteuid() == 0 and os.fstat(descriptor).st_uid != (owner := self._path.parent.stat()).st_uid:
            # A file that root began is its folder's owner's, as with the journals of SQLite: they can go on with it.
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
        return descriptor


class Unwitnessed(Witness):
    """That of somebody who reads a ledger and has witnessed nothing of it: no file is opened. A server reads so: its account's own folders
    may be closed to it, and what the server has witnessed is checked where it charges and where it verifies.
    """

    def read(self, signer: Public) -> Head | None:  # noqa: ARG002 - as of every witness
        """Nothing."""
        return None


def _tampered() -> IntegrityError:
    return IntegrityError("witness", "is not signed by the ledger's key", "find out who changed the witnessed head")


def _unwritable() -> OutputError:
    return OutputError(
        "witness",
        "cannot be read or written; a charge that was made stands",
        "mend the heads folder below STARLING_HOME, then run the same again: nothing is paid twice",
    )


def _parsed(line: bytes) -> tuple[Head, str]:
    """The head of a line and its signature; a head that no signature fits where it is none."""
    try:
        data = json.loads(line)
        return Head(int(data["seq"]), str(data["hash"])), str(data["signature"])
    except (ValueError, KeyError, TypeError, OverflowError):
        return Head(0, ""), ""
