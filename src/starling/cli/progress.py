"""What a run is doing, on stderr and in a terminal only: the public steps of the road, never anything that counts records.

A step's name and its end are public: which steps there are is a function of the plan. How far a step has come in the records is not
shown, since that would tell how many there are.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, TypeAlias

import click

NOTE: Final = "Compiling the counting and noise kernels for this machine, once; the next run starts at once."

Domain: TypeAlias = Literal["tables", "genome"]

KERNELS: Final[dict[Domain, tuple[str, ...]]] = {
    "tables": ("privacy", "tables/counts"),
    "genome": ("genome/counts",),
}
"""Folders of the package whose kernels every run of a domain compiles."""


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """A function to be told each step as it begins; shows them where stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    begun: list[str] = []

    def done() -> None:
        if begun:
            console.print(f"  [green]✓[/green] {begun[-1]}")

    with console.status("") as status:

        def begin(step: str) -> None:
            done()
            begun.append(step)
            status.update(step)

        yield begin
        done()


def note_first_compilation(domain: Domain) -> None:
    """Say on stderr that kernels will be compiled, when no compiled one is found beside the package or in Numba's cache."""
    if not compiled(domain):
        click.echo(NOTE, err=True)


def compiled(domain: Domain) -> bool:
    """Whether Numba has kept kernels of each of the domain's folders."""
    import starling

    told = os.environ.get("NUMBA_CACHE_DIR")
    if told:
        return any(Path(told).rglob("*.nbi"))
    package = Path(starling.__file__).parent
    # Beside the source or, where that cannot be written, in the user's cache.
    beside = all(any((package / folder).rglob("*.nbi")) for folder in KERNELS[domain])
    return beside or any((Path.home() / ".cache" / "numba").rglob("*.nbi"))
