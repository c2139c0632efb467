"""Workers that a server starts beside itself: processes of their own, started anew when they die, ended when the server ends.

The server imports nothing of them. A worker hears by the end of its standard input that its server ends, or was killed.
"""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PAUSE: Final = 1.0
"""Seconds until a worker that died is started anew."""
GRACE: Final = 5.0
"""Seconds that a worker has to end; what it was doing is taken up by the next one."""
_COMMAND: Final = (sys.executable, "-c", "from starling.cli import main; main()", "worker", "--until-end-of-input")


class _Kept:
    """One worker that is kept running.

    Args:
        home: The folder of the home.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._changing = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name="keeper of a worker", daemon=True)
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
                [*_COMMAND, str(self._home)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
            return self._process

    def stop(self) -> None:
        """End it, and wait for its end."""
        with self._changing:
            self._stopping.set()
            process = self._process
        if process is not None:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
        self._keeper.join()


@contextmanager
def kept_running(home: Path, number: int) -> Iterator[None]:
    """So many workers of a home while the block runs."""
    workers = [_Kept(home) for _ in range(number)]
    try:
        yield
    finally:
        for worker in workers:
            worker.stop()
