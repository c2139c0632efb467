"""Calls that wait together are made together, by one thread: what costs the same for one as for many is paid once for all that wait.

A durable charge costs a flush of the disk, whoever asks for it. One thread takes what waits and charges it in one transaction; while that
one flushes, the next batch gathers. Every answer leaves after its own charge is durable, and no order of arrival is changed.
"""

import asyncio
import os
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Generic, TypeAlias, TypeVar

from starling.errors import LedgerUnavailable, StarlingError
from starling.ledger.charging import Charging, Wanted
from starling.ledger.rules import Request, Ticket
from starling.ledger.store import held_at_forks
from starling.privacy.guarantee import Guarantee

A = TypeVar("A")
R = TypeVar("R")

Result: TypeAlias = Future[R] | asyncio.Future[R]
"""Where a thread or a task waits."""

MOST = 256
"""Calls that are made together: more would make the first of them wait longer than a flush."""


class Batches(Generic[A, R]):
    """Calls for many threads and tasks. `make` makes all calls that it is given: each gets what it returns, or raises, at its place."""

    def __init__(self, make: Callable[[list[A]], Sequence[R | BaseException]]) -> None:
        self._make = make
        self._waiting: deque[tuple[A, Result[R]]] = deque()
        self._lock = held_at_forks(threading.Lock())
        self._at_work = self._closed = False
        self._process: int | None = None

    def call(self, argument: A) -> R:
        """What the call gives, for a thread; raises what it raises, and LedgerUnavailable after `close`."""
        future: Future[R] = Future()
        self._add(argument, future)
        return future.result()

    async def take(self, argument: A) -> R:
        """As `call`, for a task."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._add(argument, future)
        return await future

    def _add(self, argument: A, future: Result[R]) -> None:
        with self._lock:
            if self._closed:
                raise LedgerUnavailable(
                    "ledger", "takes no more charges: its server stops", "try again: nothing is paid twice"
                )
            if self._process != os.getpid():
                # A fork has no thread of the process that it was made from, and answers none of its calls.
                self._process, self._thread = os.getpid(), ThreadPoolExecutor(1, thread_name_prefix="batches")
                self._waiting.clear()
                self._at_work = False
            self._waiting.append((argument, future))
            if not self._at_work:
                self._at_work = True
                self._thread.submit(self._work)

    def close(self) -> None:
        """Make the calls that wait, then take no more."""
        with self._lock:
            self._closed = True
        if self._process == os.getpid():
            self._thread.shutdown()

    def _work(self) -> None:
        while batch := self._next():
            try:
                outcomes = self._make([argument for argument, _ in batch])
            except BaseException as error:  # noqa: BLE001 - whatever it is, no call waits for ever
                outcomes = [_copied(error) for _ in batch]
            by_loop: defaultdict[asyncio.AbstractEventLoop | None, list[tuple[Result[R], R | BaseException]]]
            by_loop = defaultdict(list)
            for (_, future), outcome in zip(batch, outcomes, strict=True):
                by_loop[None if isinstance(future, Future) else future.get_loop()].append((future, outcome))
            for loop, settled in by_loop.items():
                if loop is None:
                    _settle(settled)
                    continue
                # The loop may have ended, with its tasks.
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(_settle, settled)

    def _next(self) -> list[tuple[A, Result[R]]]:
        """What waits; nothing when this thread is done for now."""
        with self._lock:
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST))]
            self._at_work = bool(batch)
        return batch


class Batcher(Batches[Wanted, Ticket]):
    """Charges of one ledger, in as few commits as there are flushes; `left` as of `Charging.charge_all`."""

    def __init__(self, charging: Charging, *, left: bool = False) -> None:
        super().__init__(lambda wanted: charging.charge_all(wanted, left=left))

    def charge(self, request: Request, guarantee: Guarantee) -> Ticket:
        """See `Charging.charge`: durable when this returns. Where a commit fails, each of its batch gets the ledger's error."""
        return self.call((request, guarantee))


def _settle(settled: list[tuple[Result[R], R | BaseException]]) -> None:
    for future, outcome in settled:
        if future.done():
            # Its task was given up.
            continue
        if isinstance(outcome, BaseException):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def each(calls: list[Callable[[], R]]) -> list[R | Exception]:
    """Make calls that have nothing in common, one after the other."""
    return [_outcome(call) for call in calls]


def _outcome(call: Callable[[], R]) -> R | Exception:
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is raised where the call was asked for
        return error


def _copied(error: BaseException) -> BaseException:
    """An error of one's own: one that many threads raise would collect all their traces."""
    return type(error)(problems=error.problems) if isinstance(error, StarlingError) else error
