"""Workers pause while a home is copied: who copies waits for the jobs that run, and no other begins meanwhile.

Two locked files in the folder of the workers. A worker that begins a job passes the gate first, so that one who waits to copy behind the
gate is not passed by ever new jobs. A process that dies lets go of both.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

_GATE: Final = "gate.lock"
_JOBS: Final = "jobs.lock"


@contextmanager
def working(home: Path) -> Iterator[None]:
    """A job of a worker of the home in this folder; waits while the home is copied."""
    with ExitStack() as job:
        with _locked(home / "worker" / _GATE, fcntl.LOCK_SH):
            job.enter_context(_locked(home / "worker" / _JOBS, fcntl.LOCK_SH))
        yield


@contextmanager
def paused(home: Path) -> Iterator[None]:
    """No job runs in the block; waits for those that do."""
    with _locked(home / "worker" / _GATE, fcntl.LOCK_EX), _locked(home / "worker" / _JOBS, fcntl.LOCK_EX):
        yield


@contextmanager
def _locked(path: Path, how: int) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
