"""When a worker is told to stop: by SIGTERM, by Ctrl-C, or by the end of the process that started it."""

import signal
import threading

from starling.server.processes import at_end_of_input


def stop_event(*, by_input: bool) -> threading.Event:
    """An event that is set when this process is told to stop; called in its main thread. `by_input`: also when standard input ends, with
    the process that started this one.
    """
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if by_input:
        at_end_of_input(stop.set)
    return stop
