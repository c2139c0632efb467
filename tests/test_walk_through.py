"""From an empty folder, by the commands of the documentation alone: a custodian, an analyst and an auditor share a server for a day.

The server, its worker and curl are processes; it is restarted between a charge and its answer, backed up, and restored elsewhere.
"""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from starling.cli import main
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

DOCUMENTED = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md") if page.name != "cli.md")
STARLING = [sys.executable, "-c", "from starling.cli import main; main()"]
DEADLINE = 2
PATIENCE = 100
"""Seconds after which a test says that something never happens; on no path does it wait so long."""


class Person:
    """Somebody with a home folder and keys of their own, who works in one folder.

    Args:
        folder: Where they work.
        name: Theirs.
        variables: What they have set besides.
    """

    def __init__(self, folder: Path, name: str, **variables: str) -> None:
        self._folder = folder
        kept = {
            name: os.environ[name]
            for name in ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "NUMBA_CACHE_DIR")
            if name in os.environ
        }
        self.variables = kept | {"HOME": str(folder / name), "STARLING_HOME": str(folder / name / "keys")} | variables

    def tries(self, line: str) -> Result:
        """How a command of the documentation ends."""
        starling, *words = shlex.split(line)
        verb = [starling, *words][: 4 if words[1] == "ask" else 3 if words[0] != "verify" else 2]
        assert " ".join(verb) in DOCUMENTED, f"the documentation shows no {verb}"
        return CliRunner().invoke(main, words, env=self.variables)

    def does(self, line: str) -> str:
        """What a command of the documentation prints."""
        made = self.tries(line)
        assert made.exit_code == 0, f"{line}: {made.output}"
        return made.stdout

    def curls(self, path: str, body: Any = None, out: str | None = None) -> Any:
        """The answer to a request by curl, as JSON, or in a file."""
        words = ["curl", "-sS", "--fail-with-body", "-H", f"Authorization: Bearer {self.variables['STARLING_TOKEN']}"]
        words += ["-H", "Content-Type: application/json", "-d", json.dumps(body)] if body is not None else []
        words += ["-o", out] if out is not None else []
        url = self.variables["STARLING_SERVER"] + path
        made = subprocess.run([*words, url], cwd=self._folder, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stdout + made.stderr
        return None if out is not None else json.loads(made.stdout)


def until(happens: Callable[[], bool]) -> None:
    """Wait for something to happen."""
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.2)


class Serving:
    """The server of a home, which can be ended and begun."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        self._folder, self._variables = folder, variables
        self._process: subprocess.Popen[str] | None = None

    def begin(self, home: str, *words: str) -> None:
        """Serve a home, with its worker."""
        self._process = subprocess.Popen(
            [*STARLING, "serve", home, *words], cwd=self._folder, env=self._variables, stderr=subprocess.PIPE, text=True
        )
        assert self._process.stderr is not None
        line = self._process.stderr.readline()
        assert "listening on" in line, line + self._process.stderr.read()

    def end(self) -> None:
        """End it as an operator does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            self._process.communicate()
            self._process = None


@pytest.fixture
def cleo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """The custodian."""
    monkeypatch.chdir(tmp_path)
    return Person(tmp_path, "cleo")


@pytest.fixture
def serving(tmp_path: Path, cleo: Person) -> Iterator[Serving]:
    made = Serving(tmp_path, cleo.variables)
    yield made
    made.end()


def free_port() -> int:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def a_home(cleo: Person, folder: Path) -> tuple[str, str]:
    """A home with invented data of a census and a study in a ledger, and grants; its URL, and its key."""
    cleo.does("starling tables generate demo --persons 300 --out census")
    cleo.does("starling genome generate --people 300 --snps 40 --out study")
    cleo.does("starling server init home")
    settings, port = folder / "home" / "server.toml", free_port()
    settings.write_text(re.sub("port = 8470", f"port = {port}", settings.read_text()))
    key = json.loads(cleo.does("starling server show home --json"))["key"]
    ledger = "home/ledger.sqlite"
    cleo.does(f"starling ledger create {ledger}")
    cleo.does(f"starling ledger population {ledger} residents --measure rho --neighbours add-remove-person --cap 20")
    cleo.does(f"starling ledger population {ledger} patients --measure epsilon --neighbours replace-one-person --cap 5")
    for data, people, cap in (("nation", "residents", 2), ("asthma", "patients", 2)):
        cleo.does(f"starling ledger dataset {ledger} {data} --population {people} --cap {cap}")
        cleo.does(f"starling ledger grant {ledger} {people} ada --cap 1")
        cleo.does(f"starling ledger delegate {ledger} {data} --to {key} --days 90")
    files = "--file persons=census/person-records.txt --file geography=census/GRF-C.txt"
    said = f"--deadline {DEADLINE} --duo DUO:0000042"
    cleo.does(f"starling server dataset home nation --domain tables --plan demo {files} {said} --purpose Schools")
    study = "--domain genome --plan study/plan.toml --file genotypes=study/study"
    cleo.does(f"starling server dataset home asthma {study} {said}")
    return f"http://127.0.0.1:{port}", key


def somebody(cleo: Person, folder: Path, name: str, role: str, url: str) -> Person:
    """A new user, whose token is in their environment."""
    cleo.does(f"starling server user home {name} --role {role}")
    token = cleo.does(f"starling server token home {name} --days 30").strip()
    return Person(folder, name, STARLING_SERVER=url, STARLING_TOKEN=token)


def test_a_day_with_a_server(cleo: Person, serving: Serving, tmp_path: Path) -> None:
    url, key = a_home(cleo, tmp_path)
    ada, otto = (somebody(cleo, tmp_path, *who, url) for who in (("ada", "analyst"), ("otto", "auditor")))
    serving.begin("home")
    for data in ("nation", "asthma"):
        until(lambda data=data: cleo.tries(f"starling server findings home {data}").exit_code == 0)  # type: ignore[misc]
        cleo.does(f"starling server accept home {data} --yes")

    # The analyst asks from another terminal: by curl, and by the client. The server is restarted between a charge and its answer.
    assert "for use: Schools" in ada.does("starling remote datasets")
    question = {"kind": "num_sig", "k": 5, "epsilon": "0.5"}
    asked = ada.curls("/v1/datasets/asthma/releases", {"request_id": "first", "question": question})
    serving.end()
    serving.begin("home")
    ada.does("starling remote release nation --out nation.zip --request-id nation --yes")
    place = f"/v1/releases/{asked['id']}"
    until(lambda: ada.curls(place)["state"] == "released")
    ada.curls(f"{place}/bundle", out="answer.zip")
    assert ada.curls("/v1/datasets/asthma/releases", {"request_id": "first", "question": question})["id"] == asked["id"]

    # What was released is asked at no cost.
    total = '{"kind": "sum", "terms": [{"table": "t1", "where": [["region_type", "USA"]]}]}'
    number = json.loads(ada.does("starling remote release nation --out nation.zip --yes --json"))["release"]
    said = json.loads(ada.does(f"starling remote answer {number} --question '{total}' --json"))
    assert said == ada.curls(f"/v1/releases/{number}/answers", {"question": json.loads(total)})["answer"]

    # The custodian is asked first from now on, and approves for less.
    cleo.does("starling ledger terms home/ledger.sqlite asthma --ask-first")
    more = "starling remote ask num-sig asthma --k 3 --epsilon 0.4 --out answers"
    assert ada.tries(f"{more} --yes").exit_code != 0
    ada.does(f"{more} --reason 'To plan a study'")
    assert "To plan a study" in cleo.does("starling server requests home")
    cleo.does("starling server approve home 1 --epsilon 0.25 --yes")
    ada.does("starling remote approved 1 --out approved.zip --yes")
    assert json.loads(ada.does("starling remote budget asthma --json"))["left"]["analyst"] == "0.25"

    # The auditor verifies all of it without the server.
    (tmp_path / "ledger.jsonl").write_text("")
    otto.curls("/v1/ledger", out="ledger.jsonl")
    for name in ("nation.zip", "answer.zip", "approved.zip"):
        otto.does(f"starling verify {name} --ledger ledger.jsonl --key {key}")

    # A copy is restored and served elsewhere. Once a cap was raised there, the copy's ledger is an older one, and refused.
    cleo.does("starling server backup home copy")
    serving.end()
    cleo.does("starling server restore copy elsewhere")
    serving.begin("elsewhere", "--workers", "0")
    ada.does(f"starling remote fetch {number} --out restored.zip")
    assert (tmp_path / "restored.zip").read_bytes() == (tmp_path / "nation.zip").read_bytes()
    cleo.does("starling ledger raise elsewhere/ledger.sqlite residents analyst ada --cap 1.5 --yes")
    assert json.loads(ada.does("starling remote budget nation --json"))["left"]["analyst"] == "0.8486306"
    refused = cleo.tries("starling server restore copy again")
    assert (refused.exit_code, "restore the newest ledger" in refused.stderr) == (5, True)
