"""The worker's life: look at new files, carry out what was charged, tell the custodian, until it is told to stop.

It needs no end of its own: whenever it is killed, the next one finds the same charges open.

Turns. Of the analysts who wait, the one who was served longest ago comes next, with their earliest charge; of each, one charge is carried
out at a time. A charge of another analyst that has waited for a part of its deadline, PATIENCE, is carried out beside one that takes long.
So an analyst who asks for much, or for what never ends, delays no other.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Final

from starling.errors import StarlingError
from starling.ledger.reading import Charge
from starling.server.home import Home
from starling.server.processes import at_end_of_input
from starling.worker.attempting import LOOKING, Lane, Outcome
from starling.worker.attempts import FAILURES_UNTIL_PARKED, Attempt, attempts_of
from starling.worker.jobs import Jobs
from starling.worker.sources import Sources

ROUND: Final = 0.25
"""Seconds between two looks at the head of the ledger."""
GLANCE: Final = 0.02
"""Seconds between two looks at an attempt that goes on."""
LOOK: Final = 10.0
"""Seconds between two looks at registered files."""
BUSY: Final = 2.0
"""Seconds until a job at which another worker is, or that failed once, is tried again; they double with each failure."""
LONGEST: Final = 3600.0
PATIENCE: Final = 0.25
"""Of its deadline a charge waits for those of others, before it is carried out beside them."""
LANES: Final = 2
"""Attempts at once, where one takes long."""


class Worker:
    """A worker of one home, whose attempts are made in lanes.

    `report` is told, in a sentence, what was done and what failed, for the custodian; `now` gives the seconds by which pauses are counted.
    """

    def __init__(
        self,
        home: Home,
        report: Callable[[str], None],
        lanes: Iterable[Lane],
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._home = home
        self._report = report
        self._now = now
        self._sources = Sources(home)
        self._catalogue = home.catalogue
        self._attempts = attempts_of(home)
        self._jobs: Jobs | None = None
        self._pauses: dict[int, float] = {}
        self._not_before: dict[int, float] = {}
        self._since: dict[int, float] = {}
        self._turns: dict[str, int] = {}
        self._begun = 0
        self._marks: dict[int, int] = {}
        self._reported: dict[str, str] = {}
        self._looked: float | None = None
        self._closed: float | None = None
        """Since when a custodian has to open the ledger for this server."""
        self._free = list(lanes)
        self._at_work: dict[Lane, Charge | None] = {}
        """What each lane that is at work is at; None for a look."""

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set; a job that was begun is done first."""
        while not stop.is_set():
            self.round(stop)
            self._pause(stop)
        while self._at_work:
            self._collect()
            time.sleep(GLANCE)
        for lane in self._free:
            lane.close()

    def _pause(self, stop: threading.Event) -> None:
        """Wait until the ledger is to be looked at again, or an attempt has ended."""
        busy, until = len(self._at_work), time.monotonic() + ROUND
        while not stop.wait(GLANCE if busy else ROUND) and len(self._at_work) == busy and time.monotonic() < until:
            self._collect()

    def round(self, stop: threading.Event) -> None:
        """Look once at ledger and files, and do what there is to do: first what is charged, whose deadline runs."""
        if self._jobs is None:
            self._open()
        self._collect()
        while not stop.is_set() and (charge := self._next()) is not None:
            self._carry_out(charge)
            self._collect()
        late = self._looked is None or self._now() - self._looked > LOOK
        if late and not self._at_work and not stop.is_set():
            self.look()

    def look(self) -> None:
        """Validate registered records that nobody has looked at as they are now."""
        self._looked = self._now()
        if self._sources.names():
            self._begin(None)
            self._collect()

    def _carry_out(self, charge: Charge) -> None:
        mark = self._attempts.begin(charge.seq)
        if mark is None:
            self._not_before[charge.seq] = self._now() + BUSY
            return
        self._marks[charge.seq] = mark
        self._begun += 1
        self._turns[charge.analyst] = self._begun
        self._begin(charge)

    def _begin(self, charge: Charge | None) -> None:
        lane = self._free.pop(0)
        self._at_work[lane] = charge
        lane.begin(LOOKING if charge is None else charge.seq)

    def _say(self, about: str, words: str) -> None:
        """Tell what was not told of it last."""
        if self._reported.get(about) != words:
            self._reported[about] = words
            self._report(words)

    def _open(self) -> None:
        try:
            self._jobs = Jobs(self._home, self._home.open_ledger())
        except StarlingError as error:
            why = self._why(error)
            if not why or self._closed is None:
                self._closed = self._now() if why else None
            elif self._now() - self._closed > LOOK:
                self._say("ledger", f"cannot charge: {why}")

    def _why(self, error: StarlingError) -> str:
        """Why a custodian has to open the ledger for this server; empty while data are being added, of which the right comes last."""
        try:
            with closing(self._home.read_ledger()) as ledger:
                if not any(map(ledger.reading.has_accepted, self._sources.names())):
                    return ""
                key = self._home.key.public.text
                if key not in {right.key for right in ledger.book.rights().entries()}:
                    return "no custodian gave this server the right to: starling ledger delegate"
        except StarlingError as unreadable:
            return str(unreadable) if self._sources.names() else ""
        return str(error)

    def _next(self) -> Charge | None:
        """The charge to carry out now; None where there is none, or no lane for it."""
        if self._jobs is None or not self._free:
            return None
        try:
            waiting = self._jobs.waiting()
            busy = {charge.analyst for charge in self._at_work.values() if charge is not None}
            due = [charge for charge in waiting if charge.analyst not in busy and self._is_due(charge.seq)]
        except StarlingError as error:
            self._say("ledger", f"cannot read the ledger: {error}")
            return None
        if self._at_work:
            due = [charge for charge in due if self._has_waited(charge)]
        return min(due, key=lambda charge: (self._turns.get(charge.analyst, 0), charge.seq), default=None)

    def _is_due(self, seq: int) -> bool:
        """Whether a job may be tried now."""
        attempt = self._attempts.find(seq)
        if seq in self._pauses and attempt == Attempt():
            # The custodian has set it free.
            self._pauses.pop(seq)
            return True
        return not attempt.parked and self._now() >= self._not_before.get(seq, 0)

    def _has_waited(self, charge: Charge) -> bool:
        """Whether a charge has waited for long enough to be carried out beside another."""
        since = self._since.setdefault(charge.seq, self._now())
        try:
            deadline = self._catalogue.find(charge.dataset).deadline
        except StarlingError:
            # Of a dataset that is not as it was registered: the attempt says why.
            return True
        return self._now() - since >= PATIENCE * deadline

    def _collect(self) -> None:
        """Take notice of attempts that ended."""
        for lane, charge in list(self._at_work.items()):
            outcome = lane.outcome()
            if outcome is None:
                continue
            del self._at_work[lane]
            self._free.append(lane)
            if charge is not None:
                self._ended(charge, outcome)
            elif outcome.ending == "failed":
                self._say("look", f"looking at registered records failed and is tried again: {outcome.why}")
            for name, words in outcome.notes:
                self._say(name, words)

    def _ended(self, charge: Charge, outcome: Outcome) -> None:
        assert self._jobs is not None
        self._attempts.end(charge.seq, self._marks.pop(charge.seq))
        seq, name = charge.seq, f"release {charge.seq} of {charge.dataset}"
        if outcome.ending == "done":
            self._jobs.done(seq)
            self._attempts.forget(seq)
            self._report(f"{name} is done")
            return
        if outcome.ending == "busy":
            self._not_before[seq] = self._now() + BUSY
            return
        pause = self._pauses[seq] = min(2 * self._pauses.get(seq, BUSY / 2), LONGEST)
        self._not_before[seq] = self._now() + pause
        if outcome.ending == "refused":
            self._attempts.refused(seq, outcome.why)
        elif self._attempts.failed(seq, outcome.why).parked:
            mend = f"starling server jobs {self._home.folder} --again {seq}"
            self._report(
                f"{name} failed {FAILURES_UNTIL_PARKED} times and is parked: {outcome.why}; when that is mended: {mend}"
            )
            return
        self._report(f"{name} failed and is tried again: {outcome.why}")


def stop_event(*, by_input: bool) -> threading.Event:
    """An event that is set when this process is told to stop; called in its main thread. `by_input`: also when standard input ends, with
    the process that started this one.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if by_input:
        at_end_of_input(stop.set)
    return stop
