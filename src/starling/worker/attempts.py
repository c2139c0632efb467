"""What became of the attempts at each job: how often one failed, why, and whether it is parked; kept for all workers of a home.

A job that fails three times is parked: its charge stands, no worker takes it up, and its custodian is told why. When the cause is mended,
the custodian, who sees every charge without an answer, sets it free. A refusal, such as of files that are not accepted, is no failure:
nothing was begun, and it is tried again.

It lies in the worker's folder, which the web process cannot open: an analyst is told of none of it.
"""

import fcntl
import json
import os
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from starling.errors import ParameterError
from starling.ledger.reading import Charge
from starling.planfile.foreign import content
from starling.server.files import write
from starling.server.home import Home

State: TypeAlias = Literal["waiting", "running", "parked"]

FAILURES_UNTIL_PARKED: Final = 3
"""Failures after which a job is parked."""
MOST_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of a job so far: how many attempts failed since it was last set free, and why the last one ended, if any did."""

    failures: int = 0
    why: str = ""

    @property
    def parked(self) -> bool:
        """Whether no worker takes it up."""
        return self.failures >= FAILURES_UNTIL_PARKED


class Attempts:
    """The attempts of a home, in a folder of workers alone; it is made with the first failure."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, seq: int) -> Attempt:
        """What became of the job of a charge."""
        path = self._path(seq)
        if not path.exists():
            return Attempt()
        try:
            values: Any = json.loads(content(path, MOST_BYTES))
            return Attempt(int(values["failures"]), str(values["why"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            # It keeps no other job waiting.
            return Attempt(FAILURES_UNTIL_PARKED, "what is kept of its attempts is not as Starling writes it")

    def failed(self, seq: int, why: str) -> Attempt:
        """An attempt failed, for this reason; what is known then."""
        before = self.find(seq)
        return self._keep(seq, replace(before, failures=before.failures + 1, why=why))

    def refused(self, seq: int, why: str) -> None:
        """An attempt was refused, for this reason."""
        before = self.find(seq)
        if before.why != why:
            self._keep(seq, replace(before, why=why))

    def forget(self, seq: int) -> None:
        """The job is done, or set free."""
        self._path(seq).unlink(missing_ok=True)

    def is_running(self, seq: int) -> bool:
        """Whether a worker of this machine is at the job."""
        try:
            descriptor = os.open(self._lock(seq), os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            return not _locked(descriptor)
        finally:
            os.close(descriptor)

    def begin(self, seq: int) -> int | None:
        """Mark the job as running, as long as this process lives: an open file, for `end`; None where another worker is at it."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(self._lock(seq), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if _locked(descriptor):
            return descriptor
        os.close(descriptor)
        return None

    def end(self, seq: int, descriptor: int) -> None:
        """The job runs no more."""
        self._lock(seq).unlink(missing_ok=True)
        os.close(descriptor)

    def _keep(self, seq: int, attempt: Attempt) -> Attempt:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        write(self._path(seq), json.dumps(asdict(attempt)))
        return attempt

    def _path(self, seq: int) -> Path:
        return self._folder / f"{seq}.json"

    def _lock(self, seq: int) -> Path:
        return self._folder / f"{seq}.lock"


def _locked(descriptor: int) -> bool:
    """Whether the lock of an open file could be taken."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Job:
    """A charge without an answer, whether it waits, runs or is parked, and what became of it so far."""

    charge: Charge
    state: State
    attempt: Attempt


def attempts_of(home: Home) -> Attempts:
    """The attempts of a home."""
    return Attempts(home.folder / "worker" / "jobs")


def list_jobs(home: Home) -> list[Job]:
    """The jobs of a home, in the order of their charges; raises as `read_ledger`."""
    attempts, key = attempts_of(home), home.key.public.text
    with closing(home.read_ledger()) as ledger:
        charges = [charge for charge in ledger.reading.open_charges(0) if charge.by == key]
    jobs = []
    for charge in charges:
        attempt = attempts.find(charge.seq)
        state: State = "parked" if attempt.parked else "running" if attempts.is_running(charge.seq) else "waiting"
        jobs.append(Job(charge, state, attempt))
    return jobs


def set_free(home: Home, seq: int | None) -> list[int]:
    """Let workers try jobs again: that of the charge `seq`, or without it all that failed or were refused; the events of their charges.
    Raises ParameterError where there is no such job.
    """
    jobs = [job.charge.seq for job in list_jobs(home) if job.attempt != Attempt() and seq in (None, job.charge.seq)]
    if seq is not None and not jobs:
        raise ParameterError("--again", "is no release that failed", "see which there are: starling server jobs HOME")
    for each in jobs:
        attempts_of(home).forget(each)
    return jobs
