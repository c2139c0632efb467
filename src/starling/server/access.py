"""Who may use a server: users with roles, their passwords, tokens and sessions, and the log of who asked what when. One SQLite file, read
at every request.

A session is a token that a browser keeps as a cookie after its user signed in; a token for programs is none, and neither is taken for the
other. A revoked one is refused from the next request on. The log can only grow: triggers refuse to change or delete its lines.
"""

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar, Final, cast, get_args

from starling.errors import LedgerUnavailable, ParameterError, PolicyRefused, StarlingError
from starling.ledger.batching import Batches
from starling.server import access_rows, tokens
from starling.server.access_rows import Role, check_known, is_user, row_of
from starling.server.database import Database, unavailable
from starling.server.datasets import NotThere

ROLES: Final = get_args(Role)
MOST_DAYS: Final = 366
"""The longest life of a token."""
MOST_TOKENS: Final = 100
"""Tokens of one user that are valid at the same time; beyond that the user cannot make another."""
USED: Final = timedelta(minutes=1)
"""The precision of when a token was last used."""
SESSION: Final = timedelta(hours=12)
"""The longest life of a session."""
IDLE: Final = timedelta(hours=1)
"""How long a session lives when nothing is asked by it."""
NOBODY: Final = "nobody known"
"""Who did not sign in, in the log: no name of a user has a space, and what was typed for one may be a password."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")


class NotSignedIn(PolicyRefused):
    """A request brings no token or session that lets it in; the same message whether it is unknown, expired or revoked."""

    status: ClassVar[int] = 401

    def __init__(self) -> None:
        super().__init__(
            "Authorization",
            "brings no valid token",
            "send 'Authorization: Bearer TOKEN', or ask a custodian for a new one; in a browser, sign in",
        )


class SignInRefused(PolicyRefused):
    """A request does not show whose it is."""

    status: ClassVar[int] = 401


@dataclass(frozen=True, slots=True)
class User:
    """A user of the server: a name, unique on it, and the role that says what the user may do."""

    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Issued:
    """A token or a session as a list shows it.

    Attributes:
        id: Names the token.
        user: Whose it is.
        expires: From when on it is refused, in UTC; a session ends earlier where it is not used.
        revoked: Whether it was revoked.
        session: Whether it is a session.
        used: When it was last used, in UTC, to a minute; None where it never was.
    """

    id: str
    user: str
    expires: datetime
    revoked: bool
    session: bool
    used: datetime | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log.

    Attributes:
        number: Counted from 1.
        at: When, in UTC.
        user: The name of a user, `command line`, or NOBODY.
        what: What was asked: a method and the pattern of a path, or a command. Nothing confidential.
    """

    number: int
    at: datetime
    user: str
    what: str


@dataclass(frozen=True, slots=True)
class _Arrival:
    """A token or a session, what is requested with it, and what may refuse it."""

    token: str
    session: bool
    what: str
    allow: Callable[[], None]


class Access:
    """The users, passwords, tokens, sessions and log in the SQLite file `path`; `now` gives the time, in UTC."""

    def __init__(self, path: Path, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = Database(path, "users")
        self._now = now
        self._entering = Batches(self._entered)

    def create(self) -> None:
        """Make the file, closed to other users; raises FileExistsError where there is one."""
        self._database.create(access_rows.SCHEMA)

    def check(self) -> None:
        """Bring the tables to this version; raises ParameterError where they are those of an unknown one."""
        with self._database.reading() as connection:
            version = access_rows.version(connection)
        if version == 1:
            with self._database.writing() as connection:
                # Another process may have been first.
                for statement in access_rows.FROM_1 if access_rows.version(connection) == 1 else ():
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {access_rows.VERSION}")
        elif version != access_rows.VERSION:
            raise ParameterError("users", "were written by another version of Starling", "make a new home")

    def add_user(self, name: str, role: Role) -> User:
        """A new user; raises ParameterError for a name that is taken or not a name."""
        if not _NAME.fullmatch(name):
            fix = "begin with a small letter or digit; up to 64 small letters, digits and . _ @ -"
            raise ParameterError("name", "is not a name of a user", fix)
        with self._database.writing() as connection:
            if is_user(connection, name):
                raise ParameterError("name", f"{name} is taken", "choose another name")
            connection.execute("INSERT INTO users VALUES (?, ?)", (name, role))
            self._note(connection, "command line", f"user {name} {role}")
        return User(name, role)

    def knows(self, name: str) -> bool:
        """Whether there is a user of this name."""
        with self._database.reading() as connection:
            return is_user(connection, name)

    def issue(self, name: str, *, days: int) -> tuple[str, Issued]:
        """A new token of a user, which is shown now and never again; raises ParameterError where there is no such user."""
        with self._database.writing() as connection:
            check_known(connection, name)
            return self._issue(connection, "command line", name, self._end(days), None)

    def issue_own(self, user: str, brought: str, *, days: int) -> tuple[str, Issued]:
        """A new token that a user makes, who was let in by the token or session `brought`.

        One that is made by a token ends with it at the latest, and is revoked with it: whoever found a token cannot keep what it opens.

        Raises:
            ParameterError: it would live for no time, or for too long.
            PolicyRefused: the user has too many.
            NotSignedIn: what was brought is not valid any more.
        """
        expires = self._end(days)
        with self._database.writing() as connection:
            row = row_of(connection, brought)
            if row is None or row.revoked:
                raise NotSignedIn
            valid = "SELECT count(*) FROM tokens WHERE user = ? AND idle IS NULL AND NOT revoked AND expires > ?"
            if connection.execute(valid, (user, self._now().isoformat())).fetchone()[0] >= MOST_TOKENS:
                raise PolicyRefused(
                    "token", f"is one of more than {MOST_TOKENS} of yours", "revoke one that you need no more"
                )
            if row.idle is not None:
                return self._issue(connection, user, user, expires, None)
            return self._issue(connection, user, user, min(expires, datetime.fromisoformat(row.expires)), row.id)

    def _end(self, days: int) -> datetime:
        if not 1 <= days <= MOST_DAYS:
            raise ParameterError("days", f"is not from 1 to {MOST_DAYS}", "choose a shorter life")
        return self._now() + timedelta(days=days)

    def _issue(
        self, connection: sqlite3.Connection, by: str, name: str, expires: datetime, maker: str | None
    ) -> tuple[str, Issued]:
        token, stored = tokens.fresh()
        row = (stored.id, name, stored.digest, expires.isoformat(), maker)
        connection.execute("INSERT INTO tokens (id, user, digest, expires, maker) VALUES (?, ?, ?, ?, ?)", row)
        self._note(connection, by, f"token {stored.id} for {name}")
        return token, Issued(stored.id, name, expires, revoked=False, session=False)

    def revoke(self, identity: str, *, user: str | None = None) -> None:
        """Refuse a token or a session from now on, and all that was made by it, or by what it made; `user` revokes one of their own, None
        the command line.

        Raises NotThere where there is none of this id, or it is another user's.
        """
        update = (
            "UPDATE tokens SET revoked = 1 WHERE id IN (WITH RECURSIVE line (id) AS ("
            "SELECT id FROM tokens WHERE id = ? AND (? IS NULL OR user = ?)"
            " UNION SELECT tokens.id FROM tokens JOIN line ON tokens.maker = line.id) SELECT id FROM line)"
        )
        with self._database.writing() as connection:
            if not connection.execute(update, (identity, user, user)).rowcount:
                raise NotThere("id", "names no token", "look it up in the list of tokens")
            self._note(connection, user or "command line", f"revoke {identity}")

    def set_password(self, name: str, hashed: str | None) -> None:
        """Keep what passwords.py made of a user's new password, or None for no password; ends all sessions of the user. Raises
        ParameterError where there is no such user.
        """
        with self._database.writing() as connection:
            check_known(connection, name)
            connection.execute("DELETE FROM passwords WHERE user = ?", (name,))
            if hashed is not None:
                connection.execute("INSERT INTO passwords VALUES (?, ?)", (name, hashed))
            connection.execute("UPDATE tokens SET revoked = 1 WHERE user = ? AND idle IS NOT NULL", (name,))
            self._note(connection, "command line", f"{'no password' if hashed is None else 'password'} for {name}")

    def password(self, name: str) -> str | None:
        """What is kept of a user's password; None where there is no such user, or no password."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT hash FROM passwords WHERE user = ?", (name,)).fetchone()
        return None if row is None else row[0]

    def renew_password(self, name: str, stored: str, hashed: str) -> None:
        """Keep the same password otherwise, unless another took its place meanwhile."""
        with self._database.writing() as connection:
            connection.execute("UPDATE passwords SET hash = ? WHERE user = ? AND hash = ?", (hashed, name, stored))

    def begin_session(self, name: str, what: str, *, left: str | None, stored: str | None = None) -> tuple[str, User]:
        """A new session of a user who has shown who they are, and its token for the cookie. Those of theirs that have ended are forgotten.

        `what` says by which request, `left` is the session that the browser had before, which ends, and `stored` what is kept of the
        password by which they did, where it was one.

        Raises:
            PolicyRefused: there is no such user.
            SignInRefused: the password was changed meanwhile.
        """
        token, issued = tokens.fresh()
        now = self._now()
        with self._database.writing() as connection:
            row = connection.execute("SELECT role FROM users WHERE name = ?", (name,)).fetchone()
            if row is None:
                raise PolicyRefused("user", "is not known to this server", "ask a custodian to add you")
            known = "SELECT 1 FROM passwords WHERE user = ? AND hash = ?"
            if stored is not None and not connection.execute(known, (name, stored)).fetchone():
                raise SignInRefused("password", "was changed just now", "sign in with the new one")
            self._revoke_session(connection, left)
            ended = "DELETE FROM tokens WHERE user = ? AND idle IS NOT NULL AND (revoked OR min(expires, idle) <= ?)"
            connection.execute(ended, (name, now.isoformat()))
            times = ((now + SESSION).isoformat(), (now + IDLE).isoformat())
            query = "INSERT INTO tokens (id, user, digest, expires, idle) VALUES (?, ?, ?, ?, ?)"
            connection.execute(query, (issued.id, name, issued.digest, *times))
            self._note(connection, name, what)
        return token, User(name, cast(Role, row[0]))

    def end_session(self, token: str) -> None:
        """Refuse a session from now on."""
        with self._database.writing() as connection:
            self._revoke_session(connection, token)

    def note_refusal(self, name: str | None, what: str) -> None:
        """Note in the log that a sign-in failed, under the name that was given if it is a user's."""
        with self._database.writing() as connection:
            known = name is not None and is_user(connection, name)
            self._note(connection, str(name) if known else NOBODY, f"{what} refused")

    def admit(self, token: str, *, session: bool = False) -> User:
        """The user whose token this is, or, if `session`, whose session; raises NotSignedIn where it lets nobody in."""
        with self._database.reading() as connection:
            return self._admitted(connection, token, session=session)

    async def enter(self, token: str, what: str, allow: Callable[[], None], *, session: bool = False) -> User:
        """Admit the user of a token, or of a `session`, which then lives on, and note in the log what is requested; durable when this
        returns.

        Those who come while one flush of the disk goes on share the next. `allow` refuses, by raising, before anything is written.

        Raises:
            NotSignedIn: the token lets nobody in.
            LedgerUnavailable: the file cannot be read or written.
            StarlingError: as `allow` does.
        """
        if tokens.id_of(token) is None:
            raise NotSignedIn
        return await self._entering.take(_Arrival(token, session, what, allow))

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
            user = self._admitted(connection, arrival.token, session=arrival.session)
            arrival.allow()
        except StarlingError as error:
            return error
        now, identity = self._now(), tokens.id_of(arrival.token)
        if arrival.session:
            connection.execute("UPDATE tokens SET idle = ? WHERE id = ?", ((now + IDLE).isoformat(), identity))
        # Not at each request: most of them leave the row as it is.
        used = "UPDATE tokens SET used = ? WHERE id = ? AND (used IS NULL OR used < ?)"
        connection.execute(used, (now.isoformat(), identity, (now - USED).isoformat()))
        self._note(connection, user.name, arrival.what)
        return user

    def _admitted(self, connection: sqlite3.Connection, token: str, *, session: bool) -> User:
        row = row_of(connection, token)
        if row is None or session != (row.idle is not None):
            raise NotSignedIn
        ends = [datetime.fromisoformat(each) for each in (row.expires, row.idle) if each is not None]
        if row.revoked or self._now() >= min(ends):
            raise NotSignedIn
        return User(row.name, row.role)

    def _revoke_session(self, connection: sqlite3.Connection, token: str | None) -> None:
        row = None if token is None else row_of(connection, token)
        if row is not None and row.idle is not None:
            connection.execute("UPDATE tokens SET revoked = 1 WHERE id = ?", (row.id,))

    def tokens(self, user: str | None = None) -> list[Issued]:
        """The tokens that were issued, and sessions that were begun, by user and end: those of a user, or of all."""
        query = (
            "SELECT id, user, expires, revoked, idle IS NOT NULL, used FROM tokens WHERE ? IS NULL OR user = ?"
            " ORDER BY user, expires, id"
        )
        with self._database.reading() as connection:
            rows = connection.execute(query, (user, user)).fetchall()
        return [
            Issued(
                *(id_, name, datetime.fromisoformat(expires)),
                revoked=bool(revoked),
                session=bool(session),
                used=None if used is None else datetime.fromisoformat(used),
            )
            for id_, name, expires, revoked, session, used in rows
        ]

    def log(self, *, after: int, most: int) -> list[Entry]:
        """Lines of the log with a number beyond `after`, ascending, at most `most` of them."""
        query = "SELECT number, at, who, what FROM log WHERE number > ? ORDER BY number LIMIT ?"
        with self._database.reading() as connection:
            rows = connection.execute(query, (after, most)).fetchall()
        return [Entry(number, datetime.fromisoformat(at), user, what) for number, at, user, what in rows]

    def _note(self, connection: sqlite3.Connection, user: str, what: str) -> None:
        connection.execute("INSERT INTO log (at, who, what) VALUES (?, ?, ?)", (self._now().isoformat(), user, what))
