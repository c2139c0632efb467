"""Datasets and releases over HTTP: who sees what, what is charged, and bytes that never change."""

import os
from contextlib import closing
from unittest.mock import Mock

import pytest

from starling.errors import ParameterError
from starling.ledger.opening import open_ledger
from starling.ledger.rules import Request
from starling.server import datasets
from starling.server.app import make_app
from starling.server.charges import Charges
from starling.server.datasets import Catalogue, Dataset
from starling.server.home import Home
from starling.server.purposes import Purpose
from tests.ledger.worlds import costing
from tests.server.conftest import Asker

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

RELEASES = "/v1/datasets/census/releases"


class Later:
    """A clock that a test sets."""

    time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def asking(selling: Home, later: Later) -> Asker:
    return Asker(make_app(selling, Charges(selling, now=later)))


def answer(home: Home, seq: int, content: bytes) -> int:
    """Do what a worker does for a charge; the time of the charge."""
    with closing(open_ledger(home.settings.ledger)) as ledger:
        charge = ledger.reading.charge(seq)
        assert charge is not None
        dataset = Catalogue(home.folder / "datasets").release(charge.dataset)
        request = Request(charge.analyst, charge.request_id, charge.dataset, dataset.request)
        ticket = ledger.charging.draw(ledger.charging.charge(request, dataset.guarantee), "0" * 64, "0" * 64)
        ledger.charging.answer(ticket, "manifest", "{}")
    (home.releases / f"{seq}.zip").write_bytes(content)
    return charge.at


@pytest.mark.parametrize("role", ["custodian", "analyst", "auditor"])
def test_everybody_sees_what_there_is_and_no_path(asking: Asker, tokens: dict[str, str], role: str) -> None:
    (found,) = asking.get("/v1/datasets", tokens[role]).json()
    assert (found["name"], found["title"], found["deadline"]) == ("census", "A count", 8)
    assert found["cost"]["add-remove"] == {"rho": "1", "decimal": "1"}
    assert (found["population"], found["purpose"], found["uses"]) == ("people", "", [])
    assert asking.get("/v1/datasets/census", tokens[role]).json() == found
    assert asking.get("/v1/datasets/survey", tokens[role]).status_code == 404


def test_the_file_of_a_dataset_is_read_once_whatever_is_asked_of_it(
    asking: Asker, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A charge, and all that is asked before and after it, parse it no second time."""
    parsed = Mock(wraps=datasets._parsed)
    monkeypatch.setattr(datasets, "_parsed", parsed)
    for path in ("", "/census", "/census/budget"):
        assert asking.get(f"/v1/datasets{path}", tokens["analyst"]).status_code == 200
    for request_id in ("one", "two"):
        seq = asking.post(RELEASES, tokens["analyst"], {"request_id": request_id}).json()["id"]
        assert asking.get(f"/v1/releases/{seq}", tokens["analyst"]).status_code == 200
    assert parsed.call_count == 1


def test_whose_and_what_for_the_data_are_is_told(asking: Asker, selling: Home, tokens: dict[str, str]) -> None:
    """One that the ledger does not know has no population."""
    purpose = Purpose("Planning of schools", ("DUO:0000042", "DUO:9999999"))
    other = Dataset("other", "tables", "A count", "{}", costing(1), 8, purpose)
    Catalogue(selling.folder / "datasets").add(other)
    found = asking.get("/v1/datasets/other", tokens["analyst"]).json()
    assert (found["population"], found["purpose"]) == (None, "Planning of schools")
    assert found["uses"] == [
        {"code": "DUO:0000042", "name": "general research use"},
        {"code": "DUO:9999999", "name": None},
    ]


@pytest.mark.parametrize("path", ["/v1/datasets", "/v1/datasets/census", "/v1/releases/1", "/v1/releases/1/bundle"])
def test_nobody_else_sees_anything(asking: Asker, path: str) -> None:
    assert asking.get(path).status_code == 401
    assert (
        asking.ask("POST", RELEASES, [("Content-Type", "application/json")], b'{"request_id": "a"}').status_code == 401
    )


def test_a_release_is_charged_once_and_fetched_for_ever(
    asking: Asker, selling: Home, tokens: dict[str, str], later: Later
) -> None:
    token = tokens["analyst"]
    first = asking.post(RELEASES, token, {"request_id": "first"})
    assert first.status_code == 202
    place = first.headers["location"]
    assert asking.get(place, token).json() == first.json()
    seq = first.json()["id"]
    assert (place, first.json()["state"]) == (f"/v1/releases/{seq}", "charged")
    content = bytes(range(256))
    later.time = answer(selling, seq, content) + 7
    waiting = asking.get(f"{place}/bundle", token)
    assert (waiting.status_code, waiting.headers["cache-control"]) == (404, "no-store")
    later.time += 1
    assert asking.get(place, token).json()["state"] == "released"
    again = asking.post(RELEASES, token, {"request_id": "first"})
    assert (again.status_code, again.json()["id"]) == (202, seq)
    bundle = asking.get(f"{place}/bundle", token)
    assert (bundle.status_code, bundle.content) == (200, content)
    assert bundle.headers["cache-control"] == "private, max-age=31536000, immutable"
    tag = bundle.headers["etag"]

    def some(*headers: tuple[str, str]) -> tuple[int, bytes]:
        reply = asking.ask("GET", f"{place}/bundle", [("Authorization", f"Bearer {token}"), *headers])
        return reply.status_code, reply.content

    assert some(("If-None-Match", f'"other", {tag}')) == (304, b"")
    assert some(("If-None-Match", '"other"'))[0] == 200
    assert some(("Range", "bytes=16-31")) == (206, content[16:32])
    assert some(("Range", "bytes=250-"), ("If-Range", tag)) == (206, content[250:])
    assert some(("Range", "bytes=250-"), ("If-Range", '"other"')) == (200, content)
    assert some(("Range", "bytes=-6")) == (206, content[250:])
    for many in ("bytes=0-1,3-4", "bytes=", "bytes=-", "bytes=5-4", "lines=1-2", "bytes=a-b", "bytes=0-1\xb2"):
        assert some(("Range", many)) == (200, content)
    for none in ("bytes=256-", "bytes=256-300", "bytes=-0", "bytes=999999999999999999-"):
        assert some(("Range", none))[0] == 416


def test_an_analyst_sees_what_is_left(asking: Asker, selling: Home, tokens: dict[str, str]) -> None:
    place = "/v1/datasets/census/budget"

    def left(token: str) -> tuple[int, dict[str, str]]:
        said = asking.get(place, token).json()
        assert (said["population"], said["measure"], said["amount"]) == ("people", "rho", "1")
        return said["more"], {cap["scope"]: cap["left"] for cap in said["caps"]}

    assert left(tokens["analyst"]) == (1, {"population": "10", "dataset": "4", "analyst": "3"})
    asking.post(RELEASES, tokens["analyst"], {"request_id": "first"})
    assert left(tokens["analyst"]) == (0, {"population": "9", "dataset": "3", "analyst": "2"})
    selling.access.add_user("eve", "analyst")
    ungranted, _ = selling.access.issue("eve", days=1)
    assert left(ungranted) == (0, {"population": "9", "dataset": "3"})
    assert asking.get(place, tokens["auditor"]).status_code == 403
    assert asking.get("/v1/datasets/survey/budget", tokens["analyst"]).status_code == 404


def test_a_raised_cap_and_a_retired_dataset_are_seen_at_once(
    asking: Asker, selling: Home, tokens: dict[str, str], later: Later
) -> None:
    """Both are the custodian's, in the ledger, while the server runs; what was released stays."""
    token, place = tokens["analyst"], "/v1/datasets/census/budget"
    seq = asking.post(RELEASES, token, {"request_id": "first"}).json()["id"]
    later.time = answer(selling, seq, b"zip") + 8
    with closing(open_ledger(selling.settings.ledger)) as ledger:
        ledger.custody.raise_cap("people", "analyst", "analyst", 5)
        ledger.custody.grant("people", "eve", 1)
    budget = asking.get(place, token).json()
    assert (budget["more"], budget["available"], budget["release"], budget["retired"]) == (0, "3", seq, False)
    with closing(open_ledger(selling.settings.ledger)) as ledger:
        ledger.custody.retire("dataset", "census")
    budget = asking.get(place, token).json()
    assert (budget["more"], budget["available"], budget["release"], budget["retired"]) == (0, "0", seq, True)
    selling.access.add_user("eve", "analyst")
    refused = asking.post(RELEASES, selling.access.issue("eve", days=1)[0], {"request_id": "hers"})
    assert refused.status_code == 403
    assert "is retired" in refused.text
    assert asking.post(RELEASES, token, {"request_id": "first"}).json()["id"] == seq
    assert asking.get(f"/v1/releases/{seq}/bundle", token).content == b"zip"
    again = Catalogue(selling.folder / "datasets").release("census")
    with pytest.raises(ParameterError, match="is taken"):
        Catalogue(selling.folder / "datasets").add(again)


def test_no_header_tells_when_the_run_was_done(
    asking: Asker, selling: Home, tokens: dict[str, str], later: Later
) -> None:
    seq = asking.post(RELEASES, tokens["analyst"], {"request_id": "first"}).json()["id"]
    later.time = answer(selling, seq, b"zip") + 100
    first = asking.get(f"/v1/releases/{seq}/bundle", tokens["analyst"])
    bundle = selling.releases / f"{seq}.zip"
    os.utime(bundle, (bundle.stat().st_mtime + 3, bundle.stat().st_mtime + 3))
    second = asking.get(f"/v1/releases/{seq}/bundle", tokens["analyst"])
    assert first.headers == second.headers
    assert first.headers["last-modified"]


def test_analysts_see_their_own_and_others_all(asking: Asker, selling: Home, tokens: dict[str, str]) -> None:
    place = asking.post(RELEASES, tokens["analyst"], {"request_id": "first"}).headers["location"]
    selling.access.add_user("eve", "analyst")
    token, _ = selling.access.issue("eve", days=1)
    assert asking.get(place, token).status_code == 404
    assert asking.get(f"{place}/bundle", token).status_code == 404
    assert asking.get(place, token).json() == asking.get("/v1/releases/999", token).json()
    for role in ("custodian", "auditor"):
        assert asking.get(place, tokens[role]).status_code == 200
        assert asking.post(RELEASES, tokens[role], {"request_id": "other"}).status_code == 403


def test_what_the_ledger_refuses_is_said_and_costs_nothing(asking: Asker, selling: Home) -> None:
    selling.access.add_user("eve", "analyst")
    token, _ = selling.access.issue("eve", days=1)
    reply = asking.post(RELEASES, token, {"request_id": "first"})
    assert (reply.status_code, reply.json()["error"]["kind"]) == (403, "PolicyRefused")
    assert asking.post("/v1/datasets/survey/releases", token, {"request_id": "first"}).status_code == 404


BODIES: list[object] = [
    {},
    {"request_id": ""},
    {"request_id": "a/b"},
    {"request_id": "a" * 101},
    {"request_id": 1},
    {"request_id": "first\n"},
    {"request_id": "first", "rho": "2"},
    [],
    None,
    "first",
]


@pytest.mark.series(4)
@pytest.mark.parametrize("body", BODIES)
def test_a_body_of_another_form_is_refused(asking: Asker, selling: Home, tokens: dict[str, str], body: object) -> None:
    reply = asking.post(RELEASES, tokens["analyst"], body)
    assert (reply.status_code, reply.json()["error"]["kind"]) == (422, "ParameterError")
    with closing(open_ledger(selling.settings.ledger)) as ledger:
        assert not [event for event in ledger.reading.events() if event.kind == "charge"]


@pytest.mark.parametrize("number", ["0", "-1", "x", "..", "%2e%2e%2fserver.key", "9" * 30, "7.zip"])
def test_a_release_is_a_number(asking: Asker, tokens: dict[str, str], number: str) -> None:
    assert asking.get(f"/v1/releases/{number}", tokens["analyst"]).status_code in (404, 422)
    assert asking.get(f"/v1/releases/{number}/bundle", tokens["analyst"]).status_code in (404, 422)


def test_the_log_says_who_asked_and_not_for_what(asking: Asker, selling: Home, tokens: dict[str, str]) -> None:
    asking.post(RELEASES, tokens["analyst"], {"request_id": "first"})
    last = selling.access.log(after=0, most=100)[-1]
    assert (last.user, last.what) == ("analyst", "POST /v1/datasets/{name}/releases")
