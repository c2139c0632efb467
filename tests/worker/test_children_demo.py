"""Poisons at the home of a demo: releases of other analysts leave at their deadlines.

On PostgreSQL; `test_children.py` has jobs that never end and jobs that die at a home of either store.

What stopped a server once: a file of genotypes on which a native parser died after the charge, and questions whose jobs never ended.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from json import loads
from pathlib import Path
from typing import Any

import httpx
import pytest

from starling.ledger.opening import Ledger, open_ledger
from starling.ledger.rules import Request, cap_units
from starling.release.domain import Asking
from starling.server.home import Home, open_home
from starling.worker.sources import Sources
from tests.genome.studies import plan_of, vcf_text, write_phenotypes
from tests.genome.worlds import a_study

pytestmark = pytest.mark.slow

STARLING = [sys.executable, "-c", "from starling.cli import main; main()"]
DEADLINE = 60
"""Seconds; a release takes some of them, and a job that never ends would take more than all."""
QUESTION: dict[str, Any] = {"kind": "num_sig", "k": 10}
TOO_LITTLE = {"epsilon": "0." + 23 * "0" + "1"}
POISONED = ("loop", "crash", "old", "vera")
OTHERS = ("ada", "bob")


def starling(*words: object) -> Any:
    """What a command prints as JSON."""
    line = [*STARLING, *map(str, words), "--json"]
    return loads(subprocess.run(line, stdout=subprocess.PIPE, check=True, text=True).stdout)


def until(holds: Callable[[], bool]) -> None:
    """Wait for what must come, however long a busy machine takes."""
    while not holds():
        time.sleep(0.5)


@pytest.fixture
def faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let jobs of "loop" never end and those of "crash" die, in all processes that are started."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parent / "faults"), *sys.path[1:]]))
    file = tmp_path / "faults"
    file.touch()
    monkeypatch.setenv("FAULTS", str(file))
    return file


@pytest.fixture
def home(tmp_path: Path, ledger_at: str | None, monkeypatch: pytest.MonkeyPatch) -> Home:
    """The home of a demo, with a file of genotypes besides on which a native parser died."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "custodian"))
    store = [] if ledger_at is None else ["--ledger", ledger_at]
    options = ["--persons", 2000, "--deadline", DEADLINE, *store]
    demo = starling("server", "demo", tmp_path / "demo", *options)
    study = a_study()
    plan_of(study, tmp_path)
    *lines, last = vcf_text(study).splitlines(keepends=True)
    (tmp_path / "study.vcf").write_text("".join([*lines, "x\n", "1\t1\n", last]))
    phenotype = write_phenotypes(study, tmp_path / "study.pheno")
    files = [f"--file=genotypes={tmp_path / 'study.vcf'}", f"--file=phenotype={phenotype}"]
    words = ["--plan", tmp_path / "plan.toml", *files, "--cap", 4, "--grant", "vera=4", "--yes"]
    starling("server", "add", demo["home"], "variants", "--domain", "genome", *words, "--deadline", DEADLINE)
    return open_home(Path(demo["home"]))


@pytest.fixture
def custodian(home: Home) -> Iterator[Ledger]:
    """The ledger, opened with the custodian's key; it grants what is asked for."""
    with closing(open_ledger(home.settings.ledger)) as ledger:
        for name in ("loop", "crash", "old"):
            ledger.custody.grant("study", name, 4)
        ledger.custody.grant("airports", "bob", 1)
        yield ledger


@pytest.fixture
def served_at(home: Home, faults: Path) -> Iterator[str]:
    """The URL of the server of the home, with one worker."""
    assert faults.exists()
    line = [*STARLING, "serve", str(home.folder)]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        yield process.stderr.readline().split()[-1]
        process.terminate()
        process.stderr.read()


class Analyst:
    """An analyst, as a client of the server.

    Args:
        home: The home.
        name: The name of the analyst.
        url: The URL of the server.
    """

    def __init__(self, home: Home, name: str, url: str) -> None:
        if not home.access.knows(name):
            home.access.add_user(name, "analyst")
        token, _ = home.access.issue(name, days=1)
        self._client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=120)

    def charge(self, dataset: str, question: dict[str, Any] | None = None) -> int:
        """Charge a release; the event of the charge."""
        body: dict[str, Any] = {"request_id": "first"} | ({} if question is None else {"question": question})
        response = self._client.post(f"/v1/datasets/{dataset}/releases", json=body)
        assert response.status_code in (200, 201, 202), response.text
        return int(response.json()["id"])

    def progress(self, release: int) -> dict[str, Any]:
        """How far a release has come."""
        return dict(self._client.get(f"/v1/releases/{release}").json())


def charge_as_before(home: Home) -> int:
    """Charge a question of so small a budget that none is charged for it any more; the event of the charge."""
    question = QUESTION | TOO_LITTLE
    asking = Sources(home).open("study").publication
    assert isinstance(asking, Asking)
    publication = asking.ask(question)
    request = Request("old", "first", "study", publication.request)
    home.questions.keep(request, question)
    with closing(home.open_ledger()) as ledger:
        ticket = ledger.charging.charge(request, publication.guarantee)
        # As the server does: the worker need not wait for the end of a lease.
        ledger.charging.give_up(ticket)
        return ticket.seq


@pytest.mark.parametrize("ledger_at", ["postgres"], indirect=True)
def test_releases_of_others_leave_at_their_deadlines(
    home: Home, custodian: Ledger, served_at: str, faults: Path
) -> None:
    analysts = {name: Analyst(home, name, served_at) for name in (*POISONED, *OTHERS)}
    charged = {name: analysts[name].charge("study", QUESTION | {"epsilon": "4"}) for name in ("loop", "crash")}
    with pytest.raises(AssertionError, match="at least"):
        analysts["old"].charge("study", QUESTION | TOO_LITTLE)
    charged["old"] = charge_as_before(home)
    charged["vera"] = analysts["vera"].charge("variants", QUESTION | {"k": 2, "epsilon": "4"})
    charged |= {name: analysts[name].charge("airports") for name in OTHERS}

    def state(name: str) -> str:
        return str(analysts[name].progress(charged[name])["state"])

    until(lambda: all(state(name) == "released" for name in (*OTHERS, "old", "vera")))
    for name in OTHERS:
        charge = custodian.reading.charge(charged[name])
        assert charge is not None
        leaves = datetime.fromisoformat(analysts[name].progress(charged[name])["leaves"])
        assert leaves == datetime.fromtimestamp(charge.at + DEADLINE, UTC), f"{name} waited for another"
    jobs = {job["analyst"]: job for job in starling("server", "jobs", home.folder)}
    assert {name: job["state"] for name, job in jobs.items()} == {"loop": "running", "crash": "parked"}
    assert (jobs["crash"]["failures"], jobs["crash"]["why"]) == (3, "its process was ended by SIGSEGV")
    faults.unlink()
    starling("server", "jobs", home.folder, "--again", charged["crash"])
    until((home.releases / f"{charged['crash']}.zip").is_file)
    assert custodian.reading.account("study").cap("analyst", "crash").spent == cap_units(4), "a retry pays nothing"
