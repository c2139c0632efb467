"""A small SQLite file of a home: opened for each use, so that threads and processes share nothing, and durable when a write returns."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from starling.errors import LedgerUnavailable

_WAIT: Final = 10.0
"""Seconds for which a writer waits for its turn."""


class Database:
    """One file; `what` says in a word what it holds, for the error that says that it cannot be read."""

    def __init__(self, path: Path, what: str) -> None:
        self._path = path
        self._what = what

    def create(self, schema: str) -> None:
        """Make the file, closed to other users; raises FileExistsError where there is one."""
        os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with self.reading() as connection:
            connection.executescript(f"BEGIN;{schema}COMMIT;")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own; a file that is not there is not made. Raises LedgerUnavailable where it cannot be read."""
        try:
            opened = sqlite3.connect(f"{self._path.as_uri()}?mode=rw", uri=True, timeout=_WAIT, isolation_level=None)
            with closing(opened) as connection:
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA synchronous = EXTRA")
                yield connection
        except sqlite3.Error:
            raise unavailable(self._what) from None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that holds the lock from its beginning."""
        with self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


def unavailable(what: str) -> LedgerUnavailable:
    """The error for what cannot be read or written."""
    return LedgerUnavailable(what, "cannot be read or written now", "try again; check the disk")
