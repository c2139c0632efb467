"""Access tokens: a prefix that scanners of leaked secrets can look for, an id, 256 random bits and a checksum.

The server keeps the id and the SHA-256 of the whole token. A fast hash is enough, since nobody can guess 256 bits; the id finds
the row, so that no comparison depends on other users' tokens.
"""

import hmac
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from starling.privacy.sampling.entropy import fresh_bytes

PREFIX: Final = "starling"
_SHAPE: Final = re.compile(rf"({PREFIX}_([0-9a-f]{{16}})_[0-9a-f]{{64}})_([0-9a-f]{{8}})")


@dataclass(frozen=True, slots=True)
class Stored:
    """What the server keeps of a token, which lets nobody in: an id, for lists and revocation, and the SHA-256 of its text, in hexadecimal
    digits.
    """

    id: str
    digest: str

    def is_of(self, token: str) -> bool:
        """Whether `token` is the one whose digest this is, compared in a time that does not depend on where they differ."""
        return hmac.compare_digest(self.digest, _digest(token))


def fresh() -> tuple[str, Stored]:
    """A new token, to be shown once, and what is kept of it."""
    identity = fresh_bytes(8).hex()
    body = f"{PREFIX}_{identity}_{fresh_bytes(32).hex()}"
    token = f"{body}_{_checksum(body)}"
    return token, Stored(identity, _digest(token))


def id_of(token: str) -> str | None:
    """The id in a token, or None where the text has not a token's shape or its checksum is wrong: a mistake of typing asks no store."""
    match = _SHAPE.fullmatch(token)
    return match[2] if match is not None and _checksum(match[1]) == match[3] else None


def _checksum(body: str) -> str:
    return sha256(body.encode()).hexdigest()[:8]


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()
