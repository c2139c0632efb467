"""Requests for approval: asked once, decided once, and seen by who asked."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from starling.errors import ParameterError, PolicyRefused, RequestConflict
from starling.ledger.rules import Request, canonical
from starling.server.approval_requests import LONGEST, MOST_WAITING, Decided, Requests, Waiting
from starling.server.datasets import NotThere
from tests.ledger.worlds import costing

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def requests(tmp_path: Path) -> Requests:
    made = Requests(tmp_path / "requests.sqlite", now=lambda: BEGAN)
    made.create()
    return made


def asked(requests: Requests, name: str = "first", body: str = "a", analyst: str = "ada") -> Waiting:
    request = Request(analyst, name, "census", canonical({"count": body}))
    return requests.ask(request, "A count", costing(1), " For a paper. ")


def test_what_is_asked_is_kept_as_it_was(requests: Requests) -> None:
    found = asked(requests)
    assert (found.number, found.at, found.reason, found.state, found.words) == (1, BEGAN, "For a paper.", "waiting", "")
    assert found.request == Request("ada", "first", "census", canonical({"count": "a"}))
    assert (found.title, found.guarantee.cost) == ("A count", costing(1).cost)
    assert requests.find(1) == requests.find(1, "ada") == found
    for number, who in ((1, "eve"), (2, None), (2, "ada")):
        with pytest.raises(NotThere):
            requests.find(number, who)


def test_the_same_request_is_asked_once(requests: Requests) -> None:
    first = asked(requests)
    assert asked(requests) == asked(requests, "second") == first
    assert asked(requests, analyst="bob").number != first.number
    with pytest.raises(RequestConflict):
        asked(requests, "first", "b")
    requests.decide(requests.find(first.number), "approved", "", lambda: None)
    assert asked(requests, "third").state == "approved"
    requests.decide(requests.find(first.number), "declined", "no", lambda: None)
    assert asked(requests, "first").state == "declined", "under its id it stays what it is"
    assert asked(requests, "third").state == "waiting", "under a new id it is asked anew"


def test_a_decision_is_kept_with_its_words(requests: Requests) -> None:
    first, second = asked(requests), asked(requests, "second", "b")
    requests.decide(requests.find(first.number), "declined", "Ask for counties.", lambda: None)
    assert (requests.find(1).state, requests.find(1).words) == ("declined", "Ask for counties.")
    assert [each.number for each in requests.listed(waiting=True)] == [second.number]
    assert [each.number for each in requests.listed()] == [1, 2]
    assert [each.number for each in requests.listed(after=1)] == [2]
    assert [each.number for each in requests.listed(most=1)] == [1]
    assert requests.listed(analyst="eve") == []
    with pytest.raises(Decided):
        requests.decide(requests.find(first.number), "approved", "", lambda: None)
    with pytest.raises(NotThere):
        requests.decide(replace(second, number=9), "approved", "", lambda: None)


@pytest.mark.parametrize("reason", ["", "  ", "x" * (LONGEST + 1)])
def test_a_reason_is_said_in_bounds(requests: Requests, reason: str) -> None:
    with pytest.raises(ParameterError, match="letters"):
        requests.ask(Request("ada", "first", "census", "{}"), "A count", costing(1), reason)


def test_one_analyst_does_not_fill_the_list(requests: Requests, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starling.server.approval_requests.MOST_WAITING", few := 3)
    assert few < MOST_WAITING
    for number in range(few):
        asked(requests, f"request-{number}", str(number))
    with pytest.raises(PolicyRefused, match="that wait"):
        asked(requests, "more", "more")
    assert asked(requests, analyst="bob").state == "waiting"
