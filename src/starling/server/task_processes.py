"""Processes that a web process asks tasks about public plans and releases; they know domains, and no token and no name of a file.

The web process imports no domain. They are started when the first task comes, and one that takes too long is ended.
"""

import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any, Final

from starling.errors import IntegrityError, LedgerUnavailable, ParameterError, PlanError, Problem, StarlingError
from starling.server.lines import LineProcess
from starling.server.slots import Slots

PROCESSES: Final = 2
"""At most; one is started when none is free."""
_COMMAND: Final = (sys.executable, "-c", "from starling.public.serving import main; main()")
_ENVIRONMENT: Final = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV")
"""What such a process is told of the environment."""
_KINDS: Final[dict[str, type[StarlingError]]] = {
    kind.__name__: kind for kind in (IntegrityError, ParameterError, PlanError)
}


class TaskProcesses:
    """Processes that answer tasks of so many million steps of work (release/work.py), each in so many seconds."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._slots = Slots(PROCESSES)
        self._ready = threading.Event()
        self._ready.set()
        self._idle: queue.LifoQueue[LineProcess] = queue.LifoQueue()
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        options: dict[str, Any] = {"stderr": subprocess.DEVNULL, "env": environment, "cwd": "/"}
        self._processes = [LineProcess(_COMMAND, **options) for _ in range(PROCESSES)]
        for each in self._processes:
            self._idle.put(each)

    def close(self) -> None:
        """End them, whatever they are at: a server that stops does not wait for a page."""
        for each in self._processes:
            each.interrupt()
        for _ in range(PROCESSES):
            self._idle.get(timeout=2 * self._seconds).end()

    def answer(self, task: dict[str, Any], user: str) -> dict[str, Any]:
        """The answer to a task; raises what is refused, and LedgerUnavailable where it took too long, or too many come at once."""
        with self._slots.one(user, self._seconds):
            # Sooner than in another process, which would have to load the same.
            self._ready.wait(self._seconds)
            answer = self._process_answer(json.dumps({**task, "most": self._most}))
        if "error" in answer:
            problems = [Problem(each["field"], each["problem"], each["fix"]) for each in answer["problems"]]
            raise _KINDS.get(answer["error"], IntegrityError)(problems=problems)
        return answer

    def prepare(self, task: dict[str, Any]) -> None:
        """Let an idle process load what its tasks will need; those that come meanwhile wait for it."""
        self._ready.clear()
        try:
            with suppress(StarlingError):
                self._process_answer(json.dumps(task))
        finally:
            self._ready.set()

    def _process_answer(self, task: str) -> dict[str, Any]:
        """Raises LedgerUnavailable where none comes in time, and ends the process."""
        process = self._idle.get()
        answer: dict[str, Any] | None = None
        try:
            # The account of the web process may not be able to run Python.
            with suppress(OSError, ValueError, EOFError):
                process.send(task)
                answer = process.answer(self._seconds)
            if answer is None:
                process.end()
                raise LedgerUnavailable(
                    "question", "could not be understood in time", "try again, or ask for less at once"
                )
        finally:
            self._idle.put(process)
        return answer
