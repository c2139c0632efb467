"""The worker's life: look at new files, carry out what was charged, tell the custodian, until it is told to stop.

It needs no end of its own: whenever it is killed, the next one finds the same charges open.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from starling.errors import LedgerUnavailable, StarlingError
from starling.ledger.reading import Charge
from starling.server.home import Home
from starling.server.pauses import working
from starling.worker.findings import Inspections
from starling.worker.jobs import Jobs
from starling.worker.sources import Sources

ROUND: Final = 0.25
"""Seconds between two looks at the head of the ledger."""
LOOK: Final = 10.0
"""Seconds between two looks at registered files."""
BUSY: Final = 2.0
"""Seconds until a job at which another worker is, or that failed once, is tried again; they double with each failure."""
LONGEST: Final = 3600.0


class Worker:
    """A worker of one home.

    Args:
        home: The home.
        tell: Is told, in a sentence, what was done and what failed: for the custodian.
        now: Gives the seconds by which pauses are counted.
    """

    def __init__(self, home: Home, tell: Callable[[str], None], *, now: Callable[[], float] = time.monotonic) -> None:
        self._home = home
        self._tell = tell
        self._now = now
        self._sources = Sources(home)
        self._inspections = Inspections(home)
        self._jobs: Jobs | None = None
        self._pauses: dict[int, float] = {}
        self._not_before: dict[int, float] = {}
        self._said: dict[str, str] = {}
        self._looked: float | None = None

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set; a job that was begun is done first."""
        while not stop.is_set():
            self.round(stop)
            stop.wait(ROUND)

    def round(self, stop: threading.Event) -> None:
        """Look once at ledger and files, and do what there is to do: first what is charged, whose deadline runs."""
        if self._jobs is None:
            self._open()
        for charge in self._waiting():
            if stop.is_set():
                return
            if self._now() >= self._not_before.get(charge.seq, 0):
                self._carry_out(charge)
        if self._looked is None or self._now() - self._looked > LOOK:
            self.look()

    def look(self) -> None:
        """Validate registered records that nobody has looked at as they are now."""
        self._looked = self._now()
        for name in self._sources.names():
            try:
                with working(self._home.folder):
                    findings = self._inspections.inspect(name, self._sources.open(name))
                ends = "nothing breaks the rules" if not findings.total else f"{findings.total:,} problems"
                self._say(name, f"dataset {name}: looked at {findings.read}; {ends}: starling server findings")
            except Exception as error:  # noqa: BLE001 - one dataset keeps no other from being looked at
                self._say(name, f"dataset {name}: {_told(error)}")

    def _say(self, about: str, words: str) -> None:
        """Tell what was not told of it last."""
        if self._said.get(about) != words:
            self._said[about] = words
            self._tell(words)

    def _open(self) -> None:
        try:
            self._jobs = Jobs(self._home, self._home.open_ledger())
        except StarlingError as error:
            if self._sources.names():
                self._say("ledger", f"cannot charge: {error}")

    def _waiting(self) -> list[Charge]:
        try:
            return [] if self._jobs is None else self._jobs.waiting()
        except StarlingError as error:
            self._say("ledger", f"cannot read the ledger: {error}")
            return []

    def _carry_out(self, charge: Charge) -> None:
        assert self._jobs is not None
        try:
            with working(self._home.folder):
                self._jobs.carry_out(charge)
        except LedgerUnavailable:
            self._not_before[charge.seq] = self._now() + BUSY
        except Exception as error:  # noqa: BLE001 - one release keeps no other from being made
            pause = self._pauses[charge.seq] = min(2 * self._pauses.get(charge.seq, BUSY / 2), LONGEST)
            self._not_before[charge.seq] = self._now() + pause
            self._tell(f"release {charge.seq} of {charge.dataset} failed and is tried again: {_told(error)}")
        else:
            self._tell(f"release {charge.seq} of {charge.dataset} is done")


def _told(error: Exception) -> str:
    """What may be told of an error: of a fault of Starling's own its kind alone, since its words could show values."""
    return str(error) if isinstance(error, StarlingError) else f"a fault of Starling's own ({type(error).__name__})"
