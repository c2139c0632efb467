"""Slots are given in turn: one user holds one at most, and whoever was served longest ago comes next."""

import threading
from queue import SimpleQueue

import pytest

from starling.errors import LedgerUnavailable
from starling.server import slots, task_processes
from starling.server.ledger_checks import MOST_WAITING
from starling.server.question_costs import Understanding
from starling.server.slots import MOST, MOST_EACH, Slots
from starling.server.web import THREADS


class Tasks:
    """Tasks that hold a place until they are told to end."""

    def __init__(self, number: int) -> None:
        self.slots = Slots(number)
        self.begun: SimpleQueue[str] = SimpleQueue()
        self._ends: dict[str, SimpleQueue[None]] = {}
        self._threads: list[threading.Thread] = []
        self._queued = 0

    def ask(self, who: str) -> None:
        """A task of a user, which has its place or waits when this returns."""
        self._queued += 1
        self._ends.setdefault(who, SimpleQueue())

        def work() -> None:
            with self.slots.one(who, 60):
                self.begun.put(who)
                self._ends[who].get()

        self._threads.append(threading.Thread(target=work))
        self._threads[-1].start()
        while sum(map(len, self.slots._waiting.values())) + self.slots._turns < self._queued:
            threading.Event().wait(0.001)

    def end(self, who: str) -> None:
        self._ends[who].put(None)

    def join(self) -> None:
        for each in self._threads:
            each.join()


def test_users_are_served_in_turn() -> None:
    tasks = Tasks(1)
    for who in ("ada", "ada", "ada", "bob", "eve", "bob"):
        tasks.ask(who)
    order = []
    for _ in range(6):
        order.append(tasks.begun.get())
        tasks.end(order[-1])
    tasks.join()
    assert order == ["ada", "bob", "eve", "ada", "bob", "ada"]


def test_nobody_holds_more_than_one() -> None:
    tasks = Tasks(2)
    tasks.ask("ada")
    tasks.ask("ada")
    assert tasks.begun.get() == "ada"
    tasks.ask("bob")
    assert tasks.begun.get() == "bob"
    assert tasks.begun.empty()
    for who in ("bob", "ada", "ada"):
        tasks.end(who)
    tasks.join()


def test_one_too_many_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = Tasks(1)
    for _ in range(MOST_EACH):
        tasks.ask("ada")
    with pytest.raises(LedgerUnavailable, match="of yours"), tasks.slots.one("ada", 60):
        pass
    monkeypatch.setattr(slots, "MOST", MOST_EACH + 1)
    tasks.ask("bob")
    with pytest.raises(LedgerUnavailable, match=f"more than {MOST_EACH + 1} at once"), tasks.slots.one("eve", 60):
        pass
    for who in ["ada"] * MOST_EACH + ["bob"]:
        tasks.end(who)
    tasks.join()


def test_whoever_waits_too_long_is_refused_and_leaves_the_queue() -> None:
    tasks = Tasks(1)
    tasks.ask("ada")
    with pytest.raises(LedgerUnavailable, match="too long"), tasks.slots.one("bob", 0.001):
        pass
    tasks.ask("eve")
    tasks.end("ada")
    tasks.end("eve")
    tasks.join()
    assert tasks.slots._waiting == {}


def test_what_waits_leaves_threads_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many users ask for as much as they may, a quarter of the threads stay for what does not wait."""
    opened: list[Slots] = []

    class Noted(Slots):
        def __init__(self, number: int) -> None:
            super().__init__(number)
            opened.append(self)

    monkeypatch.setattr(task_processes, "Slots", Noted)
    Understanding()
    # A server and its sandbox have a ledger each.
    assert MOST * len(opened) + 2 * MOST_WAITING <= THREADS * 3 // 4
