"""Workers begin and end with their server, and are started anew when they die."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from starling.server.home import Home
from starling.worker.sources import Sources, source_of
from tests.groups.worlds import write_world

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


def worker_of(server: "subprocess.Popen[str]") -> int:
    """The process of the one worker."""
    tasks = Path(f"/proc/{server.pid}/task").glob("*/children")
    (worker,) = [int(child) for task in tasks for child in task.read_text().split()]
    assert b"worker" in Path(f"/proc/{worker}/cmdline").read_bytes()
    return worker


def ended(process: int) -> None:
    """Wait until a process is no more."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return
    assert select.select([handle], [], [], 60)[0], "it lives on"
    os.close(handle)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_that_dies_is_started_anew_and_ends_with_the_server(server: "subprocess.Popen[str]", end: int) -> None:
    heard(server, "looked at")
    first = worker_of(server)
    os.kill(first, signal.SIGKILL)
    heard(server, "looked at")
    second = worker_of(server)
    assert first != second
    server.send_signal(end)
    ended(second)


def test_a_worker_has_the_paths_and_the_web_process_none(server: "subprocess.Popen[str]") -> None:
    heard(server, "looked at")
    worker = worker_of(server)
    names = ("/_duckdb.", "/pyarrow/")
    of_worker, of_web = (Path(f"/proc/{process}/maps").read_text() for process in (worker, server.pid))
    assert all(name in of_worker for name in names)
    assert not [name for name in names if name in of_web]
    for handle in Path(f"/proc/{server.pid}/fd").iterdir():
        assert "records" not in str(handle.readlink())
        assert "/worker/" not in str(handle.readlink())
