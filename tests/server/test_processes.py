"""Web processes and workers begin and end with their server, and are started anew when they die."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from starling.cli.server import NICE
from starling.server.home import Home
from starling.worker.sources import Sources, source_of
from tests.groups.worlds import write_world
from tests.server.conftest import child_of

pytestmark = pytest.mark.slow

STARLING = [sys.executable, "-c", "from starling.cli import main; main()"]


@pytest.fixture
def server(served: Home, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A running server of a home with registered data."""
    source = source_of("groups", str(tmp_path / "plan.toml"), {"records": write_world(tmp_path)})
    Sources(served).register("data", source, deadline=8)
    file = served.folder / "server.toml"
    file.write_text(file.read_text().replace("port = 8470", "port = 0"))
    process = subprocess.Popen(
        [*STARLING, "serve", str(served.folder)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    yield process
    process.kill()
    process.communicate()


def heard(server: "subprocess.Popen[str]", words: str) -> None:
    """Wait until the server or its worker says so."""
    assert server.stderr is not None
    for line in server.stderr:
        if words in line:
            return
    pytest.fail(f"{words} was not said")


def ended(process: int) -> None:
    """Wait until a process is no more."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return
    assert select.select([handle], [], [], 60)[0], "it lives on"
    os.close(handle)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_processes_that_die_are_started_anew_and_end_with_the_server(server: "subprocess.Popen[str]", end: int) -> None:
    assert server.stderr is not None
    url = server.stderr.readline().split()[-1]
    heard(server, "looked at")
    worker, web = (child_of(server.pid, word) for word in ("worker", "web"))
    assert httpx.get(f"{url}/healthz", timeout=60).status_code == 200
    check_paths(server.pid, worker, web)
    check_priorities(worker, web)
    os.kill(worker, signal.SIGKILL)
    heard(server, "looked at")
    os.kill(web, signal.SIGKILL)
    # Connections wait in the socket, which the server itself holds open.
    assert httpx.get(f"{url}/healthz", timeout=60).status_code == 200
    second = {child_of(server.pid, word) for word in ("worker", "web")}
    assert not second & {worker, web}
    server.send_signal(end)
    for process in second:
        ended(process)


def check_paths(server: int, worker: int, web: int) -> None:
    """The worker has the paths of records and what reads them; the web process and the server have none."""
    names = ("/_duckdb.", "/pyarrow/")
    # DuckDB is in the children that the worker starts for each job.
    assert "/pyarrow/" in Path(f"/proc/{worker}/maps").read_text()
    for process in (server, web):
        assert not [name for name in names if name in Path(f"/proc/{process}/maps").read_text()]
        for handle in Path(f"/proc/{process}/fd").iterdir():
            assert "records" not in str(handle.readlink())
            assert "/worker/" not in str(handle.readlink())


def check_priorities(worker: int, web: int) -> None:
    """The worker leaves the processor to what answers requests."""
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert [os.getpriority(os.PRIO_PROCESS, each) for each in (worker, web)] == [max(NICE, own), own]
