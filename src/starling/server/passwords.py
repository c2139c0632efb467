"""Passwords of people: kept as argon2id, and checked so that guessing is slow and that nobody learns who is known.

A name that nobody has, a user without a password and a wrong password cost the same work and get the same reply. Tries are counted for
each name and in all, and hashed by one thread, one after the other: many who try at once take no more memory than one.

The parameters are the first of OWASP's Password Storage Cheat Sheet for argon2id, which leave the web process small: a password has at
least LEAST letters, so that a copy of the file is guessed slowly by what people choose, too.
"""

import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from starling.errors import ParameterError
from starling.ledger.batching import Batches, each
from starling.server.access import Access, SignInRefused, User
from starling.server.rates import AtOnce, Rates, TooOften

LEAST: Final = 12
"""Letters of a password."""
MOST: Final = 1024
"""Bytes of a password in UTF-8."""
BURST_OF_NAME: Final = 10.0
PER_SECOND_OF_NAME: Final = 1 / 60
"""How often one name may be tried at once, and in the long run: fewer than 1,500 guesses a day."""
BURST: Final = 60.0
PER_SECOND: Final = 2.0
"""How often all names together may be tried: hashing takes a fraction of one core."""
WAITING: Final = 16
"""Tries that wait for the thread at the same time."""
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def hashed(password: str) -> str:
    """What is kept of a password; raises ParameterError where it is too short or too long."""
    try:
        text = _bytes(password)
    except UnicodeEncodeError:
        raise ParameterError("password", "is no text", "type it again") from None
    if len(password) < LEAST:
        raise ParameterError("password", f"has fewer than {LEAST} letters", "take a longer one: some words, say")
    if len(text) > MOST:
        raise ParameterError("password", f"has more than {MOST:,} bytes", "take a shorter one")
    return _HASHER.hash(text)


def _bytes(password: str) -> bytes:
    """One text for what keyboards spell in several ways."""
    return unicodedata.normalize("NFC", password).encode()


def _fits(stored: str | None, password: str) -> bool:
    """Whether a password is the one that is kept; the same work whether or not one is."""
    text = _bytes(password)
    if stored is None:
        _HASHER.hash(text)
        return False
    try:
        return _HASHER.verify(stored, text)
    except (VerifyMismatchError, InvalidHashError):
        return False


class Passwords:
    """Signs users in by their passwords."""

    def __init__(self, access: Access) -> None:
        self._access = access
        refused = partial(TooOften, field="name", problem="was tried too often")
        self._of_name = Rates(per_second=PER_SECOND_OF_NAME, burst=BURST_OF_NAME, refused=refused)
        busy = partial(TooOften, field="server", problem="has too many passwords to check")
        self._of_all = Rates(per_second=PER_SECOND, burst=BURST, refused=busy)
        self._at_once = AtOnce(WAITING, partial(busy, 1))
        self._hashing: Batches[Callable[[], tuple[str, User]], tuple[str, User]] = Batches(each)

    async def sign_in(self, name: str, password: str, what: str, *, left: str | None) -> tuple[str, User]:
        """A new session of a user, and its token; what happened is in the log.

        `what` says by which request, and `left` is the session that the browser had before, which ends.

        Raises:
            SignInRefused: name and password do not fit.
            TooOften: too many tries, of this name or in all.
            LedgerUnavailable: the users cannot be read or written.
        """
        self._of_name.take(name)
        self._of_all.take("")
        with self._at_once.one():
            return await self._hashing.take(lambda: self._signed_in(name, password, what, left))

    def _signed_in(self, name: str, password: str, what: str, left: str | None) -> tuple[str, User]:
        stored = self._access.password(name)
        if not _fits(stored, password) or stored is None:
            self._access.note_refusal(name, what)
            raise SignInRefused("password", "does not fit the name", "try again, or ask a custodian for a new one")
        begun = self._access.begin_session(name, what, left=left, stored=stored)
        if _HASHER.check_needs_rehash(stored):
            self._access.renew_password(name, stored, hashed(password))
        return begun
