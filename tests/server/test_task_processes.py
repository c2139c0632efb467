"""Processes that are asked tasks: each user has a turn, and what takes too long ends alone."""

import json
import sys
import threading
from contextlib import closing
from queue import SimpleQueue

import pytest

from starling.errors import LedgerUnavailable
from starling.server import task_processes
from starling.server.slots import MOST_EACH
from starling.server.task_processes import TaskProcesses

ECHO = """
import json, sys
for line in sys.stdin:
    print(json.dumps(json.loads(line)), flush=True)
"""
SILENT = "import sys; sys.stdin.read()"


def test_a_task_is_answered_with_the_work_that_it_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_processes, "_COMMAND", (sys.executable, "-c", ECHO))
    with closing(TaskProcesses(7, 30.0)) as processes:
        assert processes.answer({"do": "page"}, "ada") == {"do": "page", "most": 7}


def test_what_cannot_be_prepared_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_processes, "_COMMAND", (sys.executable, "-c", SILENT))
    with closing(TaskProcesses(7, 0.01)) as processes:
        processes.prepare({"do": "prepare"})
        assert processes._idle.qsize() == task_processes.PROCESSES


def test_a_task_waits_for_what_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    began: SimpleQueue[str] = SimpleQueue()
    go_on = threading.Event()

    def answered(_: object, task: str) -> dict[str, str]:
        began.put(json.loads(task)["do"])
        go_on.wait()
        return {}

    monkeypatch.setattr(TaskProcesses, "_process_answer", answered)
    with closing(TaskProcesses(1, 30.0)) as processes:
        preparing = threading.Thread(target=processes.prepare, args=({"do": "prepare"},))
        preparing.start()
        assert began.get() == "prepare"
        asking = threading.Thread(target=processes.answer, args=({"do": "page"}, "ada"))
        asking.start()
        assert not processes._ready.is_set()
        assert began.empty()
        go_on.set()
        for each in (preparing, asking):
            each.join()
        assert began.get() == "page"


def test_what_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_processes, "_COMMAND", (sys.executable, "-c", SILENT))
    with closing(TaskProcesses(7, 0.01)) as processes:
        with pytest.raises(LedgerUnavailable, match="in time"):
            processes.answer({"do": "page"}, "ada")
        assert processes._idle.queue[-1]._running is None


def test_whoever_asks_for_much_keeps_no_other_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ada's tasks, which never end, one is at work; one too many is refused at once; bob's is begun."""
    began: SimpleQueue[str] = SimpleQueue()
    ended = threading.Event()

    def never(_: object, task: str) -> None:
        began.put(json.loads(task)["who"])
        ended.wait()
        raise LedgerUnavailable("question", "never", "never")

    monkeypatch.setattr(TaskProcesses, "_process_answer", never)
    with closing(TaskProcesses(1, 30.0)) as full:

        def ask(user: str) -> threading.Thread:
            def asks() -> None:
                with pytest.raises(LedgerUnavailable, match="never"):
                    full.answer({"who": user}, user)

            thread = threading.Thread(target=asks)
            thread.start()
            return thread

        asking = [ask("ada")]
        assert began.get() == "ada"
        asking += [ask("ada") for _ in range(MOST_EACH - 1)]
        while sum(map(len, full._slots._waiting.values())) < MOST_EACH - 1:
            threading.Event().wait(0.001)
        with pytest.raises(LedgerUnavailable, match="of yours at once"):
            full.answer({"who": "ada"}, "ada")
        asking.append(ask("bob"))
        assert began.get() == "bob"
        ended.set()
        for each in asking:
            each.join()


def test_a_server_that_stops_waits_for_no_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_processes, "_COMMAND", (sys.executable, "-c", SILENT))
    processes = TaskProcesses(7, 600.0)

    def asks() -> None:
        with pytest.raises(LedgerUnavailable, match="in time"):
            processes.answer({"do": "page"}, "ada")

    thread = threading.Thread(target=asks)
    thread.start()
    while not any(each._running for each in processes._processes):
        threading.Event().wait(0.001)
    processes.close()
    thread.join()
    assert not any(each._running for each in processes._processes)
