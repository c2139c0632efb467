"""`starling warm`: everything that is compiled for this machine is compiled now, so that no later run waits for it.

Each domain's part of the demo is run in a folder that is thrown away, and then plans of every other kind: nothing is asked, charged or
read that is anybody's. What is compiled is kept where `privacy.compiled` keeps it.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from starling.cli.commands import Result, command

PERSONS: Final = 2000
"""Invented for the tables: what is compiled does not depend on how many there are."""
DOMAINS: Final = ("tables", "genome", "groups", "places")


@command("warm", example="starling warm")
@click.argument("domains", nargs=-1, type=click.Choice(DOMAINS))
def warm(*, domains: tuple[str, ...]) -> Result:
    """Compile what commands compute with, for this machine, so that no later run waits for it. About two minutes, once.

    DOMAINS are all without it. It works through the demo, and small plans of each kind, in a folder that is thrown away.
    """
    from starling.cli.progress import working
    from starling.cli.warming import FIRST_RUNS

    chosen = domains or DOMAINS
    for name in chosen:
        working(f"compiling what {name} compute with")
        compile_demo((name,))
        with TemporaryDirectory() as folder:
            FIRST_RUNS[name](Path(folder))
    return Result(lambda: f"compiled for {', '.join(chosen)}", lambda: {"domains": [*chosen]})


def compile_demo(domains: Sequence[str]) -> None:
    """Work through chapters of the demo, which compiles most of it."""
    from starling.cli.demo import chapters

    with TemporaryDirectory() as folder:
        for name in domains:
            chapters(PERSONS)[name][1](Path(folder) / name, lambda _: None)
