"""Commands that end in every way there is, for tests of how the root ends them."""

import atexit
import errno
import os
import signal
import time

import click

from starling import errors
from starling.cli.commands import Command, Group, Result, Root, command

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


class Late:
    """Sends a signal when it is taken down, as late as a module's values are."""

    number = 0

    def __del__(self) -> None:
        if self.number:
            os.kill(os.getpid(), self.number)


late = Late()


@command("signalled", example="starling signalled 'while it prints' 2")
@click.argument("where")
@click.argument("number", type=int)
def signalled(where: str, number: int) -> Result:
    """Get a signal at some moment."""

    def now(times: int = 1) -> None:
        for _ in range(times):
            os.kill(os.getpid(), number)
            time.sleep(0.01)

    def text() -> str:
        now(("while it prints", "twice while it prints").index(where) + 1 if where.endswith("while it prints") else 0)
        return "done"

    if where == "while it works":
        now()
    click.get_current_context().find_root().call_on_close(lambda: now(where == "when it has printed"))
    atexit.register(lambda: now(where == "when Python ends"))
    late.number = number if where == "when modules are taken down" else 0
    return Result(text, dict)


inner = Group("inner", example="starling inner well", help="Inside.", lazy={"well": "tests.cli.failing:well"})
root = Root(
    "starling",
    example="starling well",
    help="For tests.",
    lazy={name: f"tests.cli.failing:{name}" for name in ("end", "well", "signalled", "inner")},
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
