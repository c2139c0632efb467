"""What a question asks and costs, and what its answer would be worth: told by processes that know domains, public plans and nothing else.

The web process imports no domain. It starts these processes when the first question comes, with an environment that names no file and no
token, and ends one that takes too long.
"""

import json
import os
import queue
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from starling.errors import IntegrityError, LedgerUnavailable, ParameterError, PlanError, Problem, StarlingError
from starling.release.arithmetic import guarantee_of
from starling.server.datasets import Catalogue, Dataset, Study
from starling.server.lines import LineProcess
from starling.server.settings import QUESTION_WORK
from starling.server.slots import Slots

PROCESSES: Final = 2
"""At most; one is started when none is free."""
SECONDS: Final = 30.0
"""For one task, with the start of its process; then the process is ended."""
_COMMAND: Final = (sys.executable, "-c", "from starling.public.serving import main; main()")
_ENVIRONMENT: Final = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV")
"""What such a process is told of the environment."""
_KINDS: Final[dict[str, type[StarlingError]]] = {
    kind.__name__: kind for kind in (IntegrityError, ParameterError, PlanError)
}


@dataclass(frozen=True, slots=True)
class Preview:
    """A question before it is paid for: what it asks and costs, and what its answer will be worth (release/report/plain.py).

    Attributes:
        question: It, with its cost; None where the plan says all.
        margin: How far its answer may be off, by `within` and `unit`; None where the domain defines no margin.
    """

    dataset: Dataset
    sections: list[dict[str, Any]]
    question: dict[str, Any] | None = None
    margin: dict[str, str] | None = None


class Understanding:
    """Understands what is asked of the datasets of a home: questions of at most so many million steps of work (release/work.py), each in
    so many seconds.
    """

    def __init__(self, most: int = QUESTION_WORK, *, seconds: float = SECONDS) -> None:
        self._most, self._seconds = most, seconds
        self._slots = Slots(PROCESSES)
        self._idle: queue.LifoQueue[LineProcess] = queue.LifoQueue()
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        for _ in range(PROCESSES):
            self._idle.put(LineProcess(_COMMAND, stderr=subprocess.DEVNULL, env=environment, cwd="/"))

    def ask(self, catalogue: Catalogue, name: str, question: Any, *, user: str) -> Dataset:
        """What is asked and what it costs: the release of a dataset, or, with a question as JSON, the answer to that.

        Raises:
            NotThere: there is no such dataset.
            AnotherKind: it is asked questions and this is none, or its plan says all and this is one.
            ParameterError: its plan has no such question.
            LedgerUnavailable: it took too long, or too many questions come at once.
        """
        if question is None:
            return catalogue.release(name)
        study = catalogue.study(name)
        return _dataset(study, self._plan_answer(catalogue, study, "ask", question, user))

    def preview(
        self, catalogue: Catalogue, name: str, question: Any, *, user: str, margin: str | None = None
    ) -> Preview:
        """What is asked and what it costs, and what it will be worth; arguments and errors are those of `ask`.

        A `margin` stands in place of the cost of a question, which is then the least that keeps it.
        """
        if question is None:
            if margin is not None:
                raise ParameterError("margin", "is fixed by the plan, and so is its price", "leave it out")
            return Preview(catalogue.release(name), catalogue.preview(name))
        study = catalogue.study(name)
        answer = self._plan_answer(catalogue, study, "preview", question, user, margin)
        return Preview(_dataset(study, answer), answer["sections"], answer["question"], answer["margin"])

    def read(self, release: Path, question: Any, *, user: str) -> Any:
        """The answer to a question to a release, which costs nothing; without a question, the JSON Schema of those that can be asked.

        Raises:
            ParameterError: the release has no such question.
            LedgerUnavailable: it took too long, or too many questions come at once.
        """
        answer = self._answered({"do": "read", "release": str(release), "question": question}, user)
        return answer["schema" if question is None else "answer"]

    def show(self, release: Path, *, user: str) -> dict[str, Any]:
        """What a page shows of a release, as public/showing.py says it; raises as `read`."""
        return self._answered({"do": "show", "release": str(release)}, user)

    def page(
        self, release: Path, path: str, query: str, frame: dict[str, Any], into: Path, *, user: str
    ) -> dict[str, Any]:
        """Write the body of a page of a release into an empty file; its status, kind and headers, as public/answering.py says them.

        Raises:
            IntegrityError: the release is not what was signed.
            LedgerUnavailable: it took too long, or too much is asked at once.
        """
        task = {"do": "page", "release": str(release), "path": path, "query": query, "frame": frame, "into": str(into)}
        return self._answered(task, user)

    def verify(self, release: Path, key: str, *, user: str) -> dict[str, Any]:
        """What the verification of a release finds, with the key that should have signed it, as public/answering.py says it; raises
        LedgerUnavailable where it took too long, or too much is asked at once.
        """
        return self._answered({"do": "verify", "release": str(release), "key": key}, user)

    def close(self) -> None:
        """End the processes."""
        for _ in range(PROCESSES):
            self._idle.get(timeout=2 * self._seconds).end()

    def _plan_answer(
        self, catalogue: Catalogue, study: Study, do: str, question: Any, user: str, margin: str | None = None
    ) -> dict[str, Any]:
        plan = str(catalogue.plan(study.name))
        task = {"do": do, "domain": study.domain, "plan": plan, "question": question, "margin": margin}
        return self._answered(task, user)

    def _answered(self, task: dict[str, Any], user: str) -> dict[str, Any]:
        with self._slots.one(user, self._seconds):
            answer = self._process_answer(json.dumps({**task, "most": self._most}))
        if "error" in answer:
            problems = [Problem(each["field"], each["problem"], each["fix"]) for each in answer["problems"]]
            raise _KINDS.get(answer["error"], IntegrityError)(problems=problems)
        return answer

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


def _dataset(study: Study, answer: dict[str, Any]) -> Dataset:
    return study.question(answer["title"], answer["request"], guarantee_of(answer["price"]))
