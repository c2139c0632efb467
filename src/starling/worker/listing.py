"""What there is to do in a home, for its custodian: every charge without an answer, whether it waits, runs or is parked, and why."""

from contextlib import closing
from dataclasses import dataclass
from typing import Literal, TypeAlias

from starling.errors import ParameterError
from starling.ledger.opening import read_ledger
from starling.ledger.reading import Charge
from starling.server.home import Home
from starling.worker.attempts import Attempt, Attempts

State: TypeAlias = Literal["waiting", "running", "parked"]


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
    with closing(read_ledger(home.settings.ledger)) as ledger:
        charges = [charge for charge in ledger.reading.open_charges(0) if charge.by == key]
    return [_job(attempts, charge) for charge in charges]


def _job(attempts: Attempts, charge: Charge) -> Job:
    attempt = attempts.find(charge.seq)
    state: State = "parked" if attempt.parked else "running" if attempts.is_running(charge.seq) else "waiting"
    return Job(charge, state, attempt)


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
