"""A process that charges and answers one request and dies where it is told to: `python -m tests.ledger.child URL REQUEST FAULT`.

FAULT is `none`, `kill:N` (kill -9 before the N-th call of the database), `cut:N` (the PostgreSQL server ends this connection
before the N-th call), or `size:BYTES` (no file may grow beyond BYTES). With PostgreSQL a call is a wait of the connection: each
statement waits once before anything of it is sent. `opened-kill:N` and `opened-cut:N` count from where the
ledger is open, `warm-kill:N` and `warm-cut:N` from where two charges are made and the next is made from memory. Prints what it
published, or exits with the error's code.
"""

import os
import resource
import signal
import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

from starling.errors import StarlingError
from starling.ledger.opening import Ledger, open_ledger
from starling.privacy.trust import Confidential, publish
from tests.ledger.worlds import Count, request

calls = [count(1)]
"""The calls of the database, counted anew when a ledger is open or a child is warm."""


def at_call(number: int, strike: Callable[[], None]) -> None:
    """Run `strike` before the `number`-th call of the database."""
    if next(calls[0]) == number:
        strike()


class Struck(sqlite3.Connection):
    """A SQLite connection that counts its calls."""

    number = -1

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        at_call(self.number, die)
        return super().execute(*arguments)


def die() -> None:
    """As a power cut would, for this process."""
    os.kill(os.getpid(), signal.SIGKILL)


def strike_postgres(url: str, number: int, cut: bool) -> None:
    """Count the calls of psycopg; at the `number`-th die, or have the server end the connection."""
    import psycopg

    def strike(connection: "psycopg.Connection[Any]") -> None:
        if not cut:
            die()
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))

    plain = psycopg.Connection.wait

    def wait(self: Any, *arguments: Any, **named: Any) -> Any:
        at_call(number, partial(strike, self))
        return plain(self, *arguments, **named)

    psycopg.Connection.wait = wait  # type: ignore[method-assign]


def answer(ledger: Ledger, name: str) -> str:
    """What request `name` is answered with: what it was before, or what is charged, drawn and kept now."""
    account, earlier = ledger.account(request(name)), ledger.charging.find(request(name))
    if earlier is not None and earlier.answer is not None:
        return earlier.answer
    released = publish(Confidential(os.getpid), Count(), account)
    account.answer("bytes", str(released.value))
    return str(released.value)


def main(url: str, name: str, fault: str) -> int:
    """See above."""
    kind, _, detail = fault.partition(":")
    since, _, kind = kind.rpartition("-")
    if since:
        calls[0] = count(-1_000_000)
    if kind in ("kill", "cut") and url.startswith("sqlite"):
        Struck.number = int(detail)
        # The class that sqlite3.connect makes, wherever it is called from.
        sqlite3.connect = partial(sqlite3.connect, factory=Struck)  # type: ignore[assignment]
    elif kind in ("kill", "cut"):
        strike_postgres(url, int(detail), cut=kind == "cut")
    elif kind == "size":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(detail), int(detail)))
    try:
        ledger = open_ledger(url)
        if since == "warm":
            for number in (1, 2):
                ledger.charging.charge(request(f"{name}-warm-{number}"), Count().guarantee)
        if since:
            calls[0] = count(1)
        published = answer(ledger, name)
        at_call(int(detail) if kind == "kill" else -1, die)
    except StarlingError as error:
        sys.stdout.write(f"refused {type(error).__name__}")
        return error.exit_code
    sys.stdout.write(f"published {published}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
