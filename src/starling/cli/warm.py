"""`starling warm`: everything that is compiled for this machine is compiled now, so that no later run waits for it.

Each domain's part of the demo is run in a folder that is thrown away: nothing is asked, charged or read that is anybody's. What is
compiled is kept where `privacy.compiled` keeps it.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from starling.cli.commands import Result, command
from starling.privacy import compiling

PERSONS: Final = 2000
"""Invented for the tables: what is compiled does not depend on how many there are."""
DOMAINS: Final = ("tables", "genome", "groups", "places")


@command("warm", example="starling warm")
@click.argument("domains", nargs=-1, type=click.Choice(DOMAINS))
def warm(*, domains: tuple[str, ...]) -> Result:
    """Compile what commands compute with, for this machine, so that no later run waits for it. About a minute, once.

    DOMAINS are all without it. It works through the demo in a folder that is thrown away.
    """
    from starling.cli.progress import working

    chosen = domains or DOMAINS
    with TemporaryDirectory() as folder:
        for name in chosen:
            working(f"compiling what {name} compute with")
            _chapters()[name](Path(folder) / name, lambda _: None)
    return Result(lambda: f"compiled for {', '.join(chosen)}", lambda: {"domains": [*chosen]})


def _chapters() -> Mapping[str, Callable[[Path, Callable[[str], None]], object]]:
    from starling.cli.demo import airports, flights, nation, study

    return {
        "tables": lambda folder, step: nation.chapter(folder, PERSONS, step),
        "genome": study.chapter,
        "groups": flights.chapter,
        "places": airports.chapter,
    }


@contextmanager
def warming(*domains: str) -> Iterator[None]:
    """While this lasts, and once this process begins to compile, another one compiles what some domains compute with.

    Where nothing is kept on disk, it does nothing: this process could not use it.
    """
    started: list[subprocess.Popen[bytes]] = []

    def begin(kept: bool) -> None:
        if kept:
            line = [sys.executable, "-c", "from starling.cli import main; main()", "warm", *domains]
            quiet = subprocess.DEVNULL
            started.append(subprocess.Popen(line, stdin=quiet, stdout=quiet, stderr=quiet))

    try:
        with compiling.heard_by(begin):
            yield
    finally:
        for process in started:
            process.terminate()
            process.wait()
