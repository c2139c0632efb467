"""Promise 4, and 3 with processes: whatever dies, and whenever, no charge is lost, none is made twice, nothing is overspent."""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from starling.ledger import rules
from starling.ledger.opening import open_ledger
from tests.conftest import ROOT
from tests.ledger.child import answer
from tests.ledger.conftest import FAULTS
from tests.ledger.forked import Forked
from tests.ledger.worlds import World, request

# The events are dated by the clock of the world, in a year to come.
pytestmark = pytest.mark.filterwarnings("ignore::starling.ledger.book.ClockWarning")

PUBLISHED = "published "


def child(world: World, name: str, fault: str, *before: str) -> "subprocess.Popen[str] | Forked":
    """Start one; see child.py. `before`: a command to start it with."""
    if not before:
        return Forked(world.url, name, fault)
    command = [*before, sys.executable, "-m", "tests.ledger.child", world.url, name, fault]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished(process: "subprocess.Popen[str] | Forked") -> tuple[int, str]:
    """Its exit code and what it printed; it never shows a stack trace."""
    out, err = process.communicate(timeout=120)
    assert "Traceback" not in err, err
    return process.returncode, out.strip()


def check_after(world: World, name: str, published: str) -> None:
    """The charge of `name` is there once; a retry publishes, at no further cost, what was published if anything was.

    The ledger that is opened for the retry verifies all that was written before.
    """
    FAULTS.injected += 1
    before = world.spent()
    with closing(open_ledger(world.url)) as ledger:
        out = f"{PUBLISHED}{answer(ledger, name)}"
    if published and out != published:
        FAULTS.lost += 1
    assert not published or out == published
    assert world.spent() - before in (0, 1)
    stored = world.ledger.charging.find(request(name))
    assert stored is not None
    assert out == f"{PUBLISHED}{stored.answer}"
    caps = world.ledger.reading.account("people").caps
    over = [cap for cap in caps if cap.cap is not None and cap.spent > cap.cap]
    FAULTS.overspent += len(over)
    assert not over


STEPS = 400
"""More than the database calls of one child: the last ones strike after everything."""
OPENING = 13
"""Until the call of this number a ledger that is opened asks for settings and ends a reading; all that follows are readings."""


def points(kind: str, first: int) -> list[str]:
    """Faults of a kind: at each call until a reading has ended, then at each call once the ledger is open."""
    opening = [f"{kind}:{number}" for number in range(first, OPENING)]
    return opening + [f"opened-{kind}:{number}" for number in range(1, STEPS)]


def room(world: World) -> None:
    """Let more be charged than any test does."""
    for scope, name in (("population", "people"), ("dataset", "census"), ("analyst", "ann")):
        world.ledger.custody.raise_cap("people", scope, name, 1000)  # type: ignore[arg-type]


@pytest.mark.slow
def test_promise_04_kill_9_before_each_database_call(world: World) -> None:
    room(world)
    struck, finally_finished = 0, False
    for step, fault in enumerate(points("kill", 6)):
        process = child(world, f"kill-{step}", fault)
        code, out = finished(process)
        assert code in (0, -signal.SIGKILL)
        struck += code != 0
        finally_finished |= code == 0
        spent = world.spent()
        check_after(world, f"kill-{step}", out)
        charged = [c for c in world.ledger.reading.account("people").charges if c.request_id == f"request-kill-{step}"]
        assert len(charged) == 1
        assert world.spent() - spent in (0, 1)
        if finally_finished:
            break
    assert struck > 10
    assert finally_finished
    world.ledger.reading.verify()


@pytest.mark.slow
@pytest.mark.parametrize("world", ["postgres"], indirect=True)
def test_promise_04_a_lost_connection_at_each_step(world: World) -> None:
    room(world)
    for step, fault in enumerate(points("cut", 4)):
        # A request of its own each time: one that was answered would be looked up, and not charged.
        code, out = finished(child(world, f"cut-{step}", fault))
        assert code in (0, 75), out
        check_after(world, f"cut-{step}", out if code == 0 else "")
        if code == 0:
            break
    else:
        raise AssertionError("the child never finished")
    world.ledger.reading.verify()


@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
def test_promise_04_disk_full(world: World) -> None:
    path = Path(world.url.removeprefix("sqlite:///"))
    for number, room in enumerate((0, 1, 2, 4)):
        size = path.stat().st_size
        code, out = finished(child(world, f"full-{number}", f"size:{size - 4096 + 1024 * room}"))
        assert code in (0, 74), out
        check_after(world, f"full-{number}", out if code == 0 else "")
    world.ledger.reading.verify()


@pytest.mark.series(1)
@pytest.mark.parametrize("call", ["posix/io/sync/fsync", "posix/io/sync/fdatasync", "posix/io/rw/pwrite"])
@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
def test_promise_04_failing_device(world: World, call: str) -> None:
    fiu = shutil.which("fiu-run")
    if fiu is None:
        pytest.skip("no fiu-run: install Debian's fiu-utils")
    for number, chance in enumerate((0.2, 0.5, 1)):
        name = f"fiu-{number}"
        code, out = finished(
            child(world, name, "none", fiu, "-x", "-c", f"enable_random name={call},probability={chance}")
        )
        assert code in (0, 74, 75, 5, 70, 1, 120), out
        check_after(world, name, out if code == 0 else "")
    world.ledger.reading.verify()


@pytest.mark.slow
def test_promise_03_no_overspend_under_32_processes(world: World) -> None:
    """Room for six charges of ann's: six of 32 processes get one."""
    processes = [child(world, f"crowd-{number}", "none") for number in range(32)]
    outcomes = [finished(process) for process in processes]
    FAULTS.injected += len(processes)
    granted = sum(code == 0 for code, _ in outcomes)
    assert {code for code, _ in outcomes} == {0, 3}
    assert granted == 6
    assert world.spent() == 6
    caps = world.ledger.reading.account("people").caps
    assert all(cap.cap is None or cap.spent <= cap.cap for cap in caps)
    assert sum(cap.spent for cap in caps if cap.scope == "population") == 6 * rules.UNIT
    world.ledger.reading.verify()


@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
def test_a_witness_that_cannot_be_written_stops_the_run_and_loses_no_charge(world: World) -> None:
    head = next((Path(os.environ["STARLING_HOME"]) / "heads").iterdir())
    kept = head.read_bytes()
    head.unlink()
    head.mkdir()
    code, out = finished(child(world, "blind", "none"))
    assert (code, out) == (74, "refused OutputError")
    head.rmdir()
    head.write_bytes(kept)
    check_after(world, "blind", "")
    world.ledger.reading.verify()
