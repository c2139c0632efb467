"""Questions are understood in processes of their own, which are told no token, and are ended when they take too long."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from starling.errors import LedgerUnavailable, ParameterError
from starling.genome.asking import QuestionPlan
from starling.genome.plan import Plan
from starling.server import task_processes
from starling.server.datasets import Catalogue, NotThere, Study
from starling.server.question_costs import Understanding
from starling.server.task_processes import TaskProcesses
from tests.worker.studies import write_study

TELLS = """
import json, os, sys
sys.stdin.readline()
told = {"field": "seen", "problem": ",".join(sorted(os.environ)), "fix": os.getcwd()}
print(json.dumps({"error": "ParameterError", "problems": [told]}), flush=True)
"""
ASKED = {"kind": "num_sig", "k": 2, "epsilon": "0.5"}


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    """With a study."""
    folder = tmp_path / "datasets"
    folder.mkdir()
    made, asked = Catalogue(folder), QuestionPlan(Plan.load(write_study(tmp_path).plan))
    made.plan("asthma").mkdir()
    asked.write(made.plan("asthma"))
    made.add(Study("asthma", "genome", asked.title, asked.digest, asked.relation, asked.schema, 8))
    return made


@pytest.fixture(scope="module")
def understanding() -> Iterator[Understanding]:
    with closing(Understanding()) as made:
        yield made


@pytest.mark.slow
def test_a_question_is_understood_and_what_is_none_is_refused(
    catalogue: Catalogue, understanding: Understanding
) -> None:
    asked = understanding.ask(catalogue, "asthma", ASKED, user="ada")
    assert (asked.name, asked.domain, asked.deadline, str(asked.guarantee.cost)) == (
        "asthma",
        "genome",
        8,
        "epsilon 0.5",
    )
    seen = understanding.preview(catalogue, "asthma", ASKED, user="ada")
    assert seen.dataset == asked
    assert seen.sections
    with pytest.raises(ParameterError, match=r"k is not a whole number"):
        understanding.ask(catalogue, "asthma", {**ASKED, "k": 99}, user="ada")
    with pytest.raises(ParameterError, match="question is missing"):
        understanding.ask(catalogue, "asthma", None, user="ada")
    with pytest.raises(NotThere):
        understanding.ask(catalogue, "nothing", ASKED, user="ada")


@pytest.mark.slow
def test_too_much_work_is_refused_by_the_limit_of_the_settings(catalogue: Catalogue) -> None:
    with closing(Understanding(1)) as low:
        assert low.ask(catalogue, "asthma", ASKED, user="ada").name == "asthma"
        with pytest.raises(ParameterError, match="at most 1 million are allowed"):
            low.preview(catalogue, "asthma", ASKED, user="ada")


def test_processes_prepare_what_pages_will_need_once(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks: SimpleQueue[dict[str, Any]] = SimpleQueue()
    monkeypatch.setattr(TaskProcesses, "prepare", lambda _, task: tasks.put(task))
    with closing(Understanding()) as pages:
        for _ in range(2):
            pages.prepare(catalogue)
        plan = ["genome", str(catalogue.plan("asthma")), True]
        assert tasks.get(timeout=60) == {"do": "prepare", "domains": [], "plans": [plan]}
        assert tasks.get(timeout=60) == {"do": "prepare", "domains": ["genome"], "plans": []}
        assert tasks.empty()


@pytest.mark.slow
def test_a_process_that_died_is_started_anew(catalogue: Catalogue, understanding: Understanding) -> None:
    understanding.ask(catalogue, "asthma", ASKED, user="ada")
    process = understanding._questions._idle.get()
    assert process._running is not None
    process._running.kill()
    process._running.wait()
    understanding._questions._idle.put(process)
    assert understanding.ask(catalogue, "asthma", ASKED, user="ada").title


def test_one_that_cannot_be_started_is_said(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_processes, "_COMMAND", ("/no/such/python",))
    with closing(Understanding()) as none, pytest.raises(LedgerUnavailable, match="could not be understood"):
        none.ask(catalogue, "asthma", ASKED, user="ada")


@pytest.mark.series(1)
@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.stdin.readline(); sys.stdin.read()",
        "import sys; sys.stdin.readline(); print('nonsense', flush=True); sys.stdin.read()",
        "import sys; sys.stdin.readline(); print('{', end='', flush=True); sys.stdin.read()",
        "raise SystemExit",
    ],
    ids=["says nothing", "says nonsense", "stops within a line", "ends"],
)
def test_one_that_does_not_answer_is_ended(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(task_processes, "_COMMAND", (sys.executable, "-c", code))
    with (
        closing(Understanding(seconds=0.5)) as short,
        pytest.raises(LedgerUnavailable, match="could not be understood"),
    ):
        short.ask(catalogue, "asthma", ASKED, user="ada")


def test_it_is_told_nothing_of_the_environment_but_where_programs_are(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STARLING_TOKEN", "starling_secret")
    monkeypatch.setenv("STARLING_HOME", str(tmp_path))
    monkeypatch.setattr(task_processes, "_COMMAND", (sys.executable, "-c", TELLS))
    with closing(Understanding()) as told, pytest.raises(ParameterError) as caught:
        told.ask(catalogue, "asthma", ASKED, user="ada")
    (problem,) = caught.value.problems
    assert {name for name in problem.problem.split(",") if name in os.environ} <= {
        *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV")
    }
    assert problem.fix == "/"
