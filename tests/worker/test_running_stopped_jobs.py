"""A worker process that is told to stop while it is at a job: it ends in good order, nothing is lost, and nothing is drawn twice."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from starling.ledger.opening import Ledger
from starling.server import processes
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import Home
from starling.server.processes import Kind, supervised
from starling.verification import Outcome, verify
from tests.conftest import ROOT
from tests.worker.test_jobs import accept, ask, carry_out, check

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head"),
]

HOLDS = """
import sys
from pathlib import Path
from starling.cli import main
from starling.worker import children, running
moment, folder, *words = sys.argv[1:]
if words[0] == "job":
    from tests.release.striking import hold
    from tests.worker.test_jobs import MOMENTS
    hold(*MOMENTS[moment], Path(folder))
children._COMMAND = (*sys.orig_argv[:5], "job")
running.PATIENCE = 10**9
sys.argv = ["starling", *words]
main()
"""
"""The command, whose job's process stays at a moment of the first job until it is let go; no other is carried out beside it."""
MOMENTS = ["after the charge", "after the draw is committed to", "while it is zipped"]
"""Nothing is drawn, nobody can read what was drawn, and it is there; tests/worker/test_jobs.py has each moment at which a job dies."""


def until(there: Callable[[], bool]) -> None:
    """Wait for something that comes, for two minutes at most."""
    end = time.monotonic() + 120
    while not there():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.02)


def jobs_of(home: Home) -> list[Path]:
    """The processes of jobs of a home."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (each / "cmdline").read_bytes().split(b"\0")
            found += [each] if b"job" in words and str(home.folder).encode() in words else []
    return found


def has_ended(process: Path) -> bool:
    """Whether a process runs no more, and holds no files."""
    try:
        ended = (process / "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
        # Its other threads may hold files for a moment longer.
        return ended and len(list((process / "task").iterdir())) <= 1
    except OSError:
        return True


def command(moment: str, folder: Path) -> tuple[str, ...]:
    return (sys.executable, "-c", HOLDS, moment, str(folder))


@pytest.mark.parametrize("moment", [MOMENTS[0], MOMENTS[-1]])
def test_a_worker_that_is_told_to_stop_ends_its_job_first(
    moment: str, registered: Home, custodian: Ledger, tmp_path: Path
) -> None:
    """By SIGTERM, twice: the job at which it is is finished, the next is left to the next worker, and it says that it stopped."""
    accept(registered, custodian)
    custodian.custody.grant("people", "bob", 1)
    first = ask(registered)
    dataset = Catalogue(registered.folder / "datasets").release("data")
    second = Charges(registered).charge("bob", dataset, "second")
    worker = subprocess.Popen(
        [*command(moment, tmp_path), "worker", str(registered.folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    until((tmp_path / "there").exists)
    for _ in range(2):
        worker.send_signal(signal.SIGTERM)
    (tmp_path / "go").touch()
    worker.communicate()
    assert worker.returncode == 0
    assert (registered.releases / f"{first}.zip").is_file()
    assert not (registered.releases / f"{second}.zip").exists(), "it begins nothing more"
    check(registered, custodian, first, waiting=1)
    assert [charge.seq for charge in carry_out(registered)] == [second], "at once: nobody holds its lease"
    found = verify(registered.releases / f"{second}.zip", ledger=registered.settings.ledger, key=registered.key.public)
    assert found.outcome is Outcome.VERIFIED


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_that_does_not_end_in_time_is_followed_by_another(
    moment: str, registered: Home, custodian: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its server, told to stop, waits a while and kills it; whoever comes next finishes the job, and pays and draws nothing again."""
    accept(registered, custodian)
    seq = ask(registered)
    monkeypatch.setattr(processes, "_COMMAND", command(moment, tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    with supervised([Kind(["worker", "--until-end-of-input", str(registered.folder)], grace=0.2)]):
        until((tmp_path / "there").exists)
        (job,) = jobs_of(registered)
    # The system ends it with the worker.
    until(lambda: has_ended(job))
    assert not (registered.releases / f"{seq}.zip").exists()
    assert [charge.seq for charge in carry_out(registered)] == [seq]
    check(registered, custodian, seq)
