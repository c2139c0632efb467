"""The ledger of many users: a PostgreSQL database.

SERIALIZABLE, and `LOCK TABLE events IN EXCLUSIVE MODE` as the first statement of a writer that reads: they queue instead of failing
and retrying, and each takes its snapshot after it has the lock. A writer that reads nothing sends one statement (`_Steps`). A
server that acknowledges commits it may lose (fsync, full_page_writes or synchronous_commit off) is refused.
"""

import logging
import select
import time
from collections.abc import Callable, Generator, Iterator
from functools import lru_cache
from typing import Any, Final, TypeVar

import psycopg
from psycopg import errors as pg
from psycopg.types.numeric import Int8Dumper

from starling.errors import IntegrityError, LedgerUnavailable, OutputError, ParameterError, PolicyRefused, StarlingError
from starling.ledger import schema
from starling.ledger.store import Moved, Row, Store, Transaction, Value

T = TypeVar("T")

LIMITS: Final[dict[str, float]] = {"lock_timeout": 60, "idle_in_transaction_session_timeout": 60}
"""Seconds after which the server gives up waiting for another writer, or for a client that has gone silent in a transaction."""

WAITS: Final[dict[str, Any]] = {
    "connect_timeout": 10,
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""After how long a server that does not answer is taken for gone: seconds, but for the last, milliseconds."""

IDLE: Final = 1.0
"""Seconds after which a connection is asked whether it still lives before it is used: a machine that was switched off said no farewell."""
PROBE: Final = 5.0
"""Seconds in which it has to say so."""
SILENCE: Final = 120.0
"""Seconds in which a server that answers a statement sends something: more than any of `LIMITS`. A stopped process still acknowledges
what it is sent, so that the limits of TCP do not end such a wait."""

# What it logs is library text, which may hold a value.
logging.getLogger("psycopg").disabled = True


class _Connection(psycopg.Connection[Any]):
    """A connection that waits for an answer no longer than `silence` seconds in which nothing comes; then it is closed."""

    silence = SILENCE

    def wait(self, gen: Generator[Any, Any, T], *arguments: Any, **options: Any) -> T:
        """As of psycopg; raises OperationalError when nothing came for so long."""
        return super().wait(self._heard(gen), *arguments, **options)

    def _heard(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        last = time.monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    last = time.monotonic()
                elif time.monotonic() - last > self.silence:
                    self.pgconn.finish()
                    raise psycopg.OperationalError
                wanted = gen.send(ready)
        except StopIteration as end:
            result: T = end.value
            return result


class _Transaction(Transaction):
    """A transaction in pipeline mode: what is run is sent along with the next thing that is read, or with the COMMIT.

    Each statement has a cursor of its own: on a shared one the result of a statement sent before, arriving late, passes for that of
    the next.
    """

    def __init__(self, connection: "psycopg.Connection[Any]", pipeline: psycopg.Pipeline) -> None:
        self._connection = connection
        self._pipeline = pipeline

    def execute(self, sql: str, values: tuple[Value, ...]) -> Any:
        return self._connection.execute(_marked(sql), values)

    def rows(self, sql: str, *values: Value) -> Iterator[Row]:
        yield from self.execute(sql, values).fetchall()

    def changed(self, sql: str, *values: Value) -> int:
        done = self.execute(sql, values)
        self._pipeline.sync()
        return int(done.rowcount)


class _Steps(Transaction):
    """Statements that become one: what reads nothing needs no transaction of several, and waits for the server once.

    All of them see the same state; the first, the event, decides: its number is the chain's next, so that of two writers the second
    conflicts. The rest goes on where the first was written, and where a number of rows is another than wanted, a division by zero takes
    everything back. Whoever reads here is wrong.
    """

    def __init__(self) -> None:
        self._steps: list[tuple[int | None, str, tuple[Value, ...]]] = []

    def execute(self, sql: str, values: tuple[Value, ...]) -> Any:
        raise AssertionError(f"reads among statements that become one: {sql} with {len(values)} values")

    def run(self, sql: str, *values: Value) -> None:
        # An INSERT of one row, which fails or makes it: nothing to count.
        self._steps.append((None, sql, values))

    def exactly(self, number: int, sql: str, *values: Value) -> None:
        self._steps.append((number, sql, values))

    def statement(self) -> tuple[str, list[Value]]:
        """The one statement, and its values."""
        parts, counts = [], []
        for place, (number, sql, _) in enumerate(self._steps):
            if number is None:
                parts.append(f"step_{place} AS ({sql} RETURNING 1)")
                continue
            # Rows are updated after the event was written, so that two writers wait for each other in one order.
            parts.append(f"step_{place} AS ({sql} AND EXISTS (SELECT 1 FROM step_0) RETURNING 1)")
            counts.append(f"(SELECT COUNT(*) FROM step_{place}) = {number}")
        text = f"WITH {', '.join(parts)} SELECT 1 / CASE WHEN {' AND '.join(counts)} THEN 1 ELSE 0 END"
        return text, [value for _, _, values in self._steps for value in values]


class PostgresStore(Store):
    """A store in the database at `url`."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self._used = 0.0
        self._connected()

    def initialise(self, work: Callable[[Transaction], T]) -> T:
        """See Store."""
        return self._transact(work, lock=False)

    def atomically(self, work: Callable[[Transaction], T], *, write: bool = True) -> T:
        """See Store."""
        return self._transact(work, lock=write)

    def at_once(self, work: Callable[[Transaction], T]) -> T:
        """See Store: one prepared statement, which commits by itself. Who comes second meets the event of the first."""
        steps = _Steps()
        result = work(steps)
        sql, values = steps.statement()
        with self._lock:
            connection = self._connected()
            try:
                connection.execute(_marked(sql), values, prepare=True)
            except (pg.UniqueViolation, pg.NotNullViolation, pg.DivisionByZero, pg.TransactionRollback):
                raise Moved from None
            except psycopg.Error as error:
                connection.close()
                raise _problem_of(error) from None
            self._used = time.monotonic()
        return result

    def _transact(self, work: Callable[[Transaction], T], *, lock: bool) -> T:
        with self._lock:
            connection = self._connected()
            try:
                # A wait for the server is most of what a charge costs beyond the flush: BEGIN travels with the first read,
                # writes with the COMMIT.
                with connection.pipeline() as pipeline:
                    connection.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
                    if lock:
                        # The first statement: the snapshot is taken after it, so a writer sees all that went before.
                        connection.execute("LOCK TABLE events IN EXCLUSIVE MODE")
                    try:
                        result = work(_Transaction(connection, pipeline))
                    except psycopg.Error:
                        raise
                    except BaseException:
                        connection.execute("ROLLBACK")
                        raise
                    connection.execute("COMMIT")
            except psycopg.Error as error:
                # In whatever state the failed pipeline left it: the next transaction begins on a fresh one.
                connection.close()
                raise _problem_of(error) from None
            self._used = time.monotonic()
            return result

    def check_schema(self, tx: Transaction) -> None:
        """See Store."""
        schema.check_postgres(tx)

    def backup(self, path: str) -> None:
        """Refused: PostgreSQL has better ones."""
        raise PolicyRefused("backup", "of a PostgreSQL ledger is PostgreSQL's own business", f"run pg_dump into {path}")

    def _connect(self) -> _Connection:
        """Called before anything of a transaction is sent, where the connection was lost while nobody used it.

        A transaction whose connection is lost is not run again: nobody here knows whether its COMMIT arrived, and not all that a custodian
        writes is found again by a request id.
        """
        try:
            connection = _Connection.connect(self._url, autocommit=True, **WAITS)
            # One type for every number, and one plan: a charge is the same statement whatever its amounts are.
            connection.adapters.register_dumper(int, Int8Dumper)
            connection.execute("SET plan_cache_mode = force_generic_plan")
            for setting, seconds in LIMITS.items():
                connection.execute(f"SET {setting} = '{seconds}s'".encode())
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                row = connection.execute(f"SHOW {setting}").fetchone()
                if row == ("off",):
                    connection.close()
                    raise PolicyRefused(
                        "ledger",
                        f"runs on a server with {setting} off, which may forget a charge it acknowledged",
                        f"turn {setting} on",
                    )
        except psycopg.Error as error:
            raise _problem_of(error) from None
        self._used = time.monotonic()
        return connection

    def _lives(self) -> bool:
        connection: _Connection = self._connection
        if not connection.closed and not self._answers(connection):
            connection.close()
        return not connection.closed

    def _answers(self, connection: _Connection) -> bool:
        # A server that ends says so, or its system does: on a connection that waits for nothing there is something to read then alone.
        poll = select.poll()
        poll.register(connection.fileno(), select.POLLIN)
        if poll.poll(0):
            return False
        if time.monotonic() - self._used < IDLE:
            return True
        connection.silence = PROBE
        try:
            connection.execute("SELECT 1")
        except psycopg.Error:
            return False
        finally:
            connection.silence = SILENCE
        return True


def _problem_of(error: psycopg.Error) -> StarlingError:
    """One of ours for one of PostgreSQL's, without its text."""
    if isinstance(error, pg.DiskFull | pg.InsufficientPrivilege | pg.ReadOnlySqlTransaction):
        return OutputError("ledger", "cannot be written", "make room or mend the permission, then try again")
    if isinstance(error, pg.LockNotAvailable):
        return LedgerUnavailable("ledger", "is busy", "try again: nothing is paid twice")
    if isinstance(error, pg.NotNullViolation):
        return Moved()
    if isinstance(error, pg.DuplicateTable | pg.UniqueViolation):
        # Of two that make their tables at the same time one meets the other's in the catalogue.
        return ParameterError("ledger", "exists already", "name another database")
    if isinstance(error, pg.UndefinedTable | pg.UndefinedColumn | pg.DataCorrupted):
        return IntegrityError("ledger", "does not have the tables of a ledger", "see starling ledger create")
    return LedgerUnavailable("ledger", "did not answer, or its connection was lost", "try again: nothing is paid twice")


@lru_cache(maxsize=256)
def _marked(sql: str) -> str:
    """psycopg's mark of a parameter; the texts are this package's own and hold no percent sign."""
    return sql.replace("?", "%s")
