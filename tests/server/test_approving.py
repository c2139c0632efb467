"""Approvals over HTTP: who asks, who sees, and that nothing is charged before the custodian's key has signed."""

import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from starling.ledger.opening import Ledger, open_ledger
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import Home
from tests.server.conftest import Asker

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

RELEASES, REQUESTS = "/v1/datasets/census/releases", "/v1/datasets/census/requests"
ASKED = {"request_id": "first", "reason": "For a paper."}


@pytest.fixture
def ledger(selling: Home) -> Iterator[Ledger]:
    """The ledger of a dataset that asks first, as its custodian opens it."""
    with closing(open_ledger(selling.settings.ledger)) as opened:
        opened.custody.set_terms("census", ask_first=True, reserve=1)
        yield opened


@pytest.fixture
def asking(selling: Home, ledger: Ledger) -> Asker:
    return Asker(make_app(selling, Charges(selling)))


def spent(ledger: Ledger) -> int:
    return ledger.reading.account("people").cap("population", "people").spent // 10**9


def approve(home: Home, ledger: Ledger, number: int) -> None:
    """What the custodian does on the command line."""
    asked = home.requests.find(number)
    home.requests.decide(asked, "approved", "", lambda: ledger.custody.approve(asked.request, asked.guarantee, days=30))


def test_it_is_asked_approved_and_charged_once(
    asking: Asker, selling: Home, ledger: Ledger, tokens: dict[str, str]
) -> None:
    refused = asking.post(RELEASES, tokens["analyst"], {"request_id": "first"})
    assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "PolicyRefused")
    made = asking.post(REQUESTS, tokens["analyst"], ASKED)
    assert (made.status_code, made.headers["Location"]) == (202, "/v1/requests/1")
    said: dict[str, Any] = made.json()
    assert (said["state"], said["reason"], said["cost"], said["title"]) == (
        "waiting",
        "For a paper.",
        "rho 1",
        "A count",
    )
    assert asking.post(REQUESTS, tokens["analyst"], ASKED).json() == said
    assert spent(ledger) == 0
    approve(selling, ledger, 1)
    assert asking.get("/v1/requests/1", tokens["analyst"]).json()["state"] == "approved"
    charged = asking.post(RELEASES, tokens["analyst"], {"request_id": "first"})
    assert charged.status_code == 202
    assert asking.post(RELEASES, tokens["analyst"], {"request_id": "first"}).json()["id"] == charged.json()["id"]
    assert spent(ledger) == 1
    again = asking.post(REQUESTS, tokens["analyst"], ASKED)
    assert (again.status_code, "charged already" in again.text) == (403, True)
    ledger.reading.verify()


def test_what_is_written_in_the_home_alone_approves_nothing(
    asking: Asker, selling: Home, ledger: Ledger, tokens: dict[str, str]
) -> None:
    """Whoever writes the server's own files still lacks the custodian's key."""
    asking.post(REQUESTS, tokens["analyst"], ASKED)
    selling.requests.decide(selling.requests.find(1), "approved", "", lambda: None)
    refused = asking.post(RELEASES, tokens["analyst"], {"request_id": "first"})
    assert (refused.status_code, "no approval of the custodian" in refused.text) == (403, True)
    assert spent(ledger) == 0


def test_a_reason_for_declining_reaches_the_analyst(asking: Asker, selling: Home, tokens: dict[str, str]) -> None:
    asking.post(REQUESTS, tokens["analyst"], ASKED)
    selling.requests.decide(selling.requests.find(1), "declined", "Ask for counties.", lambda: None)
    found = asking.get("/v1/requests/1", tokens["analyst"]).json()
    assert (found["state"], found["words"]) == ("declined", "Ask for counties.")


def test_who_sees_what(asking: Asker, selling: Home, ledger: Ledger, tokens: dict[str, str]) -> None:
    ledger.custody.grant("people", "eve", 1)
    selling.access.add_user("eve", "analyst")
    eve, _ = selling.access.issue("eve", days=1)
    asking.post(REQUESTS, tokens["analyst"], ASKED)
    asking.post(REQUESTS, eve, ASKED)
    numbers = {
        name: [each["number"] for each in asking.get("/v1/requests", token).json()]
        for name, token in {**tokens, "eve": eve}.items()
    }
    assert numbers == {"analyst": [1], "eve": [2], "custodian": [1, 2], "auditor": [1, 2]}
    assert asking.get("/v1/requests/1", eve).status_code == 404
    assert asking.get("/v1/requests?after=1", tokens["auditor"]).json()[0]["number"] == 2
    for role in ("custodian", "auditor"):
        assert asking.post(REQUESTS, tokens[role], ASKED).status_code == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"request_id": "first"}, 422),
        ({"request_id": "first", "reason": ""}, 422),
        ({"request_id": "first", "reason": "  "}, 422),
        ({"request_id": "first", "reason": "x" * 2001}, 422),
        ({"request_id": "first", "reason": "x", "approved": True}, 422),
        ({"request_id": "../x", "reason": "x"}, 422),
    ],
)
def test_what_is_no_request_is_refused(asking: Asker, tokens: dict[str, str], body: object, status: int) -> None:
    assert asking.post(REQUESTS, tokens["analyst"], body).status_code == status


def test_what_could_not_be_charged_is_not_asked(
    asking: Asker, selling: Home, ledger: Ledger, tokens: dict[str, str]
) -> None:
    selling.access.add_user("eve", "analyst")
    eve, _ = selling.access.issue("eve", days=1)
    assert asking.post(REQUESTS, eve, ASKED).status_code == 403, "no grant"
    ledger.custody.set_terms("census", ask_first=False)
    free = asking.post(REQUESTS, tokens["analyst"], ASKED)
    assert (free.status_code, "no approval is needed" in free.text) == (403, True)


def test_the_budget_says_the_terms(asking: Asker, ledger: Ledger, tokens: dict[str, str]) -> None:
    """The dataset has a cap of 4, of which 1 is kept; the analyst has 3."""
    found = asking.get("/v1/datasets/census/budget", tokens["analyst"]).json()
    assert (found["ask_first"], found["reserve"], found["more"], found["available"]) == (True, "1", 1, "3")
    ledger.custody.set_terms("census", ask_first=False, reserve="3.5")
    found = asking.get("/v1/datasets/census/budget", tokens["analyst"]).json()
    assert (found["ask_first"], found["reserve"], found["more"], found["available"]) == (False, "3.5", 0, "0.5")


def test_the_budget_says_what_is_approved_until_it_is_charged(
    asking: Asker, selling: Home, ledger: Ledger, tokens: dict[str, str]
) -> None:
    def approved() -> str:
        amount: str = asking.get("/v1/datasets/census/budget", tokens["analyst"]).json()["approved"]
        return amount

    number = asking.post(REQUESTS, tokens["analyst"], ASKED).json()["number"]
    assert approved() == "0"
    approve(selling, ledger, number)
    assert approved() == "1"
    ledger.custody.grant("people", "eve", 3)
    selling.access.add_user("eve", "analyst")
    other = asking.get("/v1/datasets/census/budget", selling.access.issue("eve", days=1)[0]).json()
    assert other["approved"] == "0", "it is another analyst's"
    asking.post("/v1/datasets/census/releases", tokens["analyst"], {"request_id": ASKED["request_id"]})
    assert approved() == "0"


def test_attack_a11_an_approval_pays_once_however_many_ask_at_once(selling: Home, ledger: Ledger) -> None:
    dataset = Catalogue(selling.folder / "datasets").release("census")
    servers = [Charges(selling), Charges(selling)]
    number = servers[0].ask("analyst", dataset, "first", "For a paper.").number
    approve(selling, ledger, number)
    ready, found = threading.Barrier(8), set()

    def ask(charges: Charges) -> None:
        ready.wait()
        found.add(charges.charge("analyst", dataset, "first"))

    asking = [threading.Thread(target=ask, args=[servers[each % 2]]) for each in range(8)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert (len(found), spent(ledger)) == (1, 1)
    ledger.reading.verify()
