"""Processes that a server keeps running: web processes and workers, started anew when they die, ended when the server ends.

Each hears by the end of its standard input that its server ends, or was killed.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

GRACE: Final = 10
"""Seconds that requests have to end, once a web process is told to stop."""
PAUSE: Final = 1.0
"""Seconds until a process that died is started anew."""
_INPUT: Final = 0
"""Standard input."""
_COMMAND: Final = (sys.executable, "-c", "from starling.cli import main; main()")


def at_end_of_input(act: Callable[[], None]) -> None:
    """Call something, in a thread, once the standard input of this process ends: with the process that started it."""

    def listen() -> None:
        # Not by the buffered reader, whose lock a thread that waits would hold when the process ends.
        while os.read(_INPUT, 4096):
            continue
        act()

    threading.Thread(target=listen, name="end of input", daemon=True).start()


@dataclass(frozen=True, slots=True)
class Kind:
    """What is kept running.

    Attributes:
        words: The words of its command.
        grace: Seconds that it has to end, before it is killed.
        handles: Open files that it is given.
        umask: Which rights the files that it makes do not give; None for those of the user who started the server.
    """

    words: Sequence[str]
    grace: float
    handles: Sequence[int] = ()
    umask: int | None = None


class _Supervised:
    """One process that is kept running."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._changing = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="keeper of a process", daemon=True)
        self._keeper.start()

    def _keep(self) -> None:
        while (process := self._started()) is not None:
            process.wait()
            self._stopping.wait(PAUSE)

    def _started(self) -> "subprocess.Popen[bytes] | None":
        with self._changing:
            if self._stopping.is_set():
                return None
            self._process = subprocess.Popen(
                [*_COMMAND, *self._kind.words],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=self._kind.handles,
                umask=-1 if self._kind.umask is None else self._kind.umask,
            )
            return self._process

    def stop(self) -> None:
        """Tell it to end."""
        with self._changing:
            self._stopping.set()
            if self._process is not None:
                assert self._process.stdin is not None
                self._process.stdin.close()

    def end(self) -> None:
        """Wait for its end, once it was told."""
        if self._process is not None:
            try:
                self._process.wait(self._kind.grace)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._keeper.join()


@contextmanager
def supervised(kinds: Sequence[Kind]) -> Iterator[None]:
    """These processes while the block runs."""
    processes = [_Supervised(kind) for kind in kinds]
    try:
        yield
    finally:
        for each in processes:
            each.stop()
        for each in processes:
            each.end()
