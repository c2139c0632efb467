"""A small file of a home: made once, closed to others, and undone as a whole where a write fails."""

from pathlib import Path

import pytest

from starling.errors import LedgerUnavailable
from starling.server.database import Database

SCHEMA = "CREATE TABLE numbers (n INTEGER) STRICT;"


@pytest.fixture
def database(tmp_path: Path) -> Database:
    made = Database(tmp_path / "some.sqlite", "numbers")
    made.create(SCHEMA)
    return made


def test_it_is_closed_to_others_and_made_once(database: Database, tmp_path: Path) -> None:
    assert (tmp_path / "some.sqlite").stat().st_mode & 0o077 == 0
    with pytest.raises(FileExistsError):
        database.create(SCHEMA)


def test_a_write_that_fails_leaves_nothing(database: Database) -> None:
    def write() -> None:
        with database.writing() as connection:
            connection.execute("INSERT INTO numbers VALUES (1)")
            raise KeyError

    with pytest.raises(KeyError):
        write()
    with database.writing() as connection:
        connection.execute("INSERT INTO numbers VALUES (2)")
    with database.reading() as connection:
        assert connection.execute("SELECT n FROM numbers").fetchall() == [(2,)]


def test_what_is_not_there_or_no_database_is_said_without_its_path(database: Database, tmp_path: Path) -> None:
    (tmp_path / "some.sqlite").write_bytes(b"no database at all" * 100)
    for each in (database, Database(tmp_path / "other.sqlite", "numbers")):
        with pytest.raises(LedgerUnavailable, match="numbers cannot be read") as caught, each.reading() as connection:
            connection.execute("SELECT n FROM numbers")
        assert str(tmp_path) not in str(caught.value)
    assert not (tmp_path / "other.sqlite").exists()
