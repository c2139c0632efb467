"""The signature of a release: an Ed25519 key answers for every byte in the folder. It is checked offline.

`SIGNATURE` is JSON: the SHA-256 of every other file, the hash of that list, the public key with its fingerprint, and the signature
over the canonical list. The file has one form, down to its spaces, so that no byte of it can change unseen either.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from starling.errors import IntegrityError
from starling.ledger.keys import Key, Public
from starling.ledger.rules import canonical
from starling.release.manifest import AGAIN, SIGNATURE, digests, files_of

FORMAT: Final = "starling-signature/1"
MOST_BYTES: Final = 1 << 24
"""Of a signature file: some hundred thousand files."""

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_SIGNATURE: Final = re.compile(r"[0-9a-f]{128}")


@dataclass(frozen=True, slots=True)
class Signature:
    """What a SIGNATURE file says.

    Attributes:
        files: SHA-256, hexadecimal, of every file by its path; SIGNATURE itself aside.
        key: Who signed.
        signature: Over `message(files)`, hexadecimal.
    """

    files: dict[str, str]
    key: Public
    signature: str

    @property
    def holds(self) -> bool:
        """Whether the signature is the key's over these very files."""
        return self.key.holds(message(self.files), self.signature)

    def text(self) -> str:
        """The file."""
        return json.dumps(
            {
                "format": FORMAT,
                "key": self.key.text,
                "fingerprint": self.key.fingerprint,
                "manifest_sha256": hashlib.sha256(canonical(self.files).encode()).hexdigest(),
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
    """The signature in a file; whether it holds is another question.

    Raises:
        IntegrityError: the file is not what `sign` writes.
    """
    try:
        signature = _parsed(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise IntegrityError(
            field=SIGNATURE, problem="is not a signature file as Starling writes it", fix=AGAIN
        ) from None
    return signature


def _parsed(path: Path) -> Signature:
    """Raises ValueError, KeyError, TypeError or AttributeError when a part is missing or of another kind, or a space too many."""
    if path.stat().st_size > MOST_BYTES:
        raise ValueError
    text = path.read_bytes().decode("ascii")
    data: Any = json.loads(text)
    hashes = [*data["files"].values(), data["key"]]
    if not all(_HASH.fullmatch(each) for each in hashes) or not _SIGNATURE.fullmatch(data["signature"]):
        raise ValueError
    signature = Signature(data["files"], Public(bytes.fromhex(data["key"])), data["signature"])
    if signature.text() != text:
        raise ValueError
    return signature
