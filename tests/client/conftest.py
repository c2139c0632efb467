"""A server with registered groups and its worker, in this process, and a client of it whose waiting lets the worker work."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from starling.client import Client
from starling.ledger.opening import create_ledger, open_ledger
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.datasets import Dataset
from starling.server.home import Home, make_home
from starling.server.question_costs import Understanding
from starling.server.sandbox import FreeCharges
from starling.worker.findings import Inspections
from starling.worker.sources import Registered, Sources, source_of
from starling.worker.standing_in import stand_in
from tests.groups.worlds import write_world
from tests.server.in_process import Here
from tests.worker.lanes import worker_of
from tests.worker.previews import preview_of
from tests.worker.studies import write_study

URL = "http://localhost:8470"
DEADLINE = 8
Carry = Callable[[httpx.Request], httpx.Response]


def streamed(reply: httpx.Response, content: bytes) -> httpx.Response:
    """A reply with this content, not yet read, as the network gives it."""
    return httpx.Response(reply.status_code, headers=reply.headers, stream=httpx.ByteStream(content))


class Local(httpx.BaseTransport):
    """Carries requests to an application in this process.

    Attributes:
        asked: Every request, as method and path.
        change: What happens on the way: given the request, and what carries it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.asked: list[str] = []
        self.change: Callable[[httpx.Request, Carry], httpx.Response] = lambda request, carry: carry(request)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(f"{request.method} {request.url.path}")
        return self.change(request, self._carried)

    def _carried(self, request: httpx.Request) -> httpx.Response:
        async def once() -> httpx.Response:
            transport = httpx.ASGITransport(self._app, client=("127.0.0.1", 50000))
            found = await transport.handle_async_request(request)
            return streamed(found, await found.aread())

        return asyncio.run(once())


class Site:
    """A server, its workers, and time; with a sandbox where its home has one.

    Attributes:
        home: The home of the server.
        carrier: Carries requests to it.
        slept: For how long its clients waited, each time.
    """

    def __init__(self, home: Home, understanding: Understanding) -> None:
        self.home = home
        self.slept: list[float] = []
        self._began, self._passed = time.time(), 0.0
        self._workers = [worker_of(each, lambda _: None) for each in (home, home.sandbox) if each is not None]
        self._stop = threading.Event()
        free = None if home.sandbox is None else FreeCharges(home.sandbox, now=self._now)
        self.carrier = Local(make_app(home, Charges(home, now=self._now), understanding, free=free))

    def _now(self) -> float:
        return self._began + self._passed

    def sleep(self, seconds: float) -> None:
        """Let time pass, in which the workers work."""
        self.slept.append(seconds)
        for worker in self._workers:
            worker.round(self._stop)
        self._passed += seconds

    def client(self, user: str = "ada", *, url: str = URL, **more: Any) -> Client:
        """A client of a user."""
        token, _ = self.home.access.issue(user, days=1)
        return Client(url, token, carrier=self.carrier, sleep=self.sleep, **more)

    def charges(self) -> int:
        """How many charges stand in the ledger."""
        with closing(open_ledger(self.home.settings.ledger)) as ledger:
            return sum(event.kind == "charge" for event in ledger.reading.events())


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server whose groups were accepted; ada may spend three releases on them. Keys are remembered in a folder of the test's own."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    yield from served_source(
        tmp_path, source_of("groups", str(tmp_path / "plan.toml"), {"records": write_world(tmp_path)})
    )


@pytest.fixture
def study_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server with a genome study, on which ada may spend an epsilon of 3."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    yield from served_source(tmp_path, write_study(tmp_path))


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server as that of `site`, with its sandbox."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    source = source_of("groups", str(tmp_path / "plan.toml"), {"records": write_world(tmp_path)})
    yield from served_source(tmp_path, source, sandbox=True)


def served_source(
    folder: Path,
    source: Registered,
    *,
    sandbox: bool = False,
    names: Sequence[str] = ("data",),
    grant: int = 3,
    prepare: Callable[[Home], object] = lambda _: None,
) -> Iterator[Site]:
    """A server with these records, which were accepted; ada may spend three releases of a plan on them, or an epsilon of 3.

    `names` are several deliveries of the same, `grant` is another number than three, and `prepare` gets the home before it is served.
    """
    home = make_home(folder / "served")
    create_ledger(home.settings.ledger).close()
    preview = preview_of(source)
    dataset, *_ = [Sources(home).register(name, source, deadline=DEADLINE, preview=preview) for name in names]
    with closing(open_ledger(home.settings.ledger)) as ledger:
        cost = dataset.guarantee.cost if isinstance(dataset, Dataset) else None
        amount = Fraction(1) if cost is None else cost.amount
        measure = "epsilon" if cost is None else cost.measure
        ledger.custody.add_population("people", measure, dataset.relation, 10 * amount)
        for name in names:
            ledger.custody.add_dataset(name, "people", {}, 5 * amount)
            ledger.custody.delegate(name, home.key.public, days=1)
            ledger.custody.accept(name, Inspections(home).token(Sources(home).open(name)))
        ledger.custody.grant("people", "ada", grant * amount)
    home.access.add_user("ada", "analyst")
    if sandbox:
        assert stand_in(home, names[0]) is None
    prepare(home)
    with closing(Here()) as understanding:
        yield Site(home, understanding)
