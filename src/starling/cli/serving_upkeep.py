"""`starling server jobs`, `backup` and `restore`: what custodians look at while it serves, a copy of a home, and a home made of a copy."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from starling.cli import options
from starling.cli.commands import Result, command
from starling.cli.progress import working
from starling.errors import ParameterError
from starling.release.session import attributes

if TYPE_CHECKING:
    from starling.server.home import Home
    from starling.worker.attempts import Job

EVERY = "all"


@command("jobs", example="starling server jobs home\nstarling server jobs home --again 7")
@options.home
@click.option(
    "--again",
    "retried",
    metavar="RELEASE",
    help=f"Let workers try this release again, once its cause is mended; {EVERY} for each.",
)
def jobs(home: "Home", *, retried: str | None) -> Result:
    """List releases that were charged and have no answer: waiting, running or parked, and why. For the custodian alone.

    A release that failed three times is parked: its charge stands, and no worker takes it up. Trying it again costs nothing, and what was
    drawn for it stays the one draw.
    """
    from starling.worker.attempts import list_jobs, set_free

    if retried is not None:
        if retried != EVERY and not retried.isdecimal():
            raise ParameterError("--again", "is no number of a release", f"give one that is listed, or {EVERY}")
        freed = set_free(home, None if retried == EVERY else int(retried))
        return Result(lambda: f"tried again: {', '.join(map(str, freed)) or 'none'}", lambda: {"again": freed})
    listed = list_jobs(home)
    charge = ("seq=charge.seq", "dataset=charge.dataset", "analyst=charge.analyst", "request_id=charge.request_id")
    names = (*charge, "state", "failures=attempt.failures", "why=attempt.why")
    return Result(
        lambda: "\n".join(_line(job, home.folder) for job in listed) or "nothing waits",
        lambda: [attributes(job, *names) for job in listed],
    )


def _line(job: "Job", folder: Path) -> str:
    charge, attempt = job.charge, job.attempt
    line = f"{charge.seq}  {job.state}  {charge.dataset}  {charge.analyst}"
    if attempt.why:
        line += f"  {attempt.why}"
    if job.state == "parked":
        line += f"; when that is mended: starling server jobs {folder} --again {charge.seq}"
    return line


@command("backup", example="starling server backup home copy")
@options.home
@click.argument("folder", type=options.PATH)
def backup(home: "Home", folder: Path) -> Result:
    """Copy a home with its ledger into a new FOLDER, while it serves. As confidential as the home.

    Keep the head that it prints somewhere else: with it, `starling ledger verify --head` tells whether a ledger is older.
    """
    from starling.server.backup import back_up

    head = back_up(home, folder)
    head_text = f"{head.seq}:{head.hash}"
    return Result(lambda: f"copied into {folder}\nhead {head_text}", lambda: {"folder": str(folder), "head": head_text})


@command("restore", example="starling server restore copy home")
@click.argument("folder", type=options.PATH)
@click.argument("home", type=options.PATH)
@click.option(
    "--ledger", metavar="URL", help="The ledger, where it was restored already; without it the one in FOLDER."
)
def restore(folder: Path, home: Path, *, ledger: str | None) -> Result:
    """Make a new HOME of a copy, and check its ledger as a whole.

    A ledger that is older than a head that was witnessed is refused: charges made since are spent, and would be forgotten. The sandbox is
    made anew, from plans and public files.
    """
    from starling.cli.serving_data import tell_missing
    from starling.server.backup import restore as run
    from starling.worker.standing_in import fill_sandbox

    restored, head = run(folder, home, ledger=ledger)
    working("inventing records for the sandbox")
    for each in fill_sandbox(restored)[1]:
        tell_missing(each)
    head_text = f"{head.seq}:{head.hash}"
    body = {"home": str(home), "ledger": restored.settings.ledger, "head": head_text}
    click.echo(
        "starling: see whether the ledger is the newest before it serves: compare its head with one kept elsewhere;"
        " never serve both homes; revoke again what was revoked since the copy",
        err=True,
    )
    return Result(lambda: f"made {home}\nits ledger: {restored.settings.ledger}\nhead {head_text}", lambda: body)
