"""`starling server backup` and `restore`: a copy of a home while it serves, and a home made of a copy."""

from pathlib import Path

import click

from starling.cli.commands import Result, command
from starling.cli.options import PATH
from starling.cli.progress import working


@command("backup", example="starling server backup home copy")
@click.argument("home", type=PATH)
@click.argument("folder", type=PATH)
def backup(home: Path, folder: Path) -> Result:
    """Copy a home with its ledger into a new FOLDER, while it serves. As confidential as the home.

    Keep the head that it prints somewhere else: with it, `starling ledger verify --head` tells whether a ledger is older.
    """
    from starling.server.backup import back_up
    from starling.server.home import open_home

    head = back_up(open_home(home), folder)
    head_text = f"{head.seq}:{head.hash}"
    return Result(lambda: f"copied into {folder}\nhead {head_text}", lambda: {"folder": str(folder), "head": head_text})


@command("restore", example="starling server restore copy home")
@click.argument("folder", type=PATH)
@click.argument("home", type=PATH)
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
