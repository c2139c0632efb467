"""What a test run inherits from whoever starts it, and the tests replace, so that they pass everywhere.

A parent may ignore or block signals (`nohup`, a background job of a script), and every child inherits that: a test that interrupts
a child would wait for one that never ends. A test run in turn hands the default action on to its children.
"""

import os
import signal
import sys
import threading
from typing import Final

GIVEN: Final = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS")
"""Variables by which somebody who looks at a screen changes how programs write."""


def own_signals() -> None:
    """Give every signal that this process ignores an action that its children do not inherit; unblock all.

    A handler becomes the default action in a program that is started. SIGHUP is still survived here: who calls `nohup` leaves.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:  # Python ignores these two itself
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _ACTIONS.get(number, signal.SIG_DFL))
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _survive(number: int, frame: object) -> None:
    """Go on."""


_ACTIONS: Final = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: _survive}


def own_environment() -> None:
    """Files that others may read and nobody else may write, and no wish about screens.

    And compiled modules are kept: tests start hundreds of processes, and each would compile anew whatever it imports.

    And numpy's linear algebra has one thread in each process: where tests have taken every core, a second thread only waits in turns with
    the first, and counts as busy for as long. That must be said before numpy is imported.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.umask(0o022)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    for name in GIVEN:
        os.environ.pop(name, None)
