"""Responses that the custodian keeps: encrypted below STARLING_HOME, or in the home of a server, in no release, and read again at no cost.

The key of a file takes two halves. One is the key of the draw, which is in the memory of the run alone until the event of the draw holds
it: of a run that died before, nobody can read what it kept, now or ever, so that nobody chooses among responses. The other is derived from
the key that charged: who has the files and a copy of the ledger, as auditors do, reads none of them. What is read has the SHA-256 that the
event states, or is refused.

Encryption is no part of the privacy argument. A response is private by its coins; who has the genotypes can solve scores for it where there
are as many SNPs as people.
"""

import hashlib
import hmac
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any, Final, Protocol, runtime_checkable

from starling.errors import IntegrityError
from starling.ledger.book import Book
from starling.ledger.responses import PaidResponse
from starling.privacy.trust import Confidential
from starling.release.encrypted import StoredFile, decrypted

FOLDER: Final = "responses"
"""Below STARLING_HOME, or in the home of a server, beside the witnessed heads."""


@runtime_checkable
class ReadsResponses(Protocol):
    """A `release.domain.Source` of releases that may be made of a response which was kept."""

    def open_stored(self, stored: bytes, /) -> Callable[[ExitStack], Confidential[Any]]:
        """As `Source.open`, with what was kept; raises SourceError where that is of other records."""


class Vault:
    """The kept responses of the charges that the key of a book has made."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._folder = book.witness.home / FOLDER

    def place(self, charge: int, draw: bytes) -> StoredFile:
        """Where a draw of a charge keeps its response, and by which key, from the key of the draw."""
        name = f"{self._book.id}-{charge}-{hmac.digest(draw, b'name', 'sha256')[:8].hex()}"
        secret = self._book.key.derived(f"kept responses of {self._book.id}")
        return StoredFile(self._folder / name, hmac.digest(secret, draw, "sha256"))

    def settle(self, charge: int, draw: bytes) -> None:
        """Remove what other runs of a charge have kept, once it is committed to a draw: nobody can read it, or another was paid for."""
        stored = self.place(charge, draw).path
        for other in stored.parent.glob(f"{self._book.id}-{charge}-*"):
            if other != stored:
                with suppress(OSError):
                    other.unlink()

    def read(self, paid: PaidResponse) -> bytes:
        """What was kept; raises IntegrityError where its file is not here as it was written."""
        stored = self.place(paid.charge, bytes.fromhex(paid.key))
        try:
            content = decrypted(stored, paid.stored.size)
        except OSError:
            content = b""
        if hashlib.sha256(content).hexdigest() != paid.stored.sha256:
            raise IntegrityError(
                "response",
                f"of event {paid.charge} is not here as it was drawn: its file below {self._folder} is gone or was changed, or another key"
                " than the one that is used now has drawn it",
                "restore it, or leave it out: a new response is drawn and charged",
            )
        return content
