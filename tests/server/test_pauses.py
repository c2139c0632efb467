"""No job runs while a home is copied, and who copies waits for the jobs that run."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from starling.server.pauses import paused, working


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "worker").mkdir()
    return tmp_path


@pytest.fixture
def threads() -> Iterator[list[threading.Thread]]:
    """Threads that a test started; all end."""
    started: list[threading.Thread] = []
    yield started
    for each in started:
        each.join()


def test_jobs_run_side_by_side(folder: Path) -> None:
    with working(folder), working(folder):
        assert (folder / "worker" / "jobs.lock").exists()


def test_a_copy_waits_for_a_job_and_the_next_job_for_the_copy(folder: Path, threads: list[threading.Thread]) -> None:
    order: list[str] = []
    copying, let_go = threading.Event(), threading.Event()

    def copy() -> None:
        with paused(folder):
            order.append("copy")
            copying.set()
            let_go.wait()
            order.append("copied")

    def job() -> None:
        copying.wait()
        with working(folder):
            order.append("next job")

    with ExitStack() as running:
        running.enter_context(working(folder))
        threads += [threading.Thread(target=copy), threading.Thread(target=job)]
        for each in threads:
            each.start()
        order.append("job done")
    copying.wait()
    let_go.set()
    for each in threads:
        each.join()
    assert order == ["job done", "copy", "copied", "next job"]


def test_a_copy_that_failed_holds_nobody(folder: Path) -> None:
    with pytest.raises(RuntimeError), paused(folder):
        raise RuntimeError
    with working(folder):
        pass
    with paused(folder):
        assert (folder / "worker" / "gate.lock").exists()
