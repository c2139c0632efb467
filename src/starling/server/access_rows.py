"""The tables of users, their passwords, tokens and sessions, and of the log of who asked what when."""

import sqlite3
from typing import Final, Literal, NamedTuple, TypeAlias

from starling.errors import ParameterError
from starling.server import tokens

Role: TypeAlias = Literal["custodian", "analyst", "auditor"]
VERSION: Final = 2
"""Of the tables."""

SCHEMA: Final = f"""
PRAGMA user_version = {VERSION};
CREATE TABLE users (name TEXT PRIMARY KEY, role TEXT NOT NULL) STRICT;
CREATE TABLE tokens (
  id TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users, digest TEXT NOT NULL,
  expires TEXT NOT NULL, revoked INTEGER NOT NULL DEFAULT 0,
  idle TEXT, -- when a session ends unless it is used before; a token for programs has none
  used TEXT, -- when it was last used
  maker TEXT -- the token by which its user made it
) STRICT;
CREATE TABLE passwords (user TEXT PRIMARY KEY REFERENCES users, hash TEXT NOT NULL) STRICT;
CREATE TABLE log (number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL) STRICT;
CREATE TRIGGER log_is_not_changed BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
CREATE TRIGGER log_is_not_deleted BEFORE DELETE ON log BEGIN SELECT RAISE(ABORT, 'the log only grows'); END;
"""
FROM_1: Final = ("ALTER TABLE tokens ADD COLUMN used TEXT", "ALTER TABLE tokens ADD COLUMN maker TEXT")
"""What makes tables of version 1 into those of version 2."""


class Row(NamedTuple):
    """What is kept of a token, and of its user."""

    id: str
    digest: str
    expires: str
    idle: str | None
    revoked: int
    maker: str | None
    name: str
    role: Role


def row_of(connection: sqlite3.Connection, token: str) -> Row | None:
    """The row of the token that this is; None where none was issued."""
    query = "SELECT id, digest, expires, idle, revoked, maker, name, role FROM tokens JOIN users ON user = name WHERE id = ?"
    values = connection.execute(query, (tokens.id_of(token),)).fetchone()
    row = None if values is None else Row(*values)
    return row if row is not None and tokens.Stored(row.id, row.digest).is_of(token) else None


def version(connection: sqlite3.Connection) -> int:
    """The version of the tables."""
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number


def is_user(connection: sqlite3.Connection, name: str) -> bool:
    """Whether there is a user of this name."""
    return connection.execute("SELECT 1 FROM users WHERE name = ?", (name,)).fetchone() is not None


def check_known(connection: sqlite3.Connection, name: str) -> None:
    """Raises ParameterError where there is no such user."""
    if not is_user(connection, name):
        raise ParameterError("name", "is no user of this server", "add the user first: starling server user")
