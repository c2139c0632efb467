"""`starling demo`: invented people, what is published about them in front of the user's eyes, and the truth beside it."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from starling.cli import options
from starling.cli.commands import Result, as_json, command
from starling.cli.demo.chapter import Chapter
from starling.engine.machine import processors
from starling.errors import OutputError
from starling.privacy.compiling import heard_by

PERSONS: Final = 1_000_000
COMPILED_BESIDE: Final = ("groups", "places")
"""Chapters whose kernels a second process compiles meanwhile, in their order: they are half of what is compiled."""


@command("demo", example="starling demo")
@click.option(
    "--out",
    type=options.PATH,
    default=Path("starling-demo"),
    show_default=True,
    metavar="DIR",
    help="A new folder for all that is made.",
)
@options.number("--persons", default=PERSONS, help="How many to invent.")
def demo(out: Path, *, persons: int) -> Result:
    """Invent people, publish about them under differential privacy, and show what the noise did. About a minute.

    First a nation and its tables, then a case-control study and what a researcher finds in it, then real flights per aircraft, at last
    the airports of the world on a map.
    """
    from starling.cli.demo import airports, flights, study
    from starling.cli.progress import steps

    study.check()
    flights.data()
    airports.data()
    new_folder(out)
    shown: dict[str, Result] = {}
    following: list[str] = []
    with compiling_beside(), steps() as step:
        for number, (name, (title, chapter)) in enumerate(chapters(persons).items(), start=1):
            shown[name], then = chapter(out / name, step)
            following += [line.replace("starling", program(), 1) for line in then]
            if not as_json():
                step.done()
                with step.paused():
                    click.echo(f"{number}. {title}\n\n{shown[name].text()}\n\n")
    return Result(
        lambda: "Try next:\n" + "\n".join(following),
        lambda: {"folder": str(out), **{name: each.json() for name, each in shown.items()}, "next": following},
    )


@contextmanager
def compiling_beside() -> Iterator[None]:
    """While this lasts, and from the first kernel on that is compiled and kept, a second process compiles for the last chapters.

    Where all is compiled already, nothing is kept, or there is one processor, there is none.
    """
    line = [sys.executable, "-c", "import sys; from starling.cli.warm import compile_demo; compile_demo(sys.argv[1:])"]
    none = subprocess.DEVNULL
    started: list[subprocess.Popen[bytes]] = []
    # Its folders lie in one of ours, so that it can be ended at any time.
    with TemporaryDirectory() as folder:

        def start(is_cached: bool) -> None:
            if is_cached and processors() > 1:
                surroundings = {**os.environ, "TMPDIR": folder}
                process = subprocess.Popen(
                    [*line, *COMPILED_BESIDE], env=surroundings, stdin=none, stdout=none, stderr=none
                )
                started.append(process)

        try:
            with heard_by(start):
                yield
        finally:
            for process in started:
                process.kill()
                process.wait()


def chapters(persons: int) -> dict[str, tuple[str, Callable[[Path, Callable[[str], None]], Chapter]]]:
    """The title of each chapter, and what writes it into a folder and names each step, by the domain; so many persons are invented."""
    from starling.cli.demo import airports, flights, nation, study

    return {
        "tables": ("A nation, published", lambda folder, step: nation.chapter(folder, persons, step)),
        "genome": ("A study, explored", study.chapter),
        "groups": ("Flights, counted", flights.chapter),
        "places": ("Airports, mapped", airports.chapter),
    }


def program() -> str:
    """How the user calls this program: by its path, as they wrote it, where the shell does not find it by its name."""
    path = Path(sys.argv[0])
    named = shutil.which("starling") is not None or path.name != "starling"
    return "starling" if named else shlex.quote(str(path))


def new_folder(out: Path) -> None:
    """Make the folder of a demo; raises OutputError where it is there, or cannot be made."""
    try:
        out.mkdir()
    except OSError as error:
        raise OutputError(
            str(out),
            f"cannot be made ({error.strerror})",
            "name a new folder with --out, in a place that you may write",
        ) from None
