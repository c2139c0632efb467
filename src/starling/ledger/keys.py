"""Ed25519 keys of custodians: they sign custodian events, heads of the ledger, and released artifacts."""

import os
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from starling.errors import IntegrityError, OutputError, ParameterError, PolicyRefused
from starling.privacy.sampling.entropy import fresh_bytes

DEFAULT = "custodian"
"""Name of the key that is used when none is named."""

FINGERPRINT: Final = 32
"""Hexadecimal digits of a fingerprint, 128 bits: nobody can find a second key with the fingerprint of a given one."""


def _in_fours(digits: str) -> str:
    return "-".join(digits[start : start + 4] for start in range(0, FINGERPRINT, 4))


@dataclass(frozen=True, slots=True)
class Public:
    """Somebody's public key, 32 bytes."""

    raw: bytes

    @property
    def text(self) -> str:
        """Hexadecimal, as it is written into ledgers and releases."""
        return self.raw.hex()

    @property
    def fingerprint(self) -> str:
        """The first 32 hexadecimal digits of its SHA-256, in fours: what its owner publishes, and others give as a `Pin`."""
        return _in_fours(sha256(self.raw).hexdigest())

    @classmethod
    def parse(cls, text: str, *, field: str = "key") -> "Public":
        """The key that 64 hexadecimal digits say; raises ParameterError otherwise."""
        try:
            raw = bytes.fromhex(text.strip())
        except ValueError:
            raw = b""
        if len(raw) != 32:
            raise ParameterError(field, "is not a public key of 64 hexadecimal digits", "see starling keys show")
        return cls(raw)

    def holds(self, message: bytes, signature: str) -> bool:
        """Whether `signature` (hexadecimal) is this key's over `message`."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(bytes.fromhex(signature), message)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Pin:
    """Which key should have signed, as its owner publishes it: the public key, or its fingerprint.

    Attributes:
        digits: Hexadecimal, in small letters: 64 of the public key, or 32 of its fingerprint.
    """

    digits: str

    @classmethod
    def parse(cls, stated: "str | Public | Pin", *, field: str = "key") -> "Pin":
        """What somebody gave for a key: the key itself, 64 hexadecimal digits, or a fingerprint with its dashes or without; raises
        ParameterError where it is none of these.
        """
        if isinstance(stated, Pin):
            return stated
        if isinstance(stated, Public):
            return cls(stated.text)
        digits = stated.strip().lower()
        if re.fullmatch(r"[0-9a-f]{64}", digits):
            return cls(digits)
        if re.fullmatch(r"[0-9a-f]{4}(-?[0-9a-f]{4}){7}", digits):
            return cls(digits.replace("-", ""))
        raise ParameterError(
            field, "is neither a public key of 64 hexadecimal digits nor a fingerprint of 32", "see starling keys show"
        )

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key, in groups of four digits."""
        if len(self.digits) == FINGERPRINT:
            return _in_fours(self.digits)
        return Public.parse(self.digits).fingerprint

    def names(self, key: Public) -> bool:
        """Whether it is this key that is meant."""
        return self.digits in (key.text, key.fingerprint.replace("-", ""))


class Key:
    """A private key. It has no representation that shows it."""

    def __init__(self, raw: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(raw)

    @cached_property
    def public(self) -> Public:
        """What others check its signatures with."""
        return Public(self._key.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> str:
        """The signature over `message`, hexadecimal."""
        return self._key.sign(message).hex()

    def derived(self, purpose: str) -> bytes:
        """A secret of 32 bytes for one purpose alone: SHA-256 of the purpose and the key, from which neither is found again."""
        return sha256(f"starling {purpose}\n{self.secret()}".encode()).digest()

    def secret(self) -> str:
        """The key itself, hexadecimal, for its own file."""
        return self._key.private_bytes_raw().hex()


def folder() -> Path:
    """Where keys and witnessed heads lie: STARLING_HOME, or `.config/starling` of the user."""
    return Path(os.environ.get("STARLING_HOME") or Path.home() / ".config" / "starling").absolute()


def make_home() -> None:
    """Make the folder of keys and witnessed heads, closed to others; raises OSError, or PolicyRefused where it is open to them."""
    home = folder()
    home.parent.mkdir(parents=True, exist_ok=True)
    home.mkdir(mode=0o700, exist_ok=True)
    check_closed(home)


def check_closed(path: Path) -> None:
    """Raises PolicyRefused where others than its owner may read or change a file or folder of keys; OSError where it is not there."""
    status = path.stat()
    if status.st_mode & 0o077:
        wanted = "700" if path.is_dir() else "600"
        raise PolicyRefused(
            path.name,
            f"is open to other users (mode {status.st_mode & 0o777:o}), and keys are kept there",
            f"close it: chmod {wanted} {path}; if others can have seen a key, make a new one and a new ledger",
        )


def make(name: str = DEFAULT) -> Key:
    """A fresh key, kept as `NAME.key` (readable by its owner alone); raises ParameterError when there is one already."""
    path = path_of(name)
    try:
        make_home()
        path.parent.mkdir(mode=0o700, exist_ok=True)
        check_closed(path.parent)
    except OSError:
        raise _unwritable() from None
    return write(path)


def write(path: Path) -> Key:
    """A fresh key in a new file, readable by its owner alone; raises ParameterError when there is one already, OutputError."""
    key = Key(fresh_bytes(32))
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ParameterError("key", f"{path.stem} exists already", "choose another name") from None
    except OSError:
        raise _unwritable() from None
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(key.secret() + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        # Half a key would stand in the way of the next try.
        path.unlink(missing_ok=True)
        raise _unwritable() from None
    return key


def _unwritable() -> OutputError:
    return OutputError("key", "cannot be written", "set STARLING_HOME to a folder with room, open to you")


def load(name: str = DEFAULT) -> Key:
    """The key `name`; raises ParameterError when there is none, IntegrityError when its file holds no key."""
    try:
        check_closed(folder())
    except OSError:
        raise _missing(name) from None
    return read(path_of(name))


def read(path: Path, *, checked: bool = False) -> Key:
    """The key in a file; raises as `load`, and PolicyRefused where others than its owner may read it or change its folder, unless
    `checked`: the caller has seen who may change that.
    """
    try:
        text = path.read_text()
        for each in (path,) if checked else (path.parent, path):
            check_closed(each)
    except OSError:
        raise _missing(path.stem) from None
    try:
        return Key(bytes.fromhex(text.strip()))
    except ValueError:
        raise IntegrityError("key", f"file of {path.stem} holds no key", "restore it from your backup") from None


def _missing(name: str) -> ParameterError:
    return ParameterError("key", f"{name} is not there", "make it: starling keys new")


def load_or_make(name: str = DEFAULT) -> Key:
    """The key `name`, made at first use."""
    return load(name) if path_of(name).exists() else make(name)


def names() -> list[str]:
    """Names of the keys that are here, sorted."""
    return sorted(path.stem for path in (folder() / "keys").glob("*.key"))


def path_of(name: str) -> Path:
    """The file of the key `name`; raises ParameterError for what is no plain name."""
    if not name.replace("-", "").replace("_", "").isalnum():
        raise ParameterError("key", "is not a plain name", "use letters, digits, - and _")
    return folder() / "keys" / f"{name}.key"
