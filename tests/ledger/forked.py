"""Running child.py in a fork of the test's own process, which has imported everything: a third of a second less for each."""

import os
import sys
import traceback
from typing import Never

from tests.ledger.child import main


class Forked:
    """As much of subprocess.Popen as the tests use."""

    returncode: int

    def __init__(self, *words: str) -> None:
        self._out, out = os.pipe()
        self._err, err = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            _be(words, out, err)
        # Only the child writes: its end is the end of the pipe.
        os.close(out)
        os.close(err)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """What it wrote, once it has ended. Its writes are shorter than a pipe holds."""
        del timeout
        _, status = os.waitpid(self._pid, 0)
        self.returncode = os.waitstatus_to_exitcode(status)
        with os.fdopen(self._out) as out, os.fdopen(self._err) as err:
            return out.read(), err.read()


def _be(words: tuple[str, ...], out: int, err: int) -> Never:
    """The child: never returns into the test."""
    code = 1
    try:
        sys.stdout, sys.stderr = os.fdopen(out, "w"), os.fdopen(err, "w")
        code = main(*words)
    except BaseException:  # noqa: BLE001 - shown to the test, which refuses any
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
