"""A demo home is complete: each role's token lets in, each dataset is released; and one that was served for now is gone."""

import json
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

from starling.cli.demo import serving, town
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import open_home
from starling.server.question_costs import Understanding
from starling.server.tour import Tour, read_tour
from tests.cli.conftest import Call
from tests.worker.lanes import worker_of

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

COMMAND = [sys.executable, "-c", "from starling.cli import main; main()", "serve", "--demo", "--workers", "0"]


@pytest.mark.slow
def test_each_of_its_datasets_is_released(call: Call, tmp_path: Path) -> None:
    done = call("server", "demo", tmp_path / "demo", "--persons", 2000, "--deadline", 1, "--json")
    demo = json.loads(done.stdout)
    home = open_home(Path(demo["home"]))
    assert demo["key"] == home.key.public.fingerprint
    assert {home.access.admit(token).role for token in demo["tokens"].values()} == {"analyst", "auditor", "custodian"}
    catalogue = Catalogue(home.folder / "datasets")
    assert (
        set(demo["datasets"]) == set(catalogue.names()) == {"nation", "flights", "airports", "study", *town.QUESTIONS}
    )
    assert read_tour(home.folder) == Tour(*town.QUESTIONS)
    question = {"kind": "num_sig", "k": 10, "epsilon": serving.EPSILON}
    with closing(Charges(home)) as charges, closing(Understanding()) as understanding:
        questions = {name: question if name == "study" else None for name in demo["datasets"]}
        requests = {name: understanding.ask(catalogue, name, each, user="ada") for name, each in questions.items()}
        del requests["town-homes"], questions["town-homes"]
        charged = [charges.charge("ada", each, name, questions[name]) for name, each in requests.items()]
        assert charges.budget("ada", catalogue.release("town-homes")).available == 0, (
            "the tour ends with a spent budget"
        )
        more = {name: charges.budget("ada", each).more for name, each in requests.items()}
        assert more == {name: int(name == "study") for name in requests}, "a plan is released once"
    assert home.sandbox is not None
    invented = Catalogue(home.sandbox.folder / "datasets")
    assert invented.names() == catalogue.names()
    assert all(invented.find(name).title == f"Invented: {catalogue.find(name).title}" for name in invented.names())
    messages: list[str] = []
    worker_of(home, messages.append).round(threading.Event())
    assert [path.name for path in sorted(home.releases.glob("*.zip"))] == sorted(f"{seq}.zip" for seq in charged), (
        messages
    )


@pytest.fixture
def served(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that serves a demo home below this folder."""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        yield process
        process.kill()


@pytest.mark.slow
def test_it_listens_before_its_data_are_registered_and_is_removed_at_the_end(
    served: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert served.stdout is not None
    assert served.stderr is not None
    first = next(line for line in served.stderr if line.startswith(("starling: listening on ", "... ")))
    url = first.split()[-1]
    assert httpx.get(f"{url}/healthz", timeout=60).status_code == 200
    lines: list[str] = []
    for line in served.stdout:
        lines.append(line)
        if line.startswith("starling server findings"):
            break
    (exported,) = [line for line in lines if line.startswith("export")]
    assert exported.split()[1] == f"STARLING_SERVER={url}"
    tour = lines[0].split()[-1]
    assert (lines[0].startswith("The tour"), httpx.get(tour, headers={"Accept": "text/html"}).status_code) == (
        True,
        200,
    )
    tokens = {line.split(": ")[0]: line.split(": ")[1].strip() for line in lines if ": starling_" in line}
    listed = httpx.get(f"{url}/v1/datasets", headers=_bearer(tokens["ada, analyst"]), timeout=60)
    assert [each["name"] for each in listed.json()] == sorted(serving.DATASETS)
    for user, each in tokens.items():
        name, role = user.split(", ")
        assert httpx.get(f"{url}/v1/me", headers=_bearer(each), timeout=60).json() == {"name": name, "role": role}
    assert [user.split(",")[0] for user in tokens] == ["ada", "otto", "cleo"]
    # Commands that use a token stand below it, so that a reader does not have to look for it.
    holders = {token: user.split(",")[0] for user, token in tokens.items()}
    used = [holders[token] for line in lines for token in tokens.values() if token in line]
    assert used == sorted(used, key=["ada", "otto", "cleo"].index)
    (folder,) = tmp_path.glob("starling-demo-*")
    assert folder.stat().st_mode & 0o077 == 0
    served.send_signal(signal.SIGTERM)
    _, said = served.communicate()
    assert served.returncode == 0
    assert "cannot charge" not in said, "nothing is amiss while data are registered"
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_one_that_ends_while_data_are_registered_leaves_nothing(served: subprocess.Popen[str], tmp_path: Path) -> None:
    assert served.stderr is not None
    assert next(line for line in served.stderr if line.startswith("... registering"))
    served.send_signal(signal.SIGTERM)
    # Standard error ends with the last process that writes to it.
    served.stderr.read()
    assert served.wait() == 0
    assert not list(tmp_path.iterdir())


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("words", [[], ["--demo", "home"]])
def test_a_home_or_the_demo_is_served(call: Call, words: list[str]) -> None:
    result = call("serve", *words)
    assert (result.exit_code, "starling serve --demo" in result.stderr) == (2, True)


def test_a_home_has_no_tour_to_open(call: Call, tmp_path: Path) -> None:
    result = call("serve", tmp_path, "--open")
    assert (result.exit_code, "tour of --demo" in result.stderr) == (2, True)
