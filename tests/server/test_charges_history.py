"""Whatever anybody does, and wherever a process dies, the server is where the model is; and a server that is wrong is found."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from starling.errors import StarlingError
from starling.ledger import rules
from starling.ledger.batching import Batcher
from starling.ledger.terms import AllTerms
from starling.release import payment, pipeline
from starling.server import charges as charges_module
from starling.server import releasing
from starling.server.charges import Charges
from starling.server.datasets import Dataset
from starling.worker import jobs
from tests.server.histories import History, explore
from tests.server.sites import ASKED, AT_WORK, CAPS, CHARGED, DEADLINE, UNCHARGED

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::starling.ledger.book.ClockWarning"),
    pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning"),
]


def test_any_history_leaves_the_server_where_the_model_is(tmp_path: Path) -> None:
    explore(tmp_path, 5)


def test_every_point_at_which_a_process_may_die(tmp_path: Path) -> None:
    assert len(UNCHARGED | CHARGED | ASKED) + len(AT_WORK) >= 12
    die_everywhere(tmp_path)


def die_everywhere(folder: Path) -> None:
    """One history in which what must be refused is asked for, and a process is killed at each point, once it has something to do there."""
    history: History = type("Here", (History,), {"folder": folder})()
    try:
        _die_everywhere(history)
    finally:
        # Also where a fault was found: what a site has patched must not outlive it.
        history.end()


DRAWN = ("after the draw is committed to", "after the answer")
"""Where a worker dies in the shortest history."""


def _live(history: History) -> None:
    """The shortest history that meets each rule: caps, approvals, the reserve, a retry, a draw that was lost, and the deadline."""
    charged = ("ada", "poll", Fraction(1, 4))
    history.begin(True, [])
    history.ask_for(("ada", "first", Fraction(1)), "without-approval", 0)
    history.ask_for(("bob", "poll", Fraction(CAPS["bob"] + 1)), "beyond-a-cap", 0)
    for _ in range(2):
        history.ask_for(charged, "retried", 0)
    for number, (analyst, cost) in enumerate([("ada", Fraction(1)), ("bob", Fraction(1)), ("ada", Fraction(1, 2))]):
        key = (analyst, "first", cost)
        history.request(analyst, cost, f"approved-{number}", 0)
        history.decide_on(key, approve=True)
        # The last one finds the reserve alone.
        history.ask_for(key, f"approved-{number}", 0)
    history.the_ledger_is_where_the_model_is()
    for point in DRAWN:
        history.kill_worker(point)
        history.the_ledger_is_where_the_model_is()
    history.restart(0, web=True)
    history.look(charged)
    history.time.passes(2 * DEADLINE)
    for key, paid in history.model.paid.items():
        history.look(key)
        assert paid.content is not None


def _die_everywhere(history: History) -> None:
    _live(history)
    for number, point in enumerate(UNCHARGED | CHARGED):
        key = ("ada", "poll", Fraction(number + 1, 100))
        history.kill_web(key, point.replace(" ", "-"), point)
        history.ask_for(key, point.replace(" ", "-"), 0)
        history.the_ledger_is_where_the_model_is()
    for point in ASKED:
        history.kill_web_that_is_asked_to_ask("ada", Fraction(3, 4), point)
    for number, point in enumerate(AT_WORK):
        history.restart(0, web=False)
        key = ("bob", "poll", Fraction(number + 1, 200))
        history.ask_for(key, point.replace(" ", "-"), 0)
        history.kill_worker(point)
        history.the_ledger_is_where_the_model_is()
    assert len(history.site.struck) == len(UNCHARGED | CHARGED | ASKED) + len(DRAWN) + len(AT_WORK)
    assert all(history.site.struck)
    history.restart(0, web=True)
    history.time.passes(DEADLINE)
    for key in history.model.paid:
        history.look(key)
    history.settle()


plain_charge, plain_batcher = Charges.charge, Batcher


def _pays_again(self: Charges, analyst: str, dataset: Dataset, request_id: str, question: Any = None) -> int:
    request = rules.Request(analyst, request_id, dataset.name, dataset.request)
    if self._ledger()[0].charging.find(request) is not None:
        other = replace(dataset, request=f"{dataset.request} ")
        return plain_charge(self, analyst, other, f"{request_id}-again", question)
    return plain_charge(self, analyst, dataset, request_id, question)


FAULTS: dict[str, list[tuple[Any, str, Any]]] = {
    "a web process that charges again on a retry": [(Charges, "charge", _pays_again)],
    "one that keeps the lease of what it charged": [
        (charges_module, "Batcher", lambda charging, **_: plain_batcher(charging))
    ],
    "one that tells that an answer is there as soon as it is": [
        (charges_module, "departure", lambda _, took: max(0, took))
    ],
    "one that shows everybody's releases": [(releasing, "whose", lambda _: None)],
    "a ledger that forgets caps": [(rules, "check_caps", lambda *_: None)],
    "a ledger that needs no approval": [(AllTerms, "_problem", lambda *_: None)],
    "a worker that pays for another draw": [
        *((module, "drawn_files", lambda *_: ()) for module in (payment, pipeline)),
        (jobs, "_approve", lambda *_: None),
    ],
    "a worker that forgets what another left": [(jobs.Jobs, "_unfinished", lambda _: {})],
}
"""Servers that are wrong in one place."""


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_server_that_is_wrong_is_found(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in FAULTS[fault]:
        monkeypatch.setattr(*place)
    with pytest.raises((AssertionError, StarlingError, pytest.fail.Exception)):
        tried(tmp_path)


def tried(folder: Path) -> None:
    """What a server is tried by, the same each time."""
    die_everywhere(folder)
    explore(folder, 40, fixed=True)
