"""The tables of users: those of the version before are taken over, those of an unknown one refused."""

from pathlib import Path

import pytest

from starling.errors import ParameterError
from starling.server.access import Access

OLD = """
PRAGMA user_version = 1;
CREATE TABLE users (name TEXT PRIMARY KEY, role TEXT NOT NULL) STRICT;
CREATE TABLE tokens (
  id TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users, digest TEXT NOT NULL,
  expires TEXT NOT NULL, revoked INTEGER NOT NULL DEFAULT 0,
  idle TEXT -- when a session ends unless it is used before; a token for programs has none
) STRICT;
CREATE TABLE passwords (user TEXT PRIMARY KEY REFERENCES users, hash TEXT NOT NULL) STRICT;
CREATE TABLE log (number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL) STRICT;
"""


def test_users_of_the_version_before_are_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.server.access_rows.SCHEMA", OLD)
    access = Access(tmp_path / "access.sqlite")
    access.create()
    access.add_user("ada", "analyst")
    with access._database.writing() as connection:
        connection.execute(
            "INSERT INTO tokens VALUES ('0123456789abcdef', 'ada', 'x', '2030-01-01T00:00:00+00:00', 0, NULL)"
        )
    for _ in range(2):
        access.check()
        (entry,) = access.tokens("ada")
        assert (entry.id, entry.used) == ("0123456789abcdef", None)
    with access._database.writing() as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ParameterError, match="another version"):
        access.check()
