"""Jobs that never end and jobs that die, on a served home: others' releases are made meanwhile, on both stores."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from starling.cli import main
from starling.ledger.opening import Ledger
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import Home
from starling.worker.children import Child
from starling.worker.findings import Inspections
from starling.worker.sources import Sources

STARLING = [sys.executable, "-c", "from starling.cli import main; main()"]
FAULTY = ("loop", "crash")
OTHERS = ("ada", "bob")


def until(holds: Callable[[], bool]) -> None:
    """Wait for what must come, however long a busy machine takes."""
    while not holds():
        time.sleep(0.05)


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that keeps the faults going in all processes that are started."""
    here = Path(__file__).parent / "faults"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep))
    file = tmp_path / "faults"
    file.touch()
    monkeypatch.setenv("FAULTS", str(file))
    return file


@pytest.fixture
def charged(registered: Home, custodian: Ledger) -> dict[str, int]:
    """A charge of each analyst, those of the faulty ones first."""
    custodian.custody.accept("data", Inspections(registered).token(Sources(registered).open("data")))
    dataset = Catalogue(registered.folder / "datasets").release("data")
    charges = {}
    with closing(Charges(registered)) as server:
        for name in (*FAULTY, *OTHERS):
            if name != "ada":
                custodian.custody.grant("people", name, dataset.guarantee.cost.amount)
            charges[name] = server.charge(name, dataset, "first")
    return charges


@pytest.fixture
def served_at(registered: Home, faults: Path) -> Iterator[str]:
    """The URL of a server of the home, with one worker."""
    assert faults.exists()
    file = registered.folder / "server.toml"
    file.write_text(file.read_text().replace("port = 8470", "port = 0"))
    line = [*STARLING, "serve", str(registered.folder)]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        yield process.stderr.readline().split()[-1]
        process.terminate()
        process.stderr.read()


def listed(home: Home, *options: str) -> list[dict[str, object]]:
    """What `starling server jobs` says."""
    done = CliRunner().invoke(main, ["server", "jobs", str(home.folder), *options, "--json"], catch_exceptions=False)
    assert done.exit_code == 0
    return list(json.loads(done.stdout))


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
@pytest.mark.slow
@pytest.mark.parametrize("ledger_at", ["sqlite", "postgres"], indirect=True)
def test_poisons_keep_no_other_waiting(
    registered: Home, custodian: Ledger, charged: dict[str, int], served_at: str, faults: Path
) -> None:
    def is_there(name: str) -> bool:
        return (registered.releases / f"{charged[name]}.zip").is_file()

    until(lambda: all(map(is_there, OTHERS)))
    states = {job["analyst"]: job for job in listed(registered)}
    assert states["loop"]["state"] == "running", "the releases of others were made beside it"
    until(lambda: {job["analyst"]: job["state"] for job in listed(registered)}["crash"] == "parked")
    crash = {job["analyst"]: job for job in listed(registered)}["crash"]
    assert (crash["failures"], crash["why"]) == (3, "its process was ended by SIGSEGV")
    replies = []
    for name in FAULTY:
        registered.access.add_user(name, "analyst")
        token, _ = registered.access.issue(name, days=1)
        headers = {"Authorization": f"Bearer {token}"}
        replies.append(httpx.get(f"{served_at}/v1/releases/{charged[name]}", headers=headers, timeout=60).json())
    assert [(reply["state"], set(reply)) for reply in replies] == [("charged", set(replies[0]))] * 2
    faults.unlink()
    spent = custodian.reading.account("people").cap("analyst", "crash").spent
    assert listed(registered, "--again", str(charged["crash"]))
    until(lambda: is_there("crash"))
    assert custodian.reading.account("people").cap("analyst", "crash").spent == spent, "a retry pays nothing"
    drawn = [event for event in custodian.reading.events() if event.kind == "drawn"]
    assert len(drawn) == 3, "one draw for each charge that was carried out"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_an_attempt_is_ended_at_its_limit(registered: Home, charged: dict[str, int], faults: Path) -> None:
    """By the clock of the test: however long the process takes, it is ended when that is over, and the next one begins anew."""
    assert faults.exists()
    seconds = 0.0
    child = Child(registered.folder, 60, now=lambda: seconds)
    child.begin(charged["loop"])
    assert child._process._running is not None
    process = child._process._running
    assert child.outcome() is None
    seconds = 61.0
    outcome = child.outcome()
    assert outcome is not None
    assert (outcome.ending, outcome.why) == ("failed", "it took longer than 60 s, the job_seconds of server.toml")
    assert process.poll() == -9
    child.begin(charged["ada"])
    until(lambda: child.outcome() is not None)
    child.close()
    assert (registered.releases / f"{charged['ada']}.zip").is_file()
