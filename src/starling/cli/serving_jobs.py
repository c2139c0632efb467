"""`starling server jobs`, for custodians: what workers have to do, and what keeps them from it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starling.cli.commands import Result, command
from starling.cli.options import PATH
from starling.errors import ParameterError
from starling.release.session import attributes

if TYPE_CHECKING:
    from starling.worker.listing import Job

EVERY = "all"


@command("jobs", example="starling server jobs home\nstarling server jobs home --again 7")
@click.argument("home", type=PATH)
@click.option(
    "--again",
    "retried",
    metavar="RELEASE",
    help=f"Let workers try this release again, once its cause is mended; {EVERY} for each.",
)
def jobs(home: Path, *, retried: str | None) -> Result:
    """List releases that were charged and have no answer: waiting, running or parked, and why. For the custodian alone.

    A release that failed three times is parked: its charge stands, and no worker takes it up. Trying it again costs nothing, and what was
    drawn for it stays the one draw.
    """
    from starling.server.home import open_home
    from starling.worker.listing import list_jobs, set_free

    opened = open_home(home)
    if retried is not None:
        if retried != EVERY and not retried.isdecimal():
            raise ParameterError("--again", "is no number of a release", f"give one that is listed, or {EVERY}")
        freed = set_free(opened, None if retried == EVERY else int(retried))
        return Result(lambda: f"tried again: {', '.join(map(str, freed)) or 'none'}", lambda: {"again": freed})
    listed = list_jobs(opened)
    return Result(
        lambda: "\n".join(_line(job, home) for job in listed) or "nothing waits", lambda: list(map(_json, listed))
    )


def _line(job: "Job", home: Path) -> str:
    charge, attempt = job.charge, job.attempt
    line = f"{charge.seq}  {job.state}  {charge.dataset}  {charge.analyst}"
    if attempt.why:
        line += f"  {attempt.why}"
    if job.state == "parked":
        line += f"; when that is mended: starling server jobs {home} --again {charge.seq}"
    return line


def _json(job: "Job") -> dict[str, Any]:
    return {**attributes(job.charge, "seq", "dataset", "analyst", "request_id"), "state": job.state} | attributes(
        job.attempt, "failures", "why"
    )
