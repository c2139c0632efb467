"""`starling server jobs` names what waits, runs and is parked, why, and the command that mends it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from starling.cli import main
from starling.ledger.opening import create_ledger, open_ledger
from starling.ledger.rules import Request, canonical
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.server.home import make_home
from starling.worker.attempts import attempts_of
from tests.ledger.worlds import costing


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_jobs_are_listed_and_set_free(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home")
    create_ledger(home.settings.ledger).close()
    ledger = open_ledger(home.settings.ledger)
    ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 10)
    ledger.custody.add_dataset("data", "people", {}, 4)
    ledger.custody.grant("people", "ada", 3)
    ledger.custody.delegate("data", home.key.public, days=1)
    ledger.close()

    def run(*options: str) -> str:
        done = CliRunner().invoke(main, ["server", "jobs", str(home.folder), *options], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output.strip()

    assert run() == "nothing waits"
    opened = home.open_ledger()
    for number in range(3):
        opened.charging.charge(Request("ada", f"r{number}", "data", canonical({"n": number})), costing(1))
    first, second, third = (charge.seq for charge in opened.reading.open_charges(0))
    opened.close()
    attempts = attempts_of(home)
    for _ in range(3):
        attempts.failed(first, "its process was ended by SIGSEGV")
    attempts.refused(second, "files are not accepted")
    mark = attempts.begin(third)
    assert mark is not None
    again = f"starling server jobs {home.folder} --again {first}"
    assert run().splitlines() == [
        f"{first}  parked  data  ada  its process was ended by SIGSEGV; when that is mended: {again}",
        f"{second}  waiting  data  ada  files are not accepted",
        f"{third}  running  data  ada",
    ]
    attempts.end(third, mark)
    assert run("--again", str(first)) == f"tried again: {first}"
    assert run("--again", "all") == f"tried again: {second}"
    assert {line.split()[1] for line in run().splitlines()} == {"waiting"}
    refused = CliRunner().invoke(main, ["server", "jobs", str(home.folder), "--again", "7000"])
    assert refused.exit_code == 2
