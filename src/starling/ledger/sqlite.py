"""The embedded ledger: one SQLite file.

Rollback journal and `synchronous=EXTRA`: a commit is on the disk, with its directory entry, when it returns. Writers take the
lock before they read (BEGIN IMMEDIATE): a deferred transaction lets two of them check the same budget. The settings are read
back at open, since a build of SQLite may ignore a PRAGMA.
"""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from starling.errors import IntegrityError, LedgerUnavailable, OutputError, ParameterError, StarlingError
from starling.ledger import schema
from starling.ledger.store import Moved, Store, Transaction, Value

T = TypeVar("T")

BUSY_SECONDS = 60
"""How long a writer waits for its turn."""


SETTINGS: Final = {"journal_mode": "delete", "synchronous": 3, "foreign_keys": 1, "trusted_schema": 0}

LONGEST = 1 << 28
"""Bytes of one value, an answer say: a file that somebody else made asks for no more memory than that."""


class _Transaction(Transaction):
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, values: tuple[Value, ...]) -> sqlite3.Cursor:
        return self._connection.execute(sql, values)


class SqliteStore(Store):
    """A store in the file `path`, which is made when `create`; one that exists is then refused."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        super().__init__()
        self._path = path
        self._create = create
        if create:
            _claim(path)
        elif not path.exists():
            raise ParameterError("ledger", f"{path.name} is not there", "make it: starling ledger create")
        self._connected()

    def atomically(self, work: Callable[[Transaction], T], *, write: bool = True) -> T:
        """See Store."""
        with self._lock:
            connection = self._connected()
            try:
                connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
                try:
                    result = work(_Transaction(connection))
                    connection.execute("COMMIT")
                except BaseException:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise _problem_of(error) from None
            return result

    def initialise(self, work: Callable[[Transaction], T]) -> T:
        """See Store. A file that this store made, and that got no tables, is removed."""
        try:
            return self.atomically(work)
        except BaseException:
            self.close()
            if self._create:
                self._path.unlink(missing_ok=True)
            raise

    def check_schema(self, tx: Transaction) -> None:
        """See Store."""
        schema.check_sqlite(tx)

    def backup(self, path: str) -> None:
        """See Store; refuses a file that exists."""
        target = Path(path)
        if target.exists():
            raise ParameterError("backup", f"{target.name} exists already", "name another file")
        with self._lock:
            try:
                copy = sqlite3.connect(target)
                try:
                    copy.execute("PRAGMA synchronous=EXTRA")
                    self._connected().backup(copy)
                finally:
                    copy.close()
            except sqlite3.Error as error:
                # Half a copy would pass for one.
                target.unlink(missing_ok=True)
                problem = _problem_of(error)
                if isinstance(problem, IntegrityError):
                    raise problem from None
                raise OutputError(
                    "backup", "cannot be written", "name a file in a folder with room, open to you"
                ) from None

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                f"file:{quoted(self._path)}?mode=rw",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=BUSY_SECONDS,
            )
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
            for setting, value in SETTINGS.items():
                connection.execute(f"PRAGMA {setting}={value}")
                if connection.execute(f"PRAGMA {setting}").fetchone()[0] != value:
                    raise IntegrityError("ledger", f"does not keep {setting}", "use another build of SQLite")
        except sqlite3.Error as error:
            raise _problem_of(error) from None
        return connection


def _claim(path: Path) -> None:
    """Make an empty file that was not there: of several creators one goes on, and no other touches its file."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666))
    except FileExistsError:
        raise ParameterError("ledger", f"{path.name} exists already", "name another file") from None
    except OSError:
        raise OutputError("ledger", "cannot be written", "name a file in a folder with room, open to you") from None


def quoted(path: Path) -> str:
    """The name of a file in a URI of SQLite."""
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _problem_of(error: sqlite3.Error) -> StarlingError:
    """One of ours for one of SQLite's, without its text."""
    name = getattr(error, "sqlite_errorname", "")
    if name in ("SQLITE_CORRUPT", "SQLITE_NOTADB"):
        return IntegrityError("ledger", "is damaged or no ledger", "restore it and run ledger verify")
    if name == "SQLITE_CONSTRAINT_NOTNULL":
        return Moved()
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return LedgerUnavailable("ledger", "is busy", "try again: nothing is paid twice")
    if isinstance(error, sqlite3.OperationalError) and name != "SQLITE_ERROR":
        return OutputError(
            "ledger",
            "cannot be written (full disk, read-only file, or a device error)",
            "make room or mend the permission, then try again: nothing is paid twice",
        )
    return IntegrityError("ledger", "does not have the tables of a ledger", "restore it and run ledger verify")
