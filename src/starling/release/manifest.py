"""The manifest of a release, the SHA-256 of each of its files as one canonical text, and its signature.

A ledger keeps the manifest as the answer. The signature is no part of it, nor is a ledger that was made for one release and lies inside,
since that keeps the manifest itself. An Ed25519 key answers for every byte in the folder, that ledger too, and is checked offline.
`SIGNATURE` is JSON: the SHA-256 of every other file, the hash of that list, the public key with its fingerprint, and the signature over
the canonical list. The file has one form, down to its spaces, so that no byte of it can change unseen either.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Final

from starling.errors import IntegrityError, Problem
from starling.ledger.keys import Key, Public
from starling.ledger.rules import canonical
from starling.planfile.spelling import shown

SIGNATURE: Final = "SIGNATURE"
OWN_LEDGER: Final = "ledger.sqlite"
"""The ledger of a release that was given none."""

MEASUREMENTS: Final = "measurements"
"""Name of the folder that holds what was drawn for the charge of a release, and nothing else, wherever a domain puts it."""

DEEPEST: Final = 8
"""Folders within folders; a release has two."""
MOST_FILES: Final = 10_000
"""A release has a file for each table and level."""
LARGEST: Final = 1 << 36
"""Bytes of a file; the longest text of a nation has a seventh of it."""
LONGEST_HOLE: Final = 1 << 28
"""Bytes that a file may say to have without having them: who copies a file may leave out its zeros."""

DOWNLOAD_AGAIN: Final = "get the release again from its publisher"
"""The one fix for a release that is not as it was signed."""

FORMAT: Final = "starling-signature/1"
MOST_BYTES: Final = 1 << 24
"""Bytes of a signature file: some hundred thousand files."""


def manifest(folder: Path) -> str:
    """Canonical JSON: SHA-256 by path, for every file but the signature and the ledger inside.

    Raises:
        IntegrityError: something in the folder is no regular file.
    """
    return answer(digests(content(folder)))


def answer(files: dict[str, str]) -> str:
    """The manifest, from the hashes of a folder."""
    return canonical({name: digest for name, digest in files.items() if name not in (SIGNATURE, OWN_LEDGER)})


def measurements(manifest: str) -> str:
    """The part of a release's manifest that lists its measurements: what the charge is committed to before anybody can see them."""
    files = json.loads(manifest)
    return canonical({name: files[name] for name in files if PurePosixPath(name).parent.name == MEASUREMENTS})


def content(folder: Path) -> dict[str, Path]:
    """The files that a manifest lists, by their path in a folder that is being written.

    A ledger inside is at work meanwhile: its journal comes and goes, and is none of them.
    """
    return {
        name: path for name, path in files_of(folder).items() if name != SIGNATURE and not name.startswith(OWN_LEDGER)
    }


def files_of(folder: Path) -> dict[str, Path]:
    """Every file by its path in the folder, ascending; raises IntegrityError where something in the folder is no regular file."""
    files, problems = walk(folder)
    IntegrityError.check(problems)
    return files


def digests(files: dict[str, Path]) -> dict[str, str]:
    """SHA-256 of each file; several at a time, since hashing lets go of the interpreter."""
    with ThreadPoolExecutor() as pool:
        return dict(zip(files, pool.map(digest, files.values()), strict=True))


def digest(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def walk(folder: Path) -> tuple[dict[str, Path], list[Problem]]:
    """Every regular file below `folder` by its path there, ascending, and a problem for whatever is no such file or an empty folder.

    No hash covers the name of an empty folder. No link is followed and no device or pipe opened: the folder may come from anybody.
    """
    files: dict[str, Path] = {}
    problems: list[Problem] = []
    for path, what in _entries(folder):
        name = path.relative_to(folder).as_posix()
        problem = what if name.isprintable() else "has a name that cannot be printed"
        if problem:
            problems.append(Problem(shown(name), problem, DOWNLOAD_AGAIN))
        else:
            files[name] = path
    return dict(sorted(files.items())), sorted(problems, key=lambda problem: problem.field)


def _entries(folder: Path) -> Iterator[tuple[Path, str]]:
    """What is below a folder, folders that hold something aside, and what is wrong with it; nothing is with a regular file."""
    left, seen = [(folder, 0)], 0
    while left:
        below, depth = left.pop()
        with os.scandir(below) as scanned:
            entries = list(islice(scanned, MOST_FILES - seen + 1))
        seen += len(entries)
        if seen > MOST_FILES:
            yield below, "holds more files than a release has"
            return
        if not entries and below != folder:
            yield below, "is an empty folder"
        for entry in entries:
            path = Path(entry.path)
            if not entry.is_dir(follow_symlinks=False):
                yield path, _wrong(path, entry)
            elif depth + 1 < DEEPEST:
                left.append((path, depth + 1))
            else:
                yield path, "lies deeper than any folder of a release"


def _wrong(path: Path, entry: os.DirEntry[str]) -> str:
    """What is wrong with something that is no folder; empty for a file that can be read in a reasonable time."""
    if not entry.is_file(follow_symlinks=False):
        return "is a link or a device, not a file"
    size = entry.stat(follow_symlinks=False).st_size
    if size > LARGEST:
        return "is longer than any file of a release"
    return "says to be longer than it is" if hollow(path, size) else ""


def hollow(path: Path, size: int) -> bool:
    """Whether a regular file of `size` bytes has a long hole: zeros that take no room on the disk, and time to read."""
    if size <= LONGEST_HOLE:
        return False
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        hole = os.lseek(file, 0, os.SEEK_HOLE)
        while hole < size:
            try:
                after = os.lseek(file, hole, os.SEEK_DATA)
            except OSError:
                after = size
            if after - hole > LONGEST_HOLE:
                return True
            hole = os.lseek(file, after, os.SEEK_HOLE) if after < size else size
    except OSError:
        # A file system that knows of no holes has none.
        return False
    finally:
        os.close(file)
    return False


@dataclass(frozen=True, slots=True)
class Signature:
    """What a SIGNATURE file says: the SHA-256 of every other file by its path, who signed, and the signature over `message(files)`."""

    files: dict[str, str]
    key: Public
    signature: str

    @property
    def holds(self) -> bool:
        """Whether the signature is the key's over these very files."""
        return self.key.holds(message(self.files), self.signature)

    @property
    def manifest_sha256(self) -> str:
        """The hash of the list of files: one text that names the whole release."""
        return hashlib.sha256(canonical(self.files).encode()).hexdigest()

    def text(self) -> str:
        """The file."""
        return json.dumps(
            {
                "format": FORMAT,
                "key": self.key.text,
                "fingerprint": self.key.fingerprint,
                "manifest_sha256": self.manifest_sha256,
                "signature": self.signature,
                "files": dict(sorted(self.files.items())),
            },
            indent=1,
            ensure_ascii=True,
        )


def message(files: dict[str, str]) -> bytes:
    """What is signed of a release; its first line keeps it apart from everything else that the key signs."""
    return f"starling release\n{canonical(files)}".encode()


def sign(folder: Path, key: Key) -> Signature:
    """Write SIGNATURE into a complete folder: the last file of a release.

    Raises:
        IntegrityError: something in the folder is no regular file.
        OSError: the file cannot be written, or is there already.
    """
    files = digests(files_of(folder))
    signature = Signature(files, key.public, key.sign(message(files)))
    with (folder / SIGNATURE).open("x", encoding="ascii") as file:
        file.write(signature.text())
    return signature


def read_signature(path: Path) -> Signature:
    """The signature in a file; whether it holds is another question. Raises IntegrityError where the file is not what `sign` writes."""
    try:
        return _parsed(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        problem = "is not a signature file as Starling writes it"
        raise IntegrityError(SIGNATURE, problem, DOWNLOAD_AGAIN) from None


def _parsed(path: Path) -> Signature:
    """Raises ValueError, KeyError, TypeError or AttributeError when a part is missing or of another kind, or a space too many."""
    if path.stat().st_size > MOST_BYTES:
        raise ValueError
    text = path.read_bytes().decode("ascii")
    data: Any = json.loads(text)
    hashes = [*data["files"].values(), data["key"]]
    if not all(re.fullmatch("[0-9a-f]{64}", each) for each in hashes) or not re.fullmatch(
        "[0-9a-f]{128}", data["signature"]
    ):
        raise ValueError
    signature = Signature(data["files"], Public(bytes.fromhex(data["key"])), data["signature"])
    if signature.text() != text:
        raise ValueError
    return signature
