"""What a durable charge costs beside a raw commit of the same store, how many share a flush, and a ledger of millions of events.

PostgreSQL is measured where STARLING_TEST_POSTGRES names a server.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

from bench.long_ledger import KEY, guarantee, make, prepared, request
from bench.measure import Json, Spread, in_turn, ratios, timed
from bench.record import Limit, Recorder
from starling.ledger.batching import Batcher
from starling.ledger.charging import Charging, Result, Wanted
from starling.ledger.opening import Ledger, open_ledger
from starling.privacy.sampling.entropy import fresh_id

ROW: Final = "x" * 400
"""As long as the event of a charge."""
WAITING: Final = 64


@dataclass(frozen=True, slots=True)
class Place:
    """A store to measure.

    Attributes:
        store: Its name for people.
        url: Makes the URL of a fresh ledger.
        raw: Makes one durable commit of one row in the database of such a URL.
        scheme: How its URLs begin.
    """

    store: str
    url: Callable[[], str]
    raw: Callable[[str], Callable[[], None]]
    scheme: str


def sqlite_place(folder: Path) -> Place:
    """Files in `folder`."""
    names = count()

    def raw(url: str) -> Callable[[], None]:
        path = Path(url.removeprefix("sqlite:///")).with_suffix(".raw")
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=delete")
        connection.execute("PRAGMA synchronous=EXTRA")
        connection.execute("CREATE TABLE raw (id INTEGER PRIMARY KEY, body TEXT)")

        def commit() -> None:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO raw (body) VALUES (?)", (ROW,))
            connection.execute("COMMIT")

        return commit

    return Place("SQLite", lambda: f"sqlite:///{folder / f'ledger-{next(names)}.sqlite'}", raw, "sqlite:")


@contextmanager
def postgres_place(server: str) -> Iterator[Place]:
    """Databases of `server`, dropped afterwards."""
    import psycopg

    made: list[str] = []

    def url() -> str:
        made.append(f"starling_{fresh_id()}")
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {made[-1]}".encode())
        return urlsplit(server)._replace(path=f"/{made[-1]}").geturl()

    def raw(url: str) -> Callable[[], None]:
        connection = psycopg.connect(url, autocommit=True)
        connection.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        connection.execute("CREATE TABLE raw (id BIGSERIAL PRIMARY KEY, body TEXT)")

        def commit() -> None:
            with connection.transaction():
                connection.execute("INSERT INTO raw (body) VALUES (%s)", (ROW,))

        return commit

    yield Place("PostgreSQL", url, raw, "postgresql:")
    with psycopg.connect(server, autocommit=True) as connection:
        for name in made:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def alone(place: Place, rounds: int, charges: int) -> dict[str, list[float]]:
    """Seconds of a raw commit and of a charge, one after the other in one process, in each round."""
    url = place.url()
    ledger = prepared(url)
    raw, requests, spent = place.raw(url), map(request, count()), guarantee()

    def commits() -> float:
        return timed(lambda: [raw() for _ in range(charges)]) / charges

    def charging() -> float:
        wanted = [next(requests) for _ in range(charges)]
        return timed(lambda: [ledger.charging.charge(each, spent) for each in wanted]) / charges

    found = in_turn({"raw": commits, "charge": charging}, rounds)
    ledger.close()
    return found


class Counted(Charging):
    """Counts commits."""

    commits = 0

    def charge_all(self, wanted: list[Wanted], *, left: bool = False) -> list[Result]:
        """One more."""
        self.commits += 1
        return super().charge_all(wanted, left=left)


def together(place: Place, rounds: int) -> tuple[list[float], list[float]]:
    """Charges in a flush, and charges a second, while 64 threads always wait."""
    ledger = prepared(place.url())
    numbers, lock = count(), threading.Lock()
    shares, rates = [], []
    for _ in range(rounds):
        charging = Counted(ledger.book)

        def ask(times: int, batcher: Batcher) -> None:
            for _ in range(times):
                with lock:
                    wanted = request(next(numbers))
                batcher.charge(wanted, guarantee())

        began = time.perf_counter()
        with closing(Batcher(charging)) as batcher, ThreadPoolExecutor(WAITING) as pool:
            for each in [pool.submit(ask, 10, batcher) for _ in range(WAITING)]:
                each.result()
        rates.append(10 * WAITING / (time.perf_counter() - began))
        shares.append(10 * WAITING / charging.commits)
    ledger.close()
    return shares, rates


@dataclass(frozen=True, slots=True)
class Grown:
    """What many events add.

    Attributes:
        events: How many.
        show: Milliseconds that `show` takes more than in a fresh ledger, in each round.
        charge: The same of a charge.
        rates: Events that `verify` checks a second.
    """

    events: int
    show: list[float]
    charge: list[float]
    rates: list[float]


def grown(place: Place, url: str, rounds: int) -> Grown:
    """Compare the long ledger at `url` with a fresh one."""
    small, large = prepared(place.url()), open_ledger(url, key=KEY)
    events = large.reading.head().seq
    spent = guarantee()

    def shown(ledger: Ledger) -> Callable[[], float]:
        return lambda: timed(lambda: ledger.reading.account("people"))

    def charged(ledger: Ledger) -> Callable[[], float]:
        # Above every number that was charged before, by an earlier run too.
        requests = map(request, count(ledger.reading.head().seq))

        def once() -> float:
            wanted = next(requests)
            return timed(lambda: ledger.charging.charge(wanted, spent))

        return once

    kinds = {"show": shown, "charge": charged}
    found = in_turn({(k, x): kinds[k](y) for k in kinds for x, y in (("small", small), ("large", large))}, rounds)
    more = {k: [1e3 * (a - b) for a, b in zip(found[k, "large"], found[k, "small"], strict=True)] for k in kinds}
    rates = []
    for _ in range(3 if events < 10**6 else 1):
        began = time.perf_counter()
        checked = large.reading.verify().head.seq
        rates.append(checked / (time.perf_counter() - began))
    small.close()
    large.close()
    return Grown(events, more["show"], more["charge"], rates)


def main() -> None:
    """Measure every store and write the result."""
    recorder = Recorder("ledger", "Durable charges beside raw commits, charges in a flush, and a long ledger.")
    recorder.parser.add_argument(
        "--events", type=int, default=200_000, metavar="N", help="of the long ledgers that are made [default: 200000]"
    )
    recorder.parser.add_argument(
        "--long", action="append", default=[], metavar="URL", help="one that python -m bench.long_ledger made before"
    )
    chosen = recorder.begin()
    rounds, charges, events = (2, 3, 2000) if chosen.quick else (40, 25, chosen.events)
    server = os.environ.get("STARLING_TEST_POSTGRES", "")
    rows: list[Json] = []
    limits: list[Limit] = []
    with TemporaryDirectory() as scratch, ExitStack() as stack:
        os.environ["STARLING_HOME"] = str(Path(scratch, "home"))
        places = [sqlite_place(Path(scratch)), *([stack.enter_context(postgres_place(server))] if server else [])]
        for place in places:
            one = alone(place, rounds, charges)
            times = ratios(one["charge"], one["raw"])
            shares, rates = together(place, max(1, rounds // 8))
            long = next((url for url in chosen.long if url.startswith(place.scheme)), "")
            if not long:
                long = place.url()
                make(long, events)
            large = grown(place, long, 5 * rounds)
            rows.append(
                {
                    "store": place.store,
                    **{f"{name}_ms": Spread.of(1e3 * x for x in found).to_json() for name, found in one.items()},
                    "charge_in_raw_commits": times.to_json(),
                    "charges_in_a_flush": Spread.of(shares).to_json(),
                    "charges_a_second": Spread.of(rates).to_json(),
                    "events": large.events,
                    "show_more_ms": Spread.of(large.show).to_json(),
                    "charge_more_ms": Spread.of(large.charge).to_json(),
                    "verified_a_second": Spread.of(large.rates).to_json(),
                }
            )
            many = f"with {large.events:,} events"
            limits += [
                Limit.of(f"{place.store}: a charge, in raw commits", times, 1.5, "commits"),
                Limit.of(
                    f"{place.store}: charges in a flush, 64 waiting", Spread.of(shares), 10, "charges", least=True
                ),
                Limit.of(f"{place.store}: show {many}, more than without", Spread.of(large.show), 10, "ms"),
                Limit.of(f"{place.store}: a charge {many}, more than without", Spread.of(large.charge), 10, "ms"),
                Limit.of(f"{place.store}: verify {many}", Spread.of(large.rates), 100_000, "events/s", least=True),
            ]
    recorder.end(settings={"rounds": rounds, "charges_a_round": charges}, rows=rows, limits=limits)


if __name__ == "__main__":
    main()
