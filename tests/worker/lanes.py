"""A lane of a worker in the process of a test, which can patch what runs in it; a worker's own lanes are processes."""

import time
from collections.abc import Callable
from functools import cache

from starling.server.home import Home
from starling.worker.attempting import Outcome, attempt
from starling.worker.jobs import Jobs
from starling.worker.running import Worker


class InProcess:
    """Attempts that end before they are asked after."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._jobs = cache(lambda: Jobs(home, home.open_ledger()))
        self._outcome: Outcome | None = None

    def begin(self, seq: int) -> None:
        """Make the attempt."""
        self._outcome = attempt(self._home, self._jobs, seq)

    def outcome(self) -> Outcome | None:
        """How it ended."""
        return self._outcome

    def close(self) -> None:
        """Nothing goes on."""


def worker_of(home: Home, report: Callable[[str], None], now: Callable[[], float] = time.monotonic) -> Worker:
    """A worker with one such lane."""
    return Worker(home, report, [InProcess(home)], now=now)
