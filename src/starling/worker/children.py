"""Attempts in a process of their own, which may die or go on for ever without harm to others: that is one attempt that failed.

The process is told a number on a line of its standard input, and answers each by a line of JSON. It goes on from one to the next, so that
kernels stay compiled; it is ended at the limit of time, and with the worker that started it, however that ends.
"""

import ctypes
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO, Final

from starling.server.home import Home
from starling.server.lines import LineProcess
from starling.worker.attempting import Outcome, attempt
from starling.worker.jobs import Jobs

_COMMAND: Final = (sys.executable, "-c", "from starling.cli import main; main()", "job")
_PR_SET_PDEATHSIG: Final = 1
"""Of prctl(2): which signal a process gets when its parent ends."""


class Child:
    """A lane that is a process, started with its first attempt.

    `limit` is the seconds that an attempt may take, as `now` counts them; `options` are those of the command of the process.
    """

    def __init__(
        self, home: Path, limit: float, options: tuple[str, ...] = (), *, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._process = LineProcess((*_COMMAND, *options, str(home)), start_new_session=True)
        self._limit = limit
        self._now = now
        self._until = 0.0

    def begin(self, seq: int) -> None:
        """See `Lane.begin`."""
        self._until = self._now() + self._limit
        self._process.send(str(seq))

    def outcome(self) -> Outcome | None:
        """See `Lane.outcome`."""
        try:
            values = self._process.answer(0)
        except EOFError:
            return Outcome("failed", f"its process {_ended(self._process.code())}")
        if values is not None:
            return Outcome(values["ending"], values["why"], tuple((name, words) for name, words in values["notes"]))
        if self._now() < self._until:
            return None
        self.close()
        return Outcome("failed", f"it took longer than {self._limit:z,.0f} s, the job_seconds of server.toml")

    def close(self) -> None:
        """See `Lane.close`."""
        self._process.end()


def _ended(code: int) -> str:
    """How a process ended, by its exit code, in words.

    >>> _ended(-11), _ended(3)
    ('was ended by SIGSEGV', 'ended by itself with exit code 3')
    """
    if code >= 0:
        return f"ended by itself with exit code {code}"
    name = signal.Signals(-code).name
    return f"was ended by {name}{', as the system does where memory is short' if name == 'SIGKILL' else ''}"


def serve(home: Home) -> None:
    """Be such a process: make one attempt for each line of standard input, until that ends with the worker.

    Whatever a library prints goes nowhere.
    """
    _end_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM):
        # The worker hears them, and lets end what was begun.
        signal.signal(number, signal.SIG_IGN)
    tasks: SimpleQueue[int] = SimpleQueue()
    threading.Thread(target=_listen, args=(tasks,), name="tasks", daemon=True).start()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as answers:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())
        _answer(home, tasks, answers)


def _answer(home: Home, tasks: "SimpleQueue[int]", answers: BinaryIO) -> None:
    jobs = cache(lambda: Jobs(home, home.open_ledger()))
    while True:
        answers.write(json.dumps(asdict(attempt(home, jobs, tasks.get()))).encode() + b"\n")
        answers.flush()


def _listen(tasks: "SimpleQueue[int]") -> None:
    # Not by the buffered reader, whose lock a thread that waits would hold when the process ends.
    left = b""
    while part := os.read(sys.stdin.fileno(), 4096):
        *lines, left = (left + part).split(b"\n")
        for line in lines:
            tasks.put(int(line))
    os._exit(0)


def _end_with_parent() -> None:
    """Let the system end this process with the one that started it, where it can: a kernel that runs for ever hears nothing else."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
