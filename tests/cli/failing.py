"""Commands that end in every way there is, for tests of how the root ends them."""

import errno
import os
import signal
import time

import click

from starling import errors
from starling.cli.commands import Command, Group, Root

ENDINGS = {
    "interrupt": KeyboardInterrupt(),
    "fault": ValueError("a value that nobody may see"),
    "memory": MemoryError(),
    "full": OSError(errno.ENOSPC, "No space left on device", "a name that nobody may see"),
    "device": OSError(errno.EIO, "Input/output error"),
    "other": OSError(errno.ENOENT, "No such file or directory"),
}


@click.command(cls=Command, example="starling end fault")
@click.argument("how")
def end(how: str) -> None:
    """Raise."""
    if how == "terminate":
        click.echo("ready")
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
    raise ENDINGS[how] if how in ENDINGS else error_of(how)


@click.command(cls=Command, example="starling well")
@click.option("--colour")
def well(colour: str | None) -> None:
    """Return."""
    click.echo(f"well {colour}")


inner = Group("inner", example="starling inner well", help="Inside.", lazy={"well": "tests.cli.failing:well"})
root = Root(
    "starling",
    example="starling well",
    help="For tests.",
    lazy={name: f"tests.cli.failing:{name}" for name in ("end", "well", "inner")},
)


def error_of(kind: str) -> errors.StarlingError:
    """One of the house's errors."""
    if kind == "RunFailed":
        return errors.RunFailed()
    problems = [errors.Problem(f"field{at}", "is wrong", "correct it", "a.txt", at) for at in range(1, 26)]
    if kind == "RecordsInvalid":
        return errors.RecordsInvalid(problems=problems[:20], more=5)
    made: errors.StarlingError = getattr(errors, kind)(problems=problems)
    return made


if __name__ == "__main__":
    root()
