"""The API of custodians: what waits, what each decision would mean, and commands that say what they do; for custodians alone."""

import shlex
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from starling.ledger.keys import Key
from starling.ledger.opening import Ledger, create_ledger, open_ledger
from starling.ledger.rules import Request
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.server.app import make_app
from starling.server.authentication import Service
from starling.server.charges import Charges
from starling.server.custody import RaiseRequest, ledger_of, line, preview_raise
from starling.server.home import Home
from starling.server.rates import Rates
from tests.ledger.worlds import costing
from tests.server.conftest import Asker
from tests.server.in_process import Here

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

ROUTES = (
    "/v1/custody",
    "/v1/custody/datasets/census",
    "/v1/custody/requests/1",
    "/v1/custody/raise?population=people&scope=dataset&name=census&cap=5",
)
DECLINE = "/v1/custody/requests/1/decline"


@pytest.fixture
def ledger(selling: Home) -> Iterator[Ledger]:
    """The ledger of a dataset that asks first, as its custodian opens it."""
    with closing(open_ledger(selling.settings.ledger)) as opened:
        opened.custody.set_terms("census", ask_first=True, reserve=1)
        yield opened


class Clock:
    """A clock that a test sets ahead of the machine's."""

    def __init__(self) -> None:
        self.passed = 0.0

    def __call__(self) -> float:
        return time.time() + self.passed


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def asker(selling: Home, ledger: Ledger, clock: Clock, tokens: dict[str, str]) -> Asker:
    """Asks the server, at which the analyst has asked for one release."""
    asking = Asker(make_app(selling, Charges(selling, now=clock)))
    body = {"request_id": "first", "reason": "For a paper."}
    assert asking.post("/v1/datasets/census/requests", tokens["analyst"], body).status_code == 202
    return asking


def approve(home: Home, ledger: Ledger) -> None:
    """What the custodian does on the command line."""
    waiting = home.requests.find(1)
    sign = lambda: ledger.custody.approve(waiting.request, waiting.guarantee, days=30)  # noqa: E731
    home.requests.decide(waiting, "approved", "", sign)


def test_custodians_alone_are_answered(asker: Asker, tokens: dict[str, str]) -> None:
    for route in ROUTES:
        statuses = {role: asker.get(route, token).status_code for role, token in tokens.items()}
        assert statuses == {"custodian": 200, "analyst": 403, "auditor": 403}, route
        assert asker.get(route).status_code == 401, route
    assert asker.post(DECLINE, tokens["analyst"], {"reason": "x"}).status_code == 403
    assert asker.post(DECLINE, tokens["auditor"], {"reason": "x"}).status_code == 403


def test_a_custodian_who_was_revoked_decides_nothing(asker: Asker, selling: Home, tokens: dict[str, str]) -> None:
    for issued in selling.access.tokens():
        selling.access.revoke(issued.id)
    for route in ROUTES:
        assert asker.get(route, tokens["custodian"]).status_code == 401
    assert asker.post(DECLINE, tokens["custodian"], {"reason": "x"}).status_code == 401
    assert selling.requests.find(1).state == "waiting"


def test_a_request_is_shown_with_all_that_a_custodian_has_to_know(
    asker: Asker, selling: Home, tokens: dict[str, str]
) -> None:
    shown: dict[str, Any] = asker.get("/v1/custody/requests/1", tokens["custodian"]).json()
    assert shown["left"] == [
        {"cap": "analyst analyst", "left": "2"},
        {"cap": "dataset census", "left": "3"},
        {"cap": "population people", "left": "9"},
    ]
    assert (shown["cost"], shown["population"], shown["refused"]) == ("rho 1", "people", "")
    assert "rho 1 lets everybody who sees the releases change the odds" in shown["reveals"]
    waiting = selling.requests.find(1)
    assert shown["digest"] == waiting.digest
    words = shlex.split(shown["commands"]["approve"])
    assert words == ["starling", "server", "approve", str(selling.folder), "1", "--digest", waiting.digest]
    assert asker.get("/v1/custody/requests/9", tokens["custodian"]).status_code == 404


def test_the_digest_binds_everything_that_is_decided_by(selling: Home, asker: Asker) -> None:
    waiting = selling.requests.find(1)
    others = [
        replace(waiting, title="Another"),
        replace(waiting, reason="Another"),
        replace(waiting, guarantee=costing(2)),
        *(
            replace(waiting, request=replace(waiting.request, **{field: "another"}))
            for field in ("analyst", "dataset", "body")
        ),
    ]
    assert len({each.digest for each in [waiting, *others]}) == len(others) + 1
    # Under which id it is charged, and what became of it, is not what is approved.
    same = replace(waiting, number=2, state="approved", request=replace(waiting.request, request_id="other"))
    assert same.digest == waiting.digest


def test_what_does_not_fit_says_so(asker: Asker, ledger: Ledger, tokens: dict[str, str]) -> None:
    ledger.custody.retire("dataset", "census")
    shown = asker.get("/v1/custody/requests/1", tokens["custodian"]).json()
    assert ("is retired" in shown["refused"], shown["reveals"]) == (True, "")


def test_a_request_is_declined_once(asker: Asker, tokens: dict[str, str]) -> None:
    token = tokens["custodian"]
    first, again = (asker.post(DECLINE, token, {"reason": " Ask for less. "}) for _ in range(2))
    assert (first.status_code, first.json()["state"], first.json()["words"]) == (200, "declined", "Ask for less.")
    assert again.json() == first.json(), "a second time, for which the connection was lost"
    other = asker.post(DECLINE, token, {"reason": "Another"})
    assert (other.status_code, other.json()["error"]["kind"]) == (409, "Decided")
    assert asker.get("/v1/requests/1", tokens["analyst"]).json()["words"] == "Ask for less."


def test_what_gives_no_reason_declines_nothing(asker: Asker, selling: Home, tokens: dict[str, str]) -> None:
    reasons: tuple[object, ...] = ({}, *({"reason": each} for each in ("", " ", "x" * 2001, 1)))
    for body in (*reasons, {"reason": "x", "more": 1}):
        assert asker.post(DECLINE, tokens["custodian"], body).status_code == 422, body
        assert selling.requests.find(1).state == "waiting", body


def test_two_custodians_who_decline_at_once_give_one_reason(
    asker: Asker, selling: Home, tokens: dict[str, str]
) -> None:
    replies = []
    threads = [
        threading.Thread(
            target=lambda why=why: replies.append(asker.post(DECLINE, tokens["custodian"], {"reason": why}))
        )
        for why in ("First", "Second", "Third")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each.status_code for each in replies) == [200, 409, 409]
    (done,) = [each.json()["words"] for each in replies if each.status_code == 200]
    assert selling.requests.find(1).words == done


def test_what_is_approved_is_declined_by_no_page(
    asker: Asker, selling: Home, ledger: Ledger, tokens: dict[str, str]
) -> None:
    approve(selling, ledger)
    refused = asker.post(DECLINE, tokens["custodian"], {"reason": "No."})
    assert (refused.status_code, "starling server decline" in refused.text) == (409, True)
    assert selling.requests.find(1).state == "approved"


def test_an_approval_that_the_ledger_alone_knows_is_not_hidden_by_declining(
    asker: Asker, selling: Home, ledger: Ledger, tokens: dict[str, str]
) -> None:
    """The command died after it signed, say: the request seems to wait, and could be charged."""
    waiting = selling.requests.find(1)
    ledger.custody.approve(waiting.request, waiting.guarantee, days=30)
    assert asker.post(DECLINE, tokens["custodian"], {"reason": "No."}).status_code == 409
    ledger.custody.approve(waiting.request, waiting.guarantee, days=0)
    assert asker.post(DECLINE, tokens["custodian"], {"reason": "No."}).status_code == 200


def test_what_waits_is_listed_with_what_is_late(
    asker: Asker, selling: Home, ledger: Ledger, clock: Clock, tokens: dict[str, str]
) -> None:
    token = tokens["custodian"]
    waits = asker.get("/v1/custody", token).json()
    assert [each["number"] for each in waits["requests"]] == [1]
    assert waits["late"] == []
    approve(selling, ledger)
    number = asker.post("/v1/datasets/census/releases", tokens["analyst"], {"request_id": "first"}).json()["id"]
    assert asker.get("/v1/custody", token).json()["late"] == [], "its deadline is not over"
    clock.passed = 9
    waits = asker.get("/v1/custody", token).json()
    assert waits["requests"] == []
    ((late),) = waits["late"]
    assert (late["id"], late["analyst"], late["cost"]) == (number, "analyst", "rho 1")
    assert late["commands"]["again"] == line("starling", "server", "jobs", selling.folder, "--again", number)


def test_a_dataset_says_its_caps_terms_and_right(
    asker: Asker, selling: Home, ledger: Ledger, clock: Clock, tokens: dict[str, str]
) -> None:
    def shown() -> dict[str, Any]:
        found: dict[str, Any] = asker.get("/v1/custody/datasets/census", tokens["custodian"]).json()
        assert found == asker.get("/v1/custody", tokens["custodian"]).json()["datasets"][0]
        return found

    now = shown()
    assert {(each["scope"], each["name"]): each["left"] for each in now["caps"]} == {
        ("population", "people"): "10",
        ("dataset", "census"): "4",
        ("analyst", "analyst"): "3",
    }
    assert (now["ask_first"], now["reserve"], now["accepted"], now["retired"], now["ended"]) == (
        *(True, "1", True, False, False),
    )
    clock.passed = 2 * 86_400
    assert shown()["ended"]
    key = selling.key.public.text
    assert now["commands"]["delegate"] == (
        f"starling ledger delegate {selling.folder / 'ledger.sqlite'} census --to {key} --days 90"
    )
    ledger.custody.delegate("census", selling.key.public, days=30)
    assert not shown()["ended"]
    ledger.custody.delegate("census", Key(bytes(32)).public, days=1)
    assert not shown()["ended"], "that is the right of another server"
    ledger.custody.retire("population", "people")
    assert shown()["retired"]


RAISES: Final = (
    ("population=people&scope=dataset&name=census&cap=5", 200, "rho 1 more through dataset census, rho 5 in all"),
    ("population=people&scope=population&name=people&cap=11", 200, "rho 1 more, rho 11 in all"),
    ("population=people&scope=dataset&name=census&cap=4", 403, "is not above the cap in force, 4"),
    ("population=people&scope=analyst&name=nobody&cap=5", 422, "has no cap"),
    ("population=none&scope=analyst&name=analyst&cap=5", 422, "is not there"),
    ("population=people&scope=dataset&name=census&cap=NaN", 422, "cap"),
    ("population=people&scope=dataset&name=census&cap=1e9999", 422, "cap"),
    ("population=people&scope=dataset&name=census&cap=-1", 422, "cap"),
    (f"population=people&scope=dataset&name=census&cap={'9' * 99}", 422, "cap"),
    ("population=people&scope=nothing&name=census&cap=5", 422, "scope"),
)
"""A query, the status of its reply, and words of it."""


def test_a_raise_is_told_before_it_is_made(asker: Asker, tokens: dict[str, str]) -> None:
    for query, status, words in RAISES:
        reply = asker.get(f"/v1/custody/raise?{query}", tokens["custodian"])
        assert (reply.status_code, words in reply.text) == (status, True), reply.text
        if status == 200:
            assert reply.json()["commands"].keys() == {"raise"}


def test_a_second_custodian_is_asked_first(tmp_path: Path, served: Home) -> None:
    url = f"sqlite:///{tmp_path / 'two.sqlite'}"
    home = replace(served, settings=replace(served.settings, ledger=url))
    with closing(create_ledger(url, second=Key(bytes(32)).public)) as ledger:
        ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 10)
    wanted = RaiseRequest(population="people", scope="population", name="people", cap="11")
    reply = preview_raise(Service(home, Charges(home), Here(), Rates()), wanted)
    first, second = reply.commands.values()
    assert first.startswith(f"starling ledger approve {ledger_of(home)} people population people --cap 11")
    assert second.endswith("--cap 11 --approval SIGNATURE")


HOSTILE = ("; rm -rf ~", "$(id)", "`id`", "a b", "'", '"', "\n", "--yes", "é\u202e", "|cat")


@pytest.mark.parametrize("name", HOSTILE)
def test_no_word_of_a_line_is_another_command(name: str, tmp_path: Path) -> None:
    shown = subprocess.run(
        ["/bin/sh", "-c", line("printf", "%s", f"home{name}", name)], capture_output=True, check=True
    )
    assert shown.stdout.decode() == f"home{name}{name}"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:////srv/home/ledger.sqlite", "/srv/home/ledger.sqlite"),
        ("postgresql://host/name", "postgresql://host/name"),
        ("postgresql://cleo:secret@host:5432/name", "postgresql://cleo@host:5432/name"),
        ("postgresql://cleo:sec@ret@host/name", "postgresql://cleo@host/name"),
        ("postgresql://cleo@host/name", "postgresql://cleo@host/name"),
        ("postgresql://host/name?password=secret", "postgresql://host/name"),
        ("postgresql://host?user=cleo&pass%77ord=secret", "postgresql://host?user=cleo"),
        (
            "postgresql://cleo:se?cret@host/name?sslmode=require&sslpassword=secret&options=a@b",
            "postgresql://cleo@host/name?sslmode=require&options=a@b",
        ),
    ],
)
def test_a_ledger_is_named_without_its_password(served: Home, url: str, shown: str) -> None:
    assert ledger_of(replace(served, settings=replace(served.settings, ledger=url))) == shown


def test_a_home_whose_ledger_is_away_says_no_more(asker: Asker, selling: Home, tokens: dict[str, str]) -> None:
    Path(ledger_of(selling)).unlink()
    for route in (each for each in ROUTES if "requests" not in each):
        reply = asker.get(route, tokens["custodian"])
        assert (reply.status_code, str(selling.folder) in reply.text) == (503, False), reply.text


def test_a_request_of_data_that_are_gone_is_not_hidden(asker: Asker, selling: Home, tokens: dict[str, str]) -> None:
    """Its dataset is registered no more, or its question is lost: it can be declined all the same."""
    selling.requests.ask(Request("analyst", "second", "census", '{"other":1}'), "Other", costing(1), "why")
    assert asker.get("/v1/custody/requests/2", tokens["custodian"]).status_code == 200
    reply = asker.post("/v1/custody/requests/2/decline", tokens["custodian"], {"reason": "x"})
    assert reply.status_code == 200
