"""What a ledger needs of a database: one method. The SQL above it is one text for both stores.

Locks at a fork: a child of a threaded process would find locks that other threads held, and nobody there to let them go. The thread
that forks holds all of them while it does (`held_at_forks`), so that neither side is in the middle of anything: no child waits for a thread
that it does not have, and none inherits a transaction. (SQLite keeps what a connection has locked in the process's memory: a child that
inherited an open transaction could not lock that file again.)
"""

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from typing import Any, Protocol, TypeAlias, TypeVar
from weakref import WeakSet

from starling.errors import LedgerUnavailable

Value: TypeAlias = int | str | None
Row: TypeAlias = tuple[Value, ...]
T = TypeVar("T")

VERSION = 1
"""The version of the schema; a ledger of a newer one is refused."""
AT_ONCE = 500
"""Rows that are asked for by number in one statement."""


class Transaction(ABC):
    """One isolated, durable unit of work. `?` marks a parameter.

    A store may keep a `run` back until something is read or the transaction ends; the order stays.
    """

    @abstractmethod
    def execute(self, sql: str, values: tuple[Value, ...]) -> Any:
        """A cursor over what a statement gives."""

    def one(self, sql: str, *values: Value) -> Row | None:
        """The first row, or None."""
        row: Row | None = self.execute(sql, values).fetchone()
        return row

    def rows(self, sql: str, *values: Value) -> Iterator[Row]:
        """All rows."""
        return iter(self.execute(sql, values))

    def numbered(self, sql: str, numbers: Sequence[int]) -> Iterator[Row]:
        """All rows whose column, the last that `sql` names, has one of these numbers; some are asked for at a time."""
        for start in range(0, len(numbers), AT_ONCE):
            part = numbers[start : start + AT_ONCE]
            yield from self.rows(f"{sql} IN ({', '.join('?' * len(part))})", *part)

    def run(self, sql: str, *values: Value) -> None:
        """Change something."""
        self.execute(sql, values)

    def changed(self, sql: str, *values: Value) -> int:
        """Change something, and count the rows that were changed."""
        return int(self.execute(sql, values).rowcount)

    def exactly(self, number: int, sql: str, *values: Value) -> None:
        """Change so many rows; otherwise `Moved` is raised, here or when the transaction ends."""
        if self.changed(sql, *values) != number:
            raise Moved


class Moved(LedgerUnavailable):
    """A row that was written under a condition was refused, since the ledger has moved on; nothing of its transaction is kept."""

    def __init__(self) -> None:
        super().__init__("ledger", "has moved on", "try again: nothing is paid twice")


class Store(ABC):
    """A database that serialises its writers, by one connection of each process."""

    def __init__(self) -> None:
        self._lock = held_at_forks(threading.RLock())
        self._pid = -1
        self._connection: Any = None

    def close(self) -> None:
        """Let go of the connection."""
        with self._lock:
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
            self._connection = None

    def _connected(self) -> Any:
        """This process's connection: none survives a fork."""
        if self._connection is None or self._pid != os.getpid() or not self._lives():
            self._connection, self._pid = self._connect(), os.getpid()
        return self._connection

    def _lives(self) -> bool:
        """Whether the connection of this process can be used."""
        return True

    @abstractmethod
    def _connect(self) -> Any:
        """A new connection."""

    @abstractmethod
    def atomically(self, work: Callable[[Transaction], T], *, write: bool = True) -> T:
        """Run `work` in one transaction: durable when this returns, nothing of it kept when it raises.

        Raises:
            OutputError: the store cannot be written (full disk, read-only, lost connection): nothing was committed, or nobody can
                know; the same request id finds out.
            Moved: a column that must not be NULL would have been.
        """

    def at_once(self, work: Callable[[Transaction], T]) -> T:
        """Run what reads nothing and inserts one row with each `run`: one statement where a store can.

        Raises:
            OutputError: as `atomically`.
            Moved: something is not as `work` believed, or another writer came first; nothing was written.
        """
        return self.atomically(work)

    @abstractmethod
    def initialise(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one transaction of a database that has no tables yet."""

    @abstractmethod
    def check_schema(self, tx: Transaction) -> None:
        """Raises IntegrityError where its tables are not those of the migration, or something hangs on them."""

    @abstractmethod
    def backup(self, path: str) -> None:
        """A consistent copy into a new file."""


def migration() -> list[str]:
    """The statements that make the tables of schema VERSION, without comment lines."""
    script = resources.files("starling.ledger").joinpath("migrations", "001_ledger.sql").read_text()
    lines = [line for line in script.splitlines() if not line.lstrip().startswith("--")]
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]


class Lock(Protocol):
    """As in threading."""

    def acquire(self) -> bool: ...  # noqa: D102
    def release(self) -> None: ...  # noqa: D102


L = TypeVar("L", bound=Lock)

_LOCKS: WeakSet[Lock] = WeakSet()
_FORKING = threading.Lock()
_HELD: list[Lock] = []


def held_at_forks(lock: L) -> L:
    """`lock`, which nobody else holds when this process is forked."""
    _LOCKS.add(lock)
    return lock


def _hold() -> None:
    _FORKING.acquire()
    # In one order, whoever forks.
    for lock in sorted(_LOCKS, key=id):
        lock.acquire()
        _HELD.append(lock)


def _let_go() -> None:
    while _HELD:
        _HELD.pop().release()
    _FORKING.release()


os.register_at_fork(before=_hold, after_in_parent=_let_go, after_in_child=_let_go)
