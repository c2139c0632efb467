"""Questions and pages answered in the process of the test. At a server other processes do that: tests/public has their tests."""

import json
from threading import Lock
from typing import Any

from starling.public.answering import answer
from starling.server.datasets import Catalogue
from starling.server.question_costs import Understanding
from starling.server.task_processes import TaskProcesses

_ONE = Lock()
"""A process answers one task at a time."""


class InProcess(TaskProcesses):
    """Answers tasks as processes do, without one."""

    def _process_answer(self, task: str) -> dict[str, Any]:
        with _ONE:
            reply: dict[str, Any] = json.loads(json.dumps(answer(json.loads(task))))
        return reply


class Here(Understanding):
    """Understands questions as its processes do, without one."""

    processes = InProcess

    def prepare(self, catalogue: Catalogue) -> None:
        """The process of the test loads what it needs when it needs it."""
