"""A demo home is complete: each role's token lets in, each dataset is released; and one that was served for now is gone."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from starling.cli.demo import serving
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import open_home
from starling.server.understanding import Understanding
from starling.worker.running import Worker
from tests.cli.conftest import Call

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

COMMAND = [sys.executable, "-c", "from starling.cli import main; main()", "serve", "--demo", "--workers", "0"]


def test_each_of_its_datasets_is_released(call: Call, tmp_path: Path) -> None:
    done = call("server", "demo", tmp_path / "demo", "--persons", 2000, "--deadline", 1, "--json")
    made = serving.Made.parse(done.stdout)
    home = open_home(made.home)
    assert made.fingerprint == home.key.public.fingerprint
    assert {home.access.admit(token).role for token in made.tokens.values()} == {"analyst", "auditor", "custodian"}
    catalogue = Catalogue(home.folder / "datasets")
    assert set(made.datasets) == set(catalogue.names()) == {"nation", "flights", "airports", "study"}
    question = {"kind": "num_sig", "k": 10, "epsilon": serving.EPSILON}
    with closing(Charges(home)) as charges, closing(Understanding()) as understanding:
        asked = {name: question if name == "study" else None for name in made.datasets}
        wanted = {name: understanding.ask(catalogue, name, asked[name], who="ada") for name in made.datasets}
        charged = [charges.charge("ada", wanted[name], name, asked[name]) for name in made.datasets]
        assert [charges.budget("ada", wanted[name]).more for name in made.datasets] == [1, 1, 1, 1]
    assert home.sandbox is not None
    invented = Catalogue(home.sandbox.folder / "datasets")
    assert invented.names() == catalogue.names()
    assert all(invented.find(name).title == f"Invented: {catalogue.find(name).title}" for name in invented.names())
    told: list[str] = []
    Worker(home, told.append).round(threading.Event())
    assert [path.name for path in sorted(home.releases.glob("*.zip"))] == sorted(f"{seq}.zip" for seq in charged), told


@pytest.fixture
def served(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that serves a demo home below this folder."""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield process
        process.kill()


def test_it_is_served_at_once_and_removed_at_the_end(served: subprocess.Popen[str], tmp_path: Path) -> None:
    assert served.stdout is not None
    said: list[str] = []
    for line in served.stdout:
        said.append(line)
        if line.startswith("starling server findings"):
            break
    (exported,) = [line for line in said if line.startswith("export")]
    url, token = (word.partition("=")[2] for word in exported.split()[1:])
    asked = httpx.get(f"{url}/v1/datasets", headers={"Authorization": f"Bearer {token}"}, timeout=60)
    assert [each["name"] for each in asked.json()] == ["airports", "flights", "nation", "study"]
    tokens = {line.split(": ")[0]: line.split(": ")[1].strip() for line in said if ": starling_" in line}
    for who, each in tokens.items():
        name, role = who.split(", ")
        reply = httpx.get(f"{url}/v1/me", headers={"Authorization": f"Bearer {each}"}, timeout=60)
        assert reply.json() == {"name": name, "role": role}
    assert [who.split(",")[0] for who in tokens] == ["ada", "otto", "cleo"]
    # What stands behind a token is done with it: nobody has to look for one.
    holder = {token: who.split(",")[0] for who, token in tokens.items()}
    used = [holder[token] for line in said for token in tokens.values() if token in line]
    assert used == sorted(used, key=["ada", "otto", "cleo"].index)
    (folder,) = tmp_path.glob("starling-demo-*")
    assert folder.stat().st_mode & 0o077 == 0
    served.send_signal(signal.SIGTERM)
    served.communicate()
    assert served.returncode == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", [[], ["--demo", "home"]])
def test_a_home_or_the_demo_is_served(call: Call, words: list[str]) -> None:
    result = call("serve", *words)
    assert (result.exit_code, "starling serve --demo" in result.stderr) == (2, True)
