"""When a worker is told to stop: by SIGTERM, by Ctrl-C, or by the end of the process that started it."""

import os
import signal
import threading
from typing import Final

_INPUT: Final = 0
"""Standard input."""


def stop_event(*, by_input: bool) -> threading.Event:
    """An event that is set when this process is told to stop; called in its main thread.

    Args:
        by_input: Whether it also is when standard input ends, as it does when who started the process is gone.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())

    def listen() -> None:
        # Not by the buffered reader, whose lock a thread that waits would hold when the process ends.
        while os.read(_INPUT, 4096):
            continue
        stop.set()

    if by_input:
        threading.Thread(target=listen, name="end of input", daemon=True).start()
    return stop
