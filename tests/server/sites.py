"""A small server with everything that belongs to it, in one process, whose time a test moves and whose processes it kills.

What is killed is a fork of this process: by SIGKILL, at a named point, so that nothing of it runs any more that could tidy up.
"""

import os
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from starling import domains
from starling.client import Client
from starling.errors import LedgerUnavailable
from starling.ledger import rows
from starling.ledger.charging import Charging
from starling.ledger.opening import Ledger, create_ledger, open_ledger
from starling.ledger.reading import Charge
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.release import zipped
from starling.server.access import Access
from starling.server.app import make_app
from starling.server.approval_requests import Requests
from starling.server.charges import Charges
from starling.server.home import Home, make_home
from starling.server.rates import Rates
from starling.server.stored_questions import Questions
from starling.worker.findings import Inspections
from starling.worker.running import Worker
from starling.worker.sources import Sources, source_of
from tests.client.conftest import URL, Carry, Local, streamed
from tests.ledger.worlds import Time
from tests.release.striking import AFTER, AROUND, BEFORE, Point, strike
from tests.server.in_process import Here
from tests.toy.source import Persons
from tests.worker.lanes import worker_of

DEADLINE: Final = 8
ANALYSTS: Final = ("ada", "bob")
DATASETS: Final = {"plan": "toy", "poll": "poll", "first": "poll"}
"""Of which domain each is: a plan that says all, one that is asked questions, and one that asks first."""
CAPS: Final = {"people": 5, "plan": 1, "poll": 3, "first": 3, "ada": 4, "bob": 2}
RESERVE: Final = 1
"""Of the cap of "first"."""
PERSONS: Final = "cat\n" * 7 + "dog\n" * 3

UNCHARGED: Final[dict[str, Point]] = {
    "before the log": (Access, "enter", False),
    "after the log": (Access, "enter", True),
    "before the question is kept": (Questions, "keep", False),
    "after the question is kept": (Questions, "keep", True),
    "before the charge": (Charging, "charge_all", False),
    "before the charge is committed": (rows, "insert_charge", True),
}
"""Where a web process may die that has charged nothing."""
CHARGED: Final[dict[str, Point]] = {
    "after the charge": (Charging, "charge_all", True),
    "before the reply": (Charges, "progress", False),
}
"""Where one may die that has."""
ASKED: Final[dict[str, Point]] = {
    "before the request is kept": (Requests, "ask", False),
    "after the request is kept": (Requests, "ask", True),
}
"""Where one may die to which somebody asks for the custodian's approval."""
AT_WORK: Final[dict[str, Point]] = {
    **BEFORE,
    "while it counts": (Persons, "_counts", False),
    **AROUND,
    **AFTER,
    "while it is zipped": (zipped, "_place", False),
}
"""Where a worker may die."""


class Site:
    """A server with web process, two workers, a custodian and analysts, on a fresh home.

    Args:
        folder: An empty folder.
        time: The time of all of them, which a test moves.
        known: Whether leases name their holder, as on one machine; else they end by the clock alone.
        persons: The records, a category on each line.

    Attributes:
        home: The home.
        custodian: The ledger, with the custodian's key.
        tokens: Of each analyst.
        carrier: Carries requests to the web process.
        workers: The workers.
        struck: Of each process that was to be killed, whether it came so far.
    """

    def __init__(self, folder: Path, time: Time, *, known: bool, persons: str = PERSONS) -> None:
        self.time = time
        self.struck: list[bool] = []
        self._patch, self._stack = pytest.MonkeyPatch(), ExitStack()
        self._patch.setenv("STARLING_HOME", str(folder / "keys"))
        for name in ("released", "asked"):
            place = {"released": "toy", "asked": "poll"}[name]
            found = domains.Registered(f"tests.toy.serving:{name.upper()}", "tests.toy.verbs:toy")
            self._patch.setitem(domains.DOMAINS, place, found)
        self._patch.setattr(Rates, "take", lambda *_: None)
        clock = time.clock() if known else time.clock(lambda: "")

        def opened(home: Home) -> Ledger:
            return open_ledger(home.settings.ledger, key=home.key, witness=home.witness, clock=clock)

        self._patch.setattr(Home, "open_ledger", opened)
        self.home = make_home(folder / "home")
        create_ledger(self.home.settings.ledger, clock=clock).close()
        self.custodian = open_ledger(self.home.settings.ledger, clock=clock)
        (folder / "persons.txt").write_text(persons)
        self._register(folder)
        self.tokens = {}
        for name in ANALYSTS:
            self.home.access.add_user(name, "analyst")
            self.tokens[name], _ = self.home.access.issue(name, days=1)
        self.begin_web()
        self.workers = [self.worker(), self.worker()]

    def _register(self, folder: Path) -> None:
        (folder / "plan.toml").write_text('title = "Pets"\ncategories = ["cat", "dog", "none"]\nepsilon = 1\n')
        custody, sources = self.custodian.custody, Sources(self.home)
        custody.add_population("people", "epsilon", ADD_REMOVE_PERSON, CAPS["people"])
        for name, kind in DATASETS.items():
            source = source_of(kind, str(folder / "plan.toml"), {"persons": folder / "persons.txt"})
            sources.register(name, source, deadline=DEADLINE)
            custody.add_dataset(name, "people", {}, CAPS[name])
            custody.delegate(name, self.home.key.public, days=366)
            custody.accept(name, Inspections(self.home).token(sources.open(name)))
        custody.set_terms("first", ask_first=True, reserve=RESERVE)
        for name in ANALYSTS:
            custody.grant("people", name, CAPS[name])

    def begin_web(self) -> None:
        """Start the web process anew."""
        self._stack.close()
        charges = self._stack.enter_context(closing(Charges(self.home, now=lambda: self.time.wall)))
        self.carrier = Local(make_app(self.home, charges, self._stack.enter_context(closing(Here()))))

    def worker(self) -> Worker:
        """A worker that is started now."""
        return worker_of(self.home, lambda _: None, now=lambda: self.time.elapsed)

    def work(self, worker: Worker) -> None:
        """One round of a worker. What it wrote bears the time of this site."""
        worker.round(threading.Event())
        self._date()

    def _date(self) -> None:
        for path in self.home.releases.glob("*.zip"):
            if path.stat().st_mtime < 2**31:
                # Of the machine's own clock, which is long before.
                os.utime(path, (self.time.wall, self.time.wall))

    def client(self, analyst: str) -> Client:
        """An analyst's, who does not wait between tries."""
        return Client(URL, self.tokens[analyst], carrier=self.carrier, sleep=lambda _: None)

    def bundle(self, analyst: str, seq: int) -> tuple[int, bytes]:
        """Status and bytes of a release, as an analyst is given them."""
        headers = {"Authorization": f"Bearer {self.tokens[analyst]}"}
        with httpx.Client(base_url=URL, transport=self.carrier, headers=headers) as http:
            found = http.get(f"/v1/releases/{seq}/bundle")
            return found.status_code, found.content

    def charges(self) -> dict[int, Charge]:
        """All that the ledger says was charged, by the events."""
        return {charge.seq: charge for charge in self.custodian.reading.charges(0, 1000)}

    def killed(self, point: Point, work: Callable[[], object]) -> bool:
        """Whether a process of its own that does this work reaches the point, where it is killed; else it ends."""
        child = os.fork()
        if child == 0:
            code = 1
            try:
                strike(*point)
                work()
                code = 0
            except BaseException:  # noqa: BLE001 - the child must never return into the test
                traceback.print_exc()
            finally:
                os._exit(code)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, -9), status
        self._date()
        self.struck.append(status < 0)
        return status < 0

    def close(self) -> None:
        """End all of it."""
        try:
            self._stack.close()
            self.custodian.close()
        finally:
            self._patch.undo()


def losing(times: int) -> Callable[[httpx.Request, Carry], httpx.Response]:
    """Cuts the connection so often after the server has answered."""
    left = [times]

    def change(request: httpx.Request, carry: Carry) -> httpx.Response:
        reply = carry(request)
        content = reply.read()
        if left[0]:
            left[0] -= 1
            raise httpx.ReadError("cut")
        return streamed(reply, content)

    return change


@contextmanager
def meanwhile(point: Point, happens: Callable[[], None]) -> Iterator[None]:
    """Let something happen once, when a function is called or has returned."""
    owner, name, after = point
    plain, left = getattr(owner, name), [happens]

    def held(*arguments: Any, **named: Any) -> Any:
        if not after and left:
            left.pop()()
        found = plain(*arguments, **named)
        if after and left:
            left.pop()()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, held)
        yield


def unreachable(ask: Callable[[], object]) -> None:
    """Ask what is never answered."""
    with pytest.raises(LedgerUnavailable, match="cannot be reached"):
        ask()
