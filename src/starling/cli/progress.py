"""What a run is doing, on stderr and in a terminal only: the public steps of the road, never anything that counts records.

A step's name and its end are public: which steps there are is a function of the plan. How far a step has come in the records is not
shown, since that would tell how many there are.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

NOTE: Final = "Compiling the counting and noise kernels for this machine, once; the next run starts at once."

Domain: TypeAlias = Literal["tables", "genome"]

KERNELS: Final[dict[Domain, tuple[str, ...]]] = {
    "tables": ("privacy", "tables/counts"),
    "genome": ("genome/counts",),
}
"""Folders of the package whose kernels every run of a domain compiles."""


class Steps:
    """Told each step as it begins; shows it where there is a terminal.

    Args:
        console: The terminal, and the line in it that moves; None without one.
    """

    def __init__(self, console: "tuple[Console, Status] | None" = None) -> None:
        self._console = console
        self._begun = ""

    def __call__(self, step: str) -> None:
        """A step begins, and the one before it is done."""
        if self._console is not None:
            self.done()
            self._begun = step
            self._console[1].update(step)

    def done(self) -> None:
        """The last step that began is done."""
        if self._console is not None and self._begun:
            self._console[0].print(f"  [green]✓[/green] {self._begun}")
            self._begun = ""

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While the block runs nothing moves, so that somebody can be asked."""
        if self._console is None:
            yield
            return
        self._console[1].stop()
        try:
            yield
        finally:
            self._console[1].start()


@contextmanager
def steps() -> Iterator[Steps]:
    """What is to be told each step as it begins; shows them where stderr is a terminal."""
    if not sys.stderr.isatty():
        yield Steps()
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    with console.status("") as status:
        step = Steps((console, status))
        yield step
        step.done()


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
