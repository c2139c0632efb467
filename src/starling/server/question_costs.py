"""What a question asks and costs, and what its answer would be worth: told by processes that know domains, public plans and nothing else.

The web process imports no domain. It starts these processes when the first question comes, with an environment that names no file and no
token, and ends one that takes too long.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from typing import Any, ClassVar, Final

from starling.errors import ParameterError, StarlingError
from starling.release.arithmetic import guarantee_of
from starling.server.datasets import Catalogue, Dataset, NotThere, Study
from starling.server.settings import QUESTION_WORK
from starling.server.task_processes import TaskProcesses

SECONDS: Final = 30.0
"""For one task, with the start of its process; then the process is ended."""
PAGE_SECONDS: Final = 120.0
"""For one page or file of a release: the first one compares all of the release with its signature."""


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
    so many seconds. What releases say and show, other processes tell, so that neither waits for the other.
    """

    processes: ClassVar[type[TaskProcesses]] = TaskProcesses

    def __init__(self, most: int = QUESTION_WORK, *, seconds: float = SECONDS) -> None:
        self._questions, self._releases = self.processes(most, seconds), self.processes(most, PAGE_SECONDS)
        self._first = Lock()

    def prepare(self, catalogue: Catalogue) -> None:
        """Let processes load what pages will need, once and in the background: nobody's first page waits for it."""
        if self._first.acquire(blocking=False):
            Thread(target=self._prepare, args=(catalogue,), daemon=True).start()

    def _prepare(self, catalogue: Catalogue) -> None:
        plans, domains = [], set()
        for name in catalogue.names():
            with suppress(StarlingError):
                dataset = catalogue.find(name)
                domains.add(dataset.domain)
                if isinstance(dataset, Study) or catalogue.has_plan_page(name):
                    plans.append([dataset.domain, str(catalogue.plan(name)), isinstance(dataset, Study)])
        self._questions.prepare({"do": "prepare", "domains": [], "plans": plans})
        self._releases.prepare({"do": "prepare", "domains": sorted(domains), "plans": []})

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

    def check_further(
        self, catalogue: Catalogue, name: str, question: Any, earlier: str, paid: Any, *, user: str
    ) -> None:
        """Check a question that reads what was kept for another, `paid` of the dataset `earlier`, by what is public of both.

        Raises:
            ParameterError: what was kept can't be read for it.
            LedgerUnavailable: it took too long, or too many questions come at once.
        """
        domain, plan, of = catalogue.study(name).domain, str(catalogue.plan(name)), str(catalogue.plan(earlier))
        task = {"do": "further", "domain": domain, "plan": plan, "question": question}
        self._questions.answer({**task, "earlier": {"plan": of, "question": paid}}, user)

    def read(self, release: Path, question: Any, *, user: str) -> Any:
        """The answer to a question to a release, which costs nothing; without a question, the JSON Schema of those that can be asked.

        Raises:
            ParameterError: the release has no such question.
            LedgerUnavailable: it took too long, or too many questions come at once.
        """
        answer = self._releases.answer({"do": "read", "release": str(release), "question": question}, user)
        return answer["schema" if question is None else "answer"]

    def show(self, release: Path, *, user: str) -> dict[str, Any]:
        """What a page shows of a release, as public/showing.py says it; raises as `read`."""
        return self._releases.answer({"do": "show", "release": str(release)}, user)

    def page(
        self, release: Path, path: str, query: str, frame: dict[str, Any], into: Path, *, user: str
    ) -> dict[str, Any]:
        """Write the body of a page of a release into an empty file; its status, kind and headers, as public/answering.py says them.

        Raises:
            IntegrityError: the release is not what was signed.
            LedgerUnavailable: it took too long, or too much is asked at once.
        """
        task = {"do": "page", "release": str(release), "path": path, "query": query, "frame": frame, "into": str(into)}
        return self._releases.answer(task, user)

    def plan_page(
        self, catalogue: Catalogue, name: str, path: str, query: str, frame: dict[str, Any], into: Path, *, user: str
    ) -> dict[str, Any]:
        """The same of a page of a dataset's plan that says all; raises as `accuracy` besides."""
        task = {"do": "plan_page", **_chosen_plan(catalogue, name), "path": path, "query": query, "frame": frame}
        return self._questions.answer({**task, "into": str(into)}, user)

    def accuracy(self, catalogue: Catalogue, name: str, query: str, *, user: str) -> dict[str, Any]:
        """The value of the page of a dataset's plan that says all, by the query of its address.

        Raises:
            NotThere: there is no such dataset, or it has no such page.
            AnotherKind: it is asked questions.
            ParameterError, PlanError: a margin or a cost is none, or is not kept.
            LedgerUnavailable: it took too long, or too much is asked at once.
        """
        return self._questions.answer({"do": "accuracy", **_chosen_plan(catalogue, name), "query": query}, user)

    def verify(self, release: Path, key: str, *, user: str) -> dict[str, Any]:
        """What the verification of a release finds, with the key that should have signed it, as public/answering.py says it; raises
        LedgerUnavailable where it took too long, or too much is asked at once.
        """
        return self._questions.answer({"do": "verify", "release": str(release), "key": key}, user)

    def close(self) -> None:
        """End the processes."""
        self._questions.close()
        self._releases.close()

    def _plan_answer(
        self, catalogue: Catalogue, study: Study, do: str, question: Any, user: str, margin: str | None = None
    ) -> dict[str, Any]:
        plan = str(catalogue.plan(study.name))
        task = {"do": do, "domain": study.domain, "plan": plan, "question": question, "margin": margin}
        return self._questions.answer(task, user)


def _dataset(study: Study, answer: dict[str, Any]) -> Dataset:
    return study.question(answer["title"], answer["request"], guarantee_of(answer["price"]))


def _chosen_plan(catalogue: Catalogue, name: str) -> dict[str, str]:
    """Domain and plan of a dataset whose plan has a page; raises NotThere where it has none."""
    dataset = catalogue.release(name)
    if not catalogue.has_plan_page(name):
        problem, fix = "has no page of its own here", "see it in a release, or have it registered anew"
        raise NotThere("plan", problem, fix)
    return {"domain": dataset.domain, "plan": str(catalogue.plan(name))}
