"""A fresh question to a genome study at a server: from the ask over HTTP to the answer that has left, by a worker that runs.

The answer leaves at a deadline of a second after the charge, or when that has doubled; whole seconds are counted, from the one in which
the charge was made. Each question is another one, so that nothing is answered from the store.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx

from bench.measure import Json
from bench.record import Limit, Recorder
from starling.genome.generate import generate
from starling.ledger.opening import create_ledger, open_ledger
from starling.server.home import Home, make_home
from starling.worker.findings import Inspections
from starling.worker.sources import Sources, source_of

PEOPLE: Final = 2_000
SNPS: Final = 100_000
QUESTIONS: Final = 20
DEADLINE: Final = 1
"""Seconds after a charge at which its answer leaves."""
POLL: Final = 0.1
"""Seconds between two looks of the client; a token may ask twenty times a second for long."""
SECONDS: Final = 1
"""Seconds that an answer may take beyond its deadline."""
COMMAND: Final = (sys.executable, "-c", "from starling.cli import main; main()", "serve")


def furnished(folder: Path, snps: int) -> tuple[Home, str]:
    """A home with an invented study, and a token of an analyst who may ask it."""
    made = generate(people=PEOPLE, snps=snps, seed=1, out=folder / "study", causal={3: 5.0})
    home = make_home(folder / "home")
    settings = home.folder / "server.toml"
    settings.write_text(settings.read_text().replace("port = 8470", "port = 0"))
    source = source_of("genome", str(made.plan), {"genotypes": made.records})
    entry = Sources(home).register("study", source, deadline=DEADLINE)
    with closing(create_ledger(home.settings.ledger)) as ledger:
        ledger.custody.add_population("people", "epsilon", entry.relation, 1_000)
        ledger.custody.add_dataset("study", "people", {}, 1_000)
        ledger.custody.delegate("study", home.key.public, days=1)
        ledger.custody.grant("people", "ada", 1_000)
    with closing(open_ledger(home.settings.ledger)) as ledger:
        ledger.custody.accept("study", Inspections(home).token(Sources(home).open("study")))
    home.access.add_user("ada", "analyst")
    return home, home.access.issue("ada", days=1)[0]


@contextmanager
def served(home: Home) -> Iterator[str]:
    """The address of its server, with a worker."""
    with subprocess.Popen(
        [*COMMAND, str(home.folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        try:
            yield f"http://127.0.0.1:{int(line.rpartition(':')[2])}"
        finally:
            process.terminate()


def asked(client: httpx.Client, number: int) -> tuple[float, float]:
    """Seconds from the ask of a question until its answer has left, as a client sees it; and how soon it was charged."""
    question: dict[str, Any] = {"kind": "num_sig", "k": 2 + number, "epsilon": "0.5"}
    began = time.perf_counter()
    reply = client.post("/v1/datasets/study/releases", json={"request_id": f"q{number}", "question": question})
    reply.raise_for_status()
    charged = time.perf_counter() - began
    place = reply.headers["Location"]
    while client.get(place).raise_for_status().json()["state"] != "released":
        time.sleep(POLL)
    return time.perf_counter() - began, charged


def main() -> None:
    """Measure and write the result."""
    recorder = Recorder("server_questions", "Fresh questions to a genome study at a server with a worker.")
    chosen = recorder.begin()
    snps, questions = (1_000, 2) if chosen.quick else (SNPS, QUESTIONS)
    with TemporaryDirectory() as name:
        os.environ["STARLING_HOME"] = str(Path(name, "keys"))
        home, token = furnished(Path(name), snps)
        with served(home) as url, httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}) as client:
            first = asked(client, 0)
            found = [asked(client, number) for number in range(1, questions + 1)]
    seconds = sorted(took for took, _ in found)
    row: dict[str, Json] = {
        "people": PEOPLE,
        "snps": snps,
        "questions": questions,
        "first_seconds": round(first[0], 2),
        "median_seconds": round(median(seconds), 2),
        "longest_seconds": round(seconds[-1], 2),
        "longest_charge_seconds": round(max(charged for _, charged in found), 3),
    }
    print(row)
    limit = Limit(
        "a fresh num_sig on 100,000 SNPs, beyond its deadline of a second", seconds[-1] - DEADLINE, SECONDS, "s"
    )
    settings: dict[str, Json] = {"deadline": DEADLINE}
    recorder.end(settings=settings, rows=[row], limits=[] if chosen.quick else [limit])


if __name__ == "__main__":
    main()
