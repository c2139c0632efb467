"""Many charges in one flush of the disk: a server's analysts wait together for one commit.

A durable charge costs a flush, whoever asks for it. One thread takes what waits and charges it in one transaction; while that one
flushes, the next batch gathers. Every answer leaves after its own charge is durable, and no order of arrival is changed.
"""

import os
import threading
from collections import deque
from concurrent.futures import Future

from starling.errors import LedgerUnavailable, StarlingError
from starling.ledger.charging import Charging, Result
from starling.ledger.rules import Request, Ticket
from starling.ledger.store import held_at_forks
from starling.privacy.guarantee import Guarantee

MOST = 256
"""Charges in one transaction: more would make the first of them wait longer than a flush."""

_Waiting = tuple[Request, Guarantee, "Future[Result]"]


class Batcher:
    """Charges for many threads, in as few commits as there are flushes. What waits when it is closed is still charged.

    Args:
        charging: The analyst's side of the ledger that pays; nobody else needs to leave it alone.
        left: Whether others carry out what is charged, as of `Charging.charge_all`.
    """

    def __init__(self, charging: Charging, *, left: bool = False) -> None:
        self._charging = charging
        self._left = left
        self._waiting: deque[_Waiting] = deque()
        self._changed = threading.Condition(held_at_forks(threading.RLock()))
        self._closed = False
        self._pid = os.getpid()
        self._writer = threading.Thread(target=self._write, name="ledger writer", daemon=True)
        self._writer.start()

    def charge(self, request: Request, guarantee: Guarantee) -> Ticket:
        """See `Charging.charge`: durable when this returns.

        Raises:
            StarlingError: as `Charging.charge` does; where the commit failed, all of its batch hear the ledger's own error.
            LedgerUnavailable: the batcher is closed.
        """
        waiting: Future[Result] = Future()
        with self._changed:
            # Its thread stays with the parent when a process is forked.
            if self._closed or self._pid != os.getpid():
                raise LedgerUnavailable(
                    "ledger", "takes no more charges: its server stops", "try again with the same request id"
                )
            self._waiting.append((request, guarantee, waiting))
            self._changed.notify()
        return waiting.result()()

    def close(self) -> None:
        """Charge what waits, then stop."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._writer.join()

    def _write(self) -> None:
        while batch := self._next():
            try:
                wanted = [(request, guarantee) for request, guarantee, _ in batch]
                results = self._charging.charge_all(wanted, left=self._left)
            except BaseException as error:  # noqa: BLE001 - whatever it is, those who wait are told
                results = [_failing(error)] * len(batch)
            for (_, _, waiting), result in zip(batch, results, strict=True):
                waiting.set_result(result)

    def _next(self) -> list[_Waiting]:
        """What waits, or nothing when there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            return [self._waiting.popleft() for _ in range(min(len(self._waiting), MOST))]


def _failing(error: BaseException) -> Result:
    def fail() -> Ticket:
        if isinstance(error, StarlingError):
            # Each gets its own: an exception that many threads raise would collect all their traces.
            raise type(error)(problems=error.problems) from None
        raise error

    return fail
