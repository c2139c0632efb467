"""Auditors and custodians list the chain and have it checked; analysts do not."""

from contextlib import closing

import pytest

from starling.ledger.checking import CHECKS
from starling.ledger.opening import read_ledger
from starling.server.home import Home
from tests.server.conftest import Asker

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

EVENTS = "/v1/ledger/events"


def test_events_are_those_of_the_chain(selling: Home, asker: Asker, tokens: dict[str, str]) -> None:
    with closing(read_ledger(selling.settings.ledger)) as ledger:
        events, head = list(ledger.reading.events()), ledger.reading.head()
    listed = asker.get(f"{EVENTS}?most=1000", tokens["auditor"]).json()
    assert listed["head"] == f"{head.seq}:{head.hash}"
    assert [(each["number"], each["kind"], each["hash"]) for each in listed["events"]] == [
        (each.seq, each.kind, each.hash) for each in events[::-1]
    ]
    assert listed["next"] is None
    chosen = asker.get(f"{EVENTS}?dataset=census&kind=accepted", tokens["custodian"]).json()["events"]
    assert [each["kind"] for each in chosen] == ["accepted"]
    page = asker.get(f"{EVENTS}?most=2", tokens["auditor"]).json()
    assert page["next"] == page["events"][-1]["number"]


@pytest.mark.parametrize(
    "query",
    ["before=0", "most=0", "most=1001", "since=x", "since=-480", "until=1735689600", "other=1", f"kind={'a' * 101}"],
)
def test_what_is_no_page_is_refused(selling: Home, asker: Asker, tokens: dict[str, str], query: str) -> None:
    assert asker.get(f"{EVENTS}?{query}", tokens["auditor"]).status_code == 422


@pytest.mark.parametrize("time", ["0001-01-01", "9999-12-31T23:59:59", "2026-03-01T00:00:00+14:00"])
def test_any_time_may_be_asked_for(selling: Home, asker: Asker, tokens: dict[str, str], time: str) -> None:
    query = f"since={time}&until={time}".replace("+", "%2B")
    assert asker.get(f"{EVENTS}?{query}", tokens["auditor"]).status_code == 200


def test_the_whole_ledger_is_checked(selling: Home, asker: Asker, tokens: dict[str, str]) -> None:
    reply = asker.get("/v1/ledger/verification", tokens["auditor"]).json()
    assert (reply["holds"], reply["problem"]) == (True, None)
    assert [each["name"] for each in reply["checks"]] == list(CHECKS)
    assert {each["state"] for each in reply["checks"]} == {"holds"}


@pytest.mark.parametrize("path", [EVENTS, "/v1/ledger/verification"])
def test_analysts_may_not(asker: Asker, tokens: dict[str, str], path: str) -> None:
    assert asker.get(path, tokens["analyst"]).status_code == 403
    assert asker.get(path).status_code == 401
