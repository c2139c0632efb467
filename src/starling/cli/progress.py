"""What a run is doing, on stderr: its public steps, never anything that counts records. No command is silent while it works.

A step's name and its end are public: which steps there are is a function of the plan. How far a step has come in the records is not
shown, since that would reveal how many there are.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

MARK: Final = "... "
"""Before what a command is doing, on stderr: findings begin with `starling: `."""
CACHED: Final = "compiling what this command computes with, for this machine; later runs find it compiled"
NOT_CACHED: Final = "compiling what this command computes with, as in every run: no folder is safe to keep it in"


def working(step: str) -> None:
    """Say what a command begins to do, if that may take long."""
    click.echo(f"{MARK}{step}", err=True)


def note_compilation(cached: bool) -> None:
    """Say that kernels are being compiled, and whether the next run will do it again."""
    working(CACHED if cached else NOT_CACHED)


class Steps:
    """Prints each step as it begins, and ticks it off where there is a terminal.

    Args:
        console: The terminal, and the line in it that moves; None without one.
    """

    def __init__(self, console: "tuple[Console, Status] | None" = None) -> None:
        self._console = console
        self._begun = ""

    def __call__(self, step: str) -> None:
        """A step begins, and the one before it is done."""
        if self._console is None:
            working(step)
            return
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
        """While the block runs nothing moves, so that a question can be asked."""
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
    """What is called with each step as it begins; in a terminal the steps are ticked off."""
    if not sys.stderr.isatty():
        yield Steps()
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    with console.status("") as status:
        step = Steps((console, status))
        yield step
        step.done()


@contextmanager
def until_deadline() -> Iterator[Callable[[str, float], None]]:
    """What is called with what is awaited, and the seconds until its deadline: in a terminal a bar moves towards that.

    It shows public deadlines and the clock, and never how far a run is.
    """
    if not sys.stderr.isatty():
        last: list[str] = []

        def say(step: str, _: float) -> None:
            if last[-1:] != [step]:
                working(step)
                last.append(step)

        yield say
        return
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.progress_bar import ProgressBar

    class Clock(ProgressColumn):
        """The time that has passed, as a part of that until the deadline."""

        def render(self, task: Task) -> ProgressBar:
            whole = task.total or 1.0
            return ProgressBar(total=whole, completed=min(task.elapsed or 0.0, whole), width=30)

    columns = TextColumn("{task.description}"), Clock(), TimeElapsedColumn()
    bar = Progress(*columns, console=Console(stderr=True, highlight=False), transient=True)

    def show(step: str, seconds: float) -> None:
        if not bar.tasks:
            # Not before: a question may be asked first.
            bar.add_task(step, total=seconds)
            bar.start()
            return
        # A deadline that was missed has doubled.
        [task] = bar.tasks
        bar.update(task.id, description=step, total=(task.elapsed or 0.0) + seconds)

    try:
        yield show
    finally:
        bar.stop()
