"""200 analysts at once at a server: what is charged, how many requests are answered from the store, how soon, and with how much memory.

Each analyst has a connection of their own and waits for each answer. First all of them ask for a release of every dataset, more than the
caps cover; then they ask again for what is charged, which the store answers. PostgreSQL is measured where STARLING_TEST_POSTGRES names a
server. Latencies are measured at a pace that the server keeps up with: at full load an analyst waits for the 199 others.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.ledger import postgres_place
from bench.long_ledger import guarantee
from bench.measure import Json
from bench.record import Limit, Recorder
from starling.ledger.opening import create_ledger, read_ledger
from starling.ledger.rules import canonical
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.server.datasets import Catalogue, Dataset
from starling.server.home import Home, make_home

ANALYSTS: Final = 200
DATASETS: Final = 10
SECONDS: Final = 120.0
PACE: Final = 1.5
"""Requests a second of each analyst while latencies are measured."""
COMMAND: Final = (sys.executable, "-c", "from starling.cli import main; main()", "serve", "--workers", "0")


@dataclass(slots=True)
class Seen:
    """What the analysts saw.

    Attributes:
        statuses: How often each status was answered.
        charged: The events of the charges that they were told of.
        rightly: How many answers were those of their requests.
        seconds: How long each answer took.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    charged: set[int] = field(default_factory=set)
    rightly: int = 0
    seconds: list[float] = field(default_factory=list)

    def share(self, part: float) -> float:
        """Milliseconds within which this part of the answers came."""
        return 1e3 * sorted(self.seconds)[min(len(self.seconds) - 1, int(part * len(self.seconds)))]


@dataclass(frozen=True, slots=True)
class Site:
    """A home to be loaded.

    Attributes:
        home: The home.
        tokens: A token of each analyst.
        datasets: The names of the datasets.
        covered: How many charges the caps cover.
    """

    home: Home
    tokens: tuple[str, ...]
    datasets: tuple[str, ...]
    covered: int


def furnished(folder: Path, url: str | None, analysts: int, datasets: int) -> Site:
    """A home with so many analysts and datasets, whose caps cover three charges of four; in a new folder."""
    home = make_home(folder, ledger=url)
    settings = folder / "server.toml"
    settings.write_text(settings.read_text().replace("port = 8470", "port = 0"))
    names = tuple(f"census-{number}" for number in range(datasets))
    spent, each = guarantee(), max(1, 3 * analysts // 4)
    with closing(create_ledger(home.settings.ledger)) as ledger:
        ledger.custody.add_population(
            "people", spent.cost.measure, ADD_REMOVE_PERSON, datasets * each * spent.cost.amount
        )
        for name in names:
            ledger.custody.add_dataset(name, "people", {}, each * spent.cost.amount)
            ledger.custody.delegate(name, home.key.public, days=1)
            ledger.custody.accept(name, "0" * 64)
        for number in range(analysts):
            ledger.custody.grant("people", f"analyst-{number}", datasets * spent.cost.amount)
    for name in names:
        request = canonical({"count": name})
        Catalogue(home.folder / "datasets").add(Dataset(name, "tables", "A count", request, spent, deadline=3600))
    tokens = []
    for number in range(analysts):
        home.access.add_user(f"analyst-{number}", "analyst")
        tokens.append(home.access.issue(f"analyst-{number}", days=1)[0])
    return Site(home, tuple(tokens), names, datasets * each)


@contextmanager
def served(home: Home) -> Iterator[tuple[int, int]]:
    """The port of its server, and the web process."""
    with subprocess.Popen(
        [*COMMAND, str(home.folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        port = int(process.stderr.readline().rpartition(":")[2])
        asyncio.run(_healthy(port))
        tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
        (web,) = [int(child) for task in tasks for child in task.read_text().split()]
        try:
            yield port, web
        finally:
            process.terminate()


async def _healthy(port: int) -> None:
    async with _connected(port) as ask:
        assert (await ask(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))[0] == 200


Ask = Callable[[bytes], Awaitable[tuple[int, bytes]]]


@asynccontextmanager
async def _connected(port: int) -> AsyncIterator[Ask]:
    """What sends a request and gives status and body of the answer; as lean as can be, since it shares the machine with the server."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)

    async def ask(request: bytes) -> tuple[int, bytes]:
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return int(head[9:12]), await reader.readexactly(length)

    yield ask
    writer.close()


def _post(name: str, token: str) -> bytes:
    body = json.dumps({"request_id": name}).encode()
    return (
        f"POST /v1/datasets/{name}/releases HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body


def _get(number: int, token: str) -> bytes:
    return f"GET /v1/releases/{number} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


def charged(site: Site, port: int) -> tuple[Seen, dict[str, dict[str, int]]]:
    """All analysts at once ask for a release of each dataset; what they saw, and the numbers of their releases."""
    seen, numbers = Seen(), {token: dict[str, int]() for token in site.tokens}

    async def analyst(token: str, first: int) -> None:
        names = site.datasets[first:] + site.datasets[:first]
        async with _connected(port) as ask:
            for name in names:
                began = time.perf_counter()
                status, body = await ask(_post(name, token))
                seen.seconds.append(time.perf_counter() - began)
                seen.statuses[status] += 1
                if status == 202:
                    numbers[token][name] = json.loads(body)["id"]
                    seen.charged.add(numbers[token][name])

    async def everybody() -> None:
        places = cycle(range(len(site.datasets)))
        await asyncio.gather(*(analyst(token, next(places)) for token in site.tokens))

    asyncio.run(everybody())
    return seen, numbers


def answered(port: int, numbers: dict[str, dict[str, int]], seconds: float, pace: float | None) -> Seen:
    """All analysts at once ask again, by turns for the release and how far it is, which the store answers.

    Args:
        port: Of the server.
        numbers: The numbers of releases, by token and dataset.
        seconds: For how long.
        pace: Requests a second of each; without it each asks as soon as it has the answer.
    """
    seen = Seen()

    async def analyst(token: str, mine: dict[str, int], place: int) -> None:
        again = [(_post(name, token), 202, number) for name, number in mine.items()]
        how_far = [(_get(number, token), 200, number) for number in mine.values()]
        wanted = cycle([each for both in zip(again, how_far, strict=True) for each in both])
        async with _connected(port) as ask:
            begin = time.perf_counter()
            due = begin + (0 if pace is None else place / len(numbers) / pace)
            while time.perf_counter() < begin + seconds:
                if pace is not None:
                    await asyncio.sleep(max(0, due - time.perf_counter()))
                    due += 1 / pace
                request, right, number = next(wanted)
                began = time.perf_counter()
                status, body = await ask(request)
                seen.seconds.append(time.perf_counter() - began)
                seen.statuses[status] += 1
                if status == right and json.loads(body)["id"] == number:
                    seen.charged.add(number)
                    seen.rightly += 1

    async def everybody() -> None:
        having = {token: mine for token, mine in numbers.items() if mine}
        await asyncio.gather(*(analyst(token, mine, place) for place, (token, mine) in enumerate(having.items())))

    asyncio.run(everybody())
    return seen


def flushes(home: Home) -> int:
    """How often the server committed events: each time it appends a line to its witnessed heads."""
    return sum(len(path.read_text().splitlines()) for path in (home.folder / "heads").iterdir())


def charges_in(home: Home) -> set[int]:
    """The events of the charges in its ledger, which is checked as a whole."""
    with closing(read_ledger(home.settings.ledger)) as ledger:
        ledger.reading.verify()
        return {event.seq for event in ledger.reading.events() if event.kind == "charge"}


def peak_megabytes(process: int) -> float:
    """The most memory that a process had at once."""
    (line,) = [each for each in Path(f"/proc/{process}/status").read_text().splitlines() if each.startswith("VmHWM")]
    return int(line.split()[1]) / 1000


def loaded(place: str, site: Site, seconds: float, pace: float) -> tuple[Json, list[Limit]]:
    """What is measured of one store, and the limits; raises RuntimeError where the ledger says something else than the analysts saw."""
    with served(site.home) as (port, web):
        before, began = flushes(site.home), time.perf_counter()
        asked, numbers = charged(site, port)
        took, share = time.perf_counter() - began, site.covered / (flushes(site.home) - before)
        full = answered(port, numbers, seconds / 2, None)
        paced = answered(port, numbers, seconds / 2, pace)
        memory = peak_megabytes(web)
    if charges_in(site.home) != asked.charged or len(asked.charged) != site.covered:
        raise RuntimeError("the ledger holds other charges than analysts were told of, or more than the caps cover")
    if any(each.rightly < sum(each.statuses.values()) or not each.charged <= asked.charged for each in (full, paced)):
        raise RuntimeError("a request for what is charged was answered with something else")
    rate = sum(full.statuses.values()) / (seconds / 2)
    row: Json = {
        "store": place,
        "analysts": len(site.tokens),
        "charges": len(asked.charged),
        "refused": asked.statuses[403],
        "charging_requests_a_second": round(sum(asked.statuses.values()) / took, 1),
        "charges_in_a_flush": round(share, 1),
        "answered_a_second": round(rate, 1),
        "paced_a_second": round(sum(paced.statuses.values()) / (seconds / 2), 1),
        "paced_p50_ms": round(paced.share(0.5), 2),
        "paced_p99_ms": round(paced.share(0.99), 2),
        "web_megabytes": round(memory, 1),
    }
    pace_of_all = f"at {len(site.tokens) * pace:g} a second"
    limits = [
        Limit(f"{place}: requests answered from the store", rate, 1500, "a second", least=True),
        Limit(f"{place}: 99 of 100 answers within, {pace_of_all}", paced.share(0.99), 20, "ms"),
        Limit(f"{place}: charges in a flush", share, 10, "charges", least=True),
        Limit(f"{place}: memory of the web process", memory, 150, "MB"),
    ]
    return row, limits


def main() -> None:
    """Measure every store and write the result."""
    recorder = Recorder("server_load", "200 analysts at once at a server, on each store of the ledger.")
    chosen = recorder.begin()
    analysts, datasets, seconds = (8, 2, 1.0) if chosen.quick else (ANALYSTS, DATASETS, SECONDS)
    server = os.environ.get("STARLING_TEST_POSTGRES", "")
    rows: list[Json] = []
    limits: list[Limit] = []
    with TemporaryDirectory() as scratch, ExitStack() as stack:
        os.environ["STARLING_HOME"] = str(Path(scratch, "home"))
        places: dict[str, str | None] = {"SQLite": None}
        if server:
            places["PostgreSQL"] = stack.enter_context(postgres_place(server)).url()
        for name, url in places.items():
            site = furnished(Path(scratch, name), url, analysts, datasets)
            row, found = loaded(name, site, seconds, PACE)
            rows.append(row)
            limits += found
    recorder.end(settings={"seconds": seconds, "pace": PACE}, rows=rows, limits=limits)


if __name__ == "__main__":
    main()
