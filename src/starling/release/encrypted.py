"""Measurements on the disk that nobody can read before their charge is committed to them.

A draw is made once for a charge. Whoever could look at one, stop the run and repeat it, would choose among draws and pay for one. So
noisy values reach the disk encrypted, under a key that is in the memory of this process alone. When all of them are there, and flushed,
the ledger takes the hash of them and the key in one durable event (release/commitment.py): bytes that can be read always belong to an
event. The key of a run that died before that died with it.

    draw/PATH   each file that a release will hold under PATH
    draw/INDEX  the SHA-256 and the size of each of them, encrypted too: of an answer among few, a hash tells which one it is

Each file has a key of its own, HMAC-SHA256 of the draw's key over its path, so that the counter of AES-256 may begin at zero in
each. Sizes are rounded up to whole blocks of `BLOCK` bytes, since the size of a small answer would tell it. What is left for who
watches the disk are the sizes of large measurements, in such blocks (docs/explanation/limits.md, "Timing"). Encryption hides; that nothing
was changed is seen from the hash in the event.
"""

import hashlib
import hmac
import io
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from starling.ledger.rules import canonical
from starling.privacy.sampling.entropy import fresh_bytes, key_stream
from starling.release.bundle import sync
from starling.release.manifest import digest

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

Create: TypeAlias = Callable[[str], io.RawIOBase]
"""Makes the file of a release that is named by its path there, to be written once; or STORED, which is in no release."""

KEY_BYTES: Final = 32
INDEX: Final = "INDEX"
"""The list of the files: no path of a release."""
STORED: Final = "STORED"
"""What the custodian keeps of a draw (release/responses.py): no path of a release."""
BLOCK: Final = 1 << 16
"""Bytes to a multiple of which the size of every encrypted file is rounded up."""
PIECE: Final = 1 << 22
"""Bytes that are decrypted at a time."""


class StoredFile(NamedTuple):
    """Where something is kept that is in no release, and the key of that file alone."""

    path: Path
    key: bytes


class EncryptedFile(io.RawIOBase):
    """A file that is written once, encrypted as it is written.

    Args:
        path: Must not exist.
        key: The key of this file alone.

    Raises:
        OSError: the disk is full or fails, here and in every method.
    """

    def __init__(self, path: Path, key: bytes) -> None:
        super().__init__()
        self.folder = path.parent
        self._file = path.open("xb")
        self._cipher = key_stream(key)
        self._hash = hashlib.sha256()
        self.size = 0

    @property
    def sha256(self) -> str:
        """The SHA-256 of what was written, before encryption, hexadecimal."""
        return self._hash.hexdigest()

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        """Put all of `data` at the end; how many bytes that were."""
        plain = memoryview(data).cast("B")
        self._hash.update(plain)
        self._file.write(self._cipher.update(plain))
        self.size += len(plain)
        return len(plain)

    def tell(self) -> int:
        """Bytes that were written."""
        return self.size

    def close(self) -> None:
        """Round the size up to whole blocks, and flush all of it onto the disk."""
        if self.closed:
            return
        try:
            self._file.write(self._cipher.update(bytes(-self.size % BLOCK)))
            self._file.flush()
            os.fsync(self._file.fileno())
        finally:
            self._file.close()
            super().close()


class EncryptedFiles:
    """The files of one draw while they are written, in a folder that is made."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = fresh_bytes(KEY_BYTES)
        self._files: dict[str, EncryptedFile] = {}
        self._stored: EncryptedFile | None = None
        folder.mkdir()

    def create(self, name: str) -> EncryptedFile:
        """The file that the release will hold under `name`, a path with slashes; whoever asks for it closes it."""
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._files[name] = EncryptedFile(path, _file_key(self._key, name))
        return self._files[name]

    def keep(self, place: Callable[[bytes], StoredFile]) -> EncryptedFile:
        """The file of what is kept, whose place and key follow from the key of the draw; whoever asks for it closes it."""
        stored = place(self._key)
        stored.path.parent.mkdir(mode=0o700, exist_ok=True)
        self._stored = EncryptedFile(*stored)
        return self._stored

    @property
    def stored(self) -> tuple[str, int] | None:
        """SHA-256, hexadecimal, and size of what is kept; None where nothing is."""
        return None if self._stored is None else (self._stored.sha256, self._stored.size)

    def finish(self) -> tuple[str, str]:
        """Once all files are closed: flush everything; the SHA-256 of their manifest, and the key, both hexadecimal."""
        files = {name: [file.sha256, file.size] for name, file in self._files.items()}
        with EncryptedFile(self._folder / INDEX, _file_key(self._key, INDEX)) as index:
            text = canonical(files).encode()
            # JSON may end in spaces, so that nothing has to say where this text ends.
            index.write(text + b" " * (-len(text) % BLOCK))
        for parent, _, _ in os.walk(self._folder, topdown=False):
            sync(Path(parent))
        sync(self._folder.parent)
        if self._stored is not None:
            sync(self._stored.folder)
        return _manifest_hash({name: file.sha256 for name, file in self._files.items()}), self._key.hex()


class CommittedFiles:
    """The files of a finished draw, which its key opens; `sha256` is the hash of the manifest, what the charge is committed to."""

    def __init__(self, folder: Path, sha256: str, key: str) -> None:
        self._folder = folder
        self._key = bytes.fromhex(key)
        self._files = self._index(sha256)

    @property
    def names(self) -> tuple[str, ...]:
        """Paths of the files in the release; none where this is not the draw that the charge is committed to."""
        return tuple(self._files)

    def intact(self, release: Path) -> bool:
        """Whether every byte is there: encrypted, or decrypted below `release` by a run that died after that."""
        return bool(self._files) and all(
            self._hash(name) == sha256 or _is(release / name, sha256) for name, (sha256, _) in self._files.items()
        )

    def decrypt(self, release: Path) -> bool:
        """Put each file below `release`, durably, and remove the encrypted one; whether all of them are what the charge is committed to.

        One after another, so that at most the largest is there twice. Where a run died within, another call ends it.
        """
        return bool(self._files) and all(
            self._decrypt(release / name, name, sha256, size) for name, (sha256, size) in self._files.items()
        )

    def _decrypt(self, path: Path, name: str, sha256: str, size: int) -> bool:
        if not (self._folder / name).exists():
            return _is(path, sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        hashed = hashlib.sha256()
        with path.open("wb") as file:
            for piece in self._plain(name, size):
                hashed.update(piece)
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        if hashed.hexdigest() != sha256:
            return False
        sync(path.parent)
        (self._folder / name).unlink()
        return True

    def _hash(self, name: str) -> str:
        hashed = hashlib.sha256()
        if (self._folder / name).exists():
            for piece in self._plain(name, self._files[name][1]):
                hashed.update(piece)
        return hashed.hexdigest()

    def _plain(self, name: str, size: int) -> Iterator[bytes]:
        """The first `size` bytes of a file, decrypted, piece by piece."""
        stream = key_stream(_file_key(self._key, name))
        with (self._folder / name).open("rb") as file:
            while size and (piece := file.read(min(size, PIECE))):
                size -= len(piece)
                yield stream.update(piece)

    def _index(self, sha256: str) -> dict[str, tuple[str, int]]:
        try:
            size = (self._folder / INDEX).stat().st_size
            read = json.loads(b"".join(self._plain(INDEX, size)))
            files = {name: (each[0], each[1]) for name, each in read.items()}
            return files if _manifest_hash({name: each[0] for name, each in files.items()}) == sha256 else {}
        except (OSError, ValueError, AttributeError, TypeError, IndexError, RecursionError):
            # It is another draw's, or not as it was written: lost, either way.
            return {}


def decrypted(stored: StoredFile, size: int) -> bytes:
    """The first `size` bytes of what was kept; raises OSError where its file is not there."""
    with stored.path.open("rb") as file:
        return key_stream(stored.key).update(file.read(size))


def _manifest_hash(files: dict[str, str]) -> str:
    """The SHA-256 of those of all files by their paths, in canonical JSON: what a release's manifest says of the same files."""
    return hashlib.sha256(canonical(files).encode()).hexdigest()


def _is(path: Path, sha256: str) -> bool:
    return path.is_file() and digest(path) == sha256


def _file_key(key: bytes, name: str) -> bytes:
    return hmac.digest(key, name.encode(), "sha256")
