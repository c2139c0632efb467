"""A running server has a worker for its sandbox beside the others, started anew where it is killed; its web process invents nothing."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from starling.client import Client
from starling.ledger.opening import create_ledger
from starling.server import running
from starling.server.home import Home, make_home
from starling.server.processes import Kind
from starling.worker.sources import Sources, source_of
from starling.worker.standing_in import stand_in
from tests.groups.worlds import write_world
from tests.server.conftest import child_of

STARLING = [sys.executable, "-c", "from starling.cli import main; main()"]


@pytest.fixture
def served(tmp_path: Path) -> Home:
    """A home with groups and their twin."""
    home = make_home(tmp_path / "served")
    settings = home.folder / "server.toml"
    settings.write_text(settings.read_text().replace("port = 8470", "port = 0"))
    create_ledger(home.settings.ledger).close()
    source = source_of("groups", str(tmp_path / "plan.toml"), {"records": write_world(tmp_path)})
    Sources(home).register("data", source, deadline=60)
    assert stand_in(home, "data") is None
    return home


@pytest.fixture
def server(served: Home) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The process of its server, and its URL."""
    with subprocess.Popen([*STARLING, "serve", str(served.folder)], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "listening on" in line, line
        yield process, line.split()[-1]
        process.kill()


@pytest.mark.slow
def test_a_killed_worker_of_the_sandbox_is_started_anew(
    served: Home, server: tuple["subprocess.Popen[str]", str], tmp_path: Path
) -> None:
    process, url = server
    served.access.add_user("ada", "analyst")
    token, _ = served.access.issue("ada", days=1)
    os.kill(child_of(process.pid, str(served.folder / "sandbox")), signal.SIGKILL)
    with Client(f"{url}/sandbox", token) as client:
        client.release("data", tmp_path / "tried.zip")
    mapped = Path(f"/proc/{child_of(process.pid, 'web')}/maps").read_text()
    assert not [name for name in ("/_duckdb.", "/numba/", "/llvmlite/", "/pyarrow/", "invented") if name in mapped]
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 0


@pytest.mark.series(2)
@pytest.mark.parametrize(("workers", "home_s", "sandbox_s"), [(0, 0, 0), (1, 1, 1), (3, 3, 1)])
def test_there_is_one_worker_of_the_sandbox_where_there_is_any(
    served: Home, monkeypatch: pytest.MonkeyPatch, workers: int, home_s: int, sandbox_s: int
) -> None:
    started: list[Kind] = []

    def supervised(kinds: list[Kind]) -> "closing[Nothing]":
        started.extend(kinds)
        return closing(Nothing())

    monkeypatch.setattr(running, "supervised", supervised)
    monkeypatch.setattr(running, "_wait", lambda _: None)
    running.serve(served, lambda _: None, workers=workers)
    folders = [each.words[-1] for each in started if each.words[0] == "worker"]
    assert folders.count(str(served.folder)) == home_s
    assert folders.count(str(served.folder / "sandbox")) == sandbox_s
    assert len(folders) == home_s + sandbox_s


class Nothing:
    def close(self) -> None:
        return
