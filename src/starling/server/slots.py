"""Slots of a few things that many users share, such as processes: waiting users are served in turn, and each holds one slot at most.

The next is the waiting user who was served longest ago. So however many tasks one user has, another waits for at most one task of each
user who was there before.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from starling.errors import LedgerUnavailable

MOST_EACH: Final = 4
"""Tasks of one user that are at work or wait; one more is refused at once."""
MOST: Final = 32
"""Of all users. Each holds a thread of the web process, and it has such slots twice: half of its threads stay for others."""


class Slots:
    """So many slots."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._changing = threading.Condition()
        self._waiting: dict[str, deque[object]] = {}
        self._at_work: set[str] = set()
        self._served: dict[str, int] = {}
        self._turns = 0

    @contextmanager
    def one(self, user: str, seconds: float) -> Iterator[None]:
        """A slot of a user, in the block, after at most so many seconds; raises LedgerUnavailable where there was none in time, or too many
        tasks wait.
        """
        self._enter(user, seconds)
        try:
            yield
        finally:
            with self._changing:
                self._free += 1
                self._at_work.remove(user)
                self._changing.notify_all()

    def _enter(self, user: str, seconds: float) -> None:
        with self._changing:
            own = self._waiting.get(user, deque())
            if len(own) + (user in self._at_work) >= MOST_EACH:
                raise _too_many(f"one of more than {MOST_EACH} of yours at once")
            if sum(map(len, self._waiting.values())) + len(self._at_work) >= MOST:
                raise _too_many(f"one of more than {MOST} at once")
            ticket = object()
            own.append(ticket)
            self._waiting[user] = own
            try:
                came = self._changing.wait_for(lambda: own[0] is ticket and self._next() == user, seconds)
            finally:
                own.remove(ticket)
                if not own:
                    del self._waiting[user]
            if came:
                self._free -= 1
                self._at_work.add(user)
                self._turns += 1
                self._served[user] = self._turns
            # Another user may be next now.
            self._changing.notify_all()
        if not came:
            raise LedgerUnavailable("question", "waited too long for its turn", "try again in some seconds")

    def _next(self) -> str | None:
        """Whose turn it is; None where no slot is free, or no user waits who holds none."""
        ready = [user for user in self._waiting if user not in self._at_work] if self._free else []
        return min(ready, key=lambda user: self._served.get(user, 0), default=None)


def _too_many(what: str) -> LedgerUnavailable:
    return LedgerUnavailable("question", f"is {what}", "wait for the others, or try again in some seconds")
