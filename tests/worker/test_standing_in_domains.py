"""Data of each domain that invents records are released in the sandbox, with no hand put to it; of groups, tests/client shows it."""

import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from starling.domains import delivering_of
from starling.ledger.opening import create_ledger
from starling.server.datasets import Catalogue
from starling.server.home import make_home
from starling.server.sandbox import FreeCharges
from starling.verification import Outcome, open_release, verify
from starling.worker.sources import Registered, Sources
from starling.worker.standing_in import stand_in
from tests.server.in_process import Here
from tests.worker.lanes import worker_of
from tests.worker.studies import write_study
from tests.worker.test_jobs import places, tables, tables_of_ones_own

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


Write = Callable[[Path], Registered]
QUESTION = {"kind": "num_sig", "k": 2, "epsilon": "0.5"}
ALL: dict[str, tuple[str, Write, dict[str, Any] | None]] = {
    "places": ("places", places, None),
    "tables": ("tables", tables, None),
    "tables of one's own": ("tables", tables_of_ones_own, None),
    "genome": ("genome", write_study, QUESTION),
}
"""Domain, records and plan, and the question where it is asked any."""
INVENTING = [name for name, (each, _, _) in ALL.items() if delivering_of(each).invent is not None]


@pytest.mark.series(1)
@pytest.mark.parametrize("name", INVENTING)
def test_it_is_released_in_the_sandbox(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    _, write, question = ALL[name]
    home = make_home(tmp_path / "home")
    create_ledger(home.settings.ledger).close()
    Sources(home).register("data", write(tmp_path), deadline=60)
    assert stand_in(home, "data") is None
    sandbox = home.sandbox
    assert sandbox is not None
    with closing(Here()) as understanding, closing(FreeCharges(sandbox)) as charges:
        asked = understanding.ask(Catalogue(sandbox.folder / "datasets"), "data", question, user="ada")
        number = charges.charge("ada", asked, "first", question)
    told: list[str] = []
    worker_of(sandbox, told.append).round(threading.Event())
    assert f"release {number} of data is done" in told
    assert any("nothing breaks the rules" in each for each in told)
    bundle = sandbox.releases / f"{number}.zip"
    assert verify(bundle, key=sandbox.key.public).outcome is not Outcome.FAILED
    with open_release(bundle) as release:
        assert "Invented: " in (release.folder / "report.html").read_text()
