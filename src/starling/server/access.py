"""Who may use a server: users with roles, their tokens, and the log of who asked what when. One SQLite file, read at every request.

So a revoked token is refused from the next request on. The log can only grow: triggers refuse to change or delete its lines.
"""

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar, Final, Literal, TypeAlias, cast, get_args

from starling.errors import LedgerUnavailable, ParameterError, PolicyRefused, StarlingError
from starling.server import tokens
from starling.server.database import Database, unavailable
from starling.server.turns import Turns

Role: TypeAlias = Literal["custodian", "analyst", "auditor"]
ROLES: Final = get_args(Role)
MOST_DAYS: Final = 366
"""The longest life of a token."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")

_SCHEMA: Final = """
CREATE TABLE users (name TEXT PRIMARY KEY, role TEXT NOT NULL) STRICT;
CREATE TABLE tokens (
  id TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users, digest TEXT NOT NULL,
  expires TEXT NOT NULL, revoked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE log (number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL) STRICT;
CREATE TRIGGER log_is_not_changed BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER log_is_not_deleted BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
"""


class NotSignedIn(PolicyRefused):
    """A request brings no token that lets it in; the same message whether the token is unknown, expired or revoked."""

    status: ClassVar[int] = 401

    def __init__(self) -> None:
        super().__init__(
            "Authorization",
            "brings no valid token",
            "send 'Authorization: Bearer TOKEN', or ask a custodian for a new one",
        )


@dataclass(frozen=True, slots=True)
class User:
    """Somebody whom the server knows.

    Attributes:
        name: The name, unique on this server.
        role: What the user may do.
    """

    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Issued:
    """A token as a list shows it.

    Attributes:
        id: Names the token.
        user: Whose it is.
        expires: From when on it is refused, in UTC.
        revoked: Whether it was revoked.
    """

    id: str
    user: str
    expires: datetime
    revoked: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log.

    Attributes:
        number: Counted from 1.
        at: When, in UTC.
        who: The name of a user, or `command line`.
        what: What was asked: a method and the pattern of a path, or a command. Nothing confidential.
    """

    number: int
    at: datetime
    who: str
    what: str


@dataclass(frozen=True, slots=True)
class _Arrival:
    """Somebody who brings a token, what they ask, and what may refuse it."""

    token: str
    what: str
    allow: Callable[[], None]


def _now() -> datetime:
    return datetime.now(UTC)


class Access:
    """The users, tokens and log in the file `path`.

    Args:
        path: The SQLite file.
        now: Gives the time, in UTC.
    """

    def __init__(self, path: Path, *, now: Callable[[], datetime] = _now) -> None:
        self._database = Database(path, "users")
        self._now = now
        self._entering = Turns(self._entered)

    def create(self) -> None:
        """Make the file, closed to other users; raises FileExistsError where there is one."""
        self._database.create(_SCHEMA)

    def add_user(self, name: str, role: Role) -> User:
        """A new user; raises ParameterError for a name that is taken or not a name."""
        if not _NAME.fullmatch(name):
            fix = "begin with a small letter or digit; up to 64 small letters, digits and . _ @ -"
            raise ParameterError("name", "is not a name of a user", fix)
        with self._database.writing() as connection:
            if connection.execute("SELECT 1 FROM users WHERE name = ?", (name,)).fetchone():
                raise ParameterError("name", f"{name} is taken", "choose another name")
            connection.execute("INSERT INTO users VALUES (?, ?)", (name, role))
            self._note(connection, "command line", f"user {name} {role}")
        return User(name, role)

    def issue(self, name: str, *, days: int) -> tuple[str, Issued]:
        """A new token of a user, which is shown now and never again; raises ParameterError where there is no such user."""
        if not 1 <= days <= MOST_DAYS:
            raise ParameterError("days", f"is not from 1 to {MOST_DAYS}", "choose a shorter life")
        token, kept = tokens.fresh()
        issued = Issued(kept.id, name, self._now() + timedelta(days=days), revoked=False)
        with self._database.writing() as connection:
            if not connection.execute("SELECT 1 FROM users WHERE name = ?", (name,)).fetchone():
                raise ParameterError("name", "is no user of this server", "add the user first: starling server user")
            row = (kept.id, name, kept.digest, issued.expires.isoformat())
            connection.execute("INSERT INTO tokens (id, user, digest, expires) VALUES (?, ?, ?, ?)", row)
            self._note(connection, "command line", f"token {kept.id} for {name}")
        return token, issued

    def revoke(self, identity: str) -> None:
        """Refuse a token from now on; raises ParameterError where there is none of this id."""
        with self._database.writing() as connection:
            if not connection.execute("UPDATE tokens SET revoked = 1 WHERE id = ?", (identity,)).rowcount:
                raise ParameterError("id", "names no token", "look it up: starling server tokens")
            self._note(connection, "command line", f"revoke {identity}")

    def admit(self, token: str) -> User:
        """The user whose token this is; raises NotSignedIn where it lets nobody in."""
        with self._database.reading() as connection:
            return self._admitted(connection, token)

    async def enter(self, token: str, what: str, allow: Callable[[], None]) -> User:
        """Admit whoever brings a token, and note in the log what they ask; durable when this returns.

        Those who come while one flush of the disk goes on share the next.

        Args:
            token: The token.
            what: What is asked: a method and the pattern of a path.
            allow: Refuses, by raising, before anything is written.

        Raises:
            NotSignedIn: the token lets nobody in.
            LedgerUnavailable: the file cannot be read or written.
            StarlingError: as `allow` does.
        """
        if tokens.id_of(token) is None:
            raise NotSignedIn
        return await self._entering.take(_Arrival(token, what, allow))

    def _entered(self, arrived: "list[_Arrival]") -> list[User | Exception]:
        """Decide over all of them, in one transaction."""
        try:
            with self._database.writing() as connection:
                return [self._decided(connection, each) for each in arrived]
        except LedgerUnavailable:
            # Each gets its own: an exception that many raise would collect all their traces.
            return [unavailable("users") for _ in arrived]

    def _decided(self, connection: sqlite3.Connection, arrival: "_Arrival") -> User | Exception:
        try:
            user = self._admitted(connection, arrival.token)
            arrival.allow()
        except StarlingError as error:
            return error
        self._note(connection, user.name, arrival.what)
        return user

    def _admitted(self, connection: sqlite3.Connection, token: str) -> User:
        identity = tokens.id_of(token)
        if identity is None:
            raise NotSignedIn
        query = "SELECT digest, expires, revoked, name, role FROM tokens JOIN users ON user = name WHERE id = ?"
        row = connection.execute(query, (identity,)).fetchone()
        if row is None:
            raise NotSignedIn
        digest, expires, revoked, name, role = row
        if not tokens.Kept(identity, digest).is_of(token) or revoked or self._now() >= datetime.fromisoformat(expires):
            raise NotSignedIn
        return User(name, cast(Role, role))

    def tokens(self) -> list[Issued]:
        """All tokens that were issued, by user and end."""
        query = "SELECT id, user, expires, revoked FROM tokens ORDER BY user, expires, id"
        with self._database.reading() as connection:
            rows = connection.execute(query).fetchall()
        return [
            Issued(id_, user, datetime.fromisoformat(expires), bool(revoked)) for id_, user, expires, revoked in rows
        ]

    def log(self, *, after: int, most: int) -> list[Entry]:
        """Lines of the log with a number beyond `after`, ascending, at most `most` of them."""
        query = "SELECT number, at, who, what FROM log WHERE number > ? ORDER BY number LIMIT ?"
        with self._database.reading() as connection:
            rows = connection.execute(query, (after, most)).fetchall()
        return [Entry(number, datetime.fromisoformat(at), who, what) for number, at, who, what in rows]

    def _note(self, connection: sqlite3.Connection, who: str, what: str) -> None:
        connection.execute("INSERT INTO log (at, who, what) VALUES (?, ?, ?)", (self._now().isoformat(), who, what))
