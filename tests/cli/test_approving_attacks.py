"""A custodian approves what they saw, and believes nothing that a web process wrote; of two who decide at once, one does."""

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from starling.errors import LedgerUnavailable
from starling.ledger.custody import Custody
from starling.ledger.opening import open_ledger
from starling.server import database
from starling.server.approval_requests import Requests, Waiting
from tests.cli.conftest import Call, document
from tests.client.conftest import Site, study_site

__all__ = ["study_site"]

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

QUESTION = {"kind": "num_sig", "k": 3, "epsilon": "1"}
LESS = "0.5"
ANOTHER = {
    "analyst": "eve",
    "dataset": "other",
    "title": "A harmless question",
    "body": '{"kind":"another"}',
    "reason": "Another reason",
}
"""Of each text that a request is decided by, another one; the price has a test of its own."""


@pytest.fixture
def asked(study_site: Site) -> Site:
    """A site whose study asks first, and what ada asked of it."""
    with closing(open_ledger(study_site.home.settings.ledger)) as ledger:
        ledger.custody.set_terms("data", ask_first=True)
    with study_site.client() as client:
        client.request("data", "For a paper", question=QUESTION)
    return study_site


def change(site: Site, column: str, value: str) -> None:
    """What a web process that was broken into can do."""
    with closing(sqlite3.connect(site.home.folder / "requests.sqlite")) as connection, connection:
        connection.execute(f"UPDATE requests SET {column} = ?", (value,))


def approvals(site: Site) -> list[dict[str, Any]]:
    with closing(open_ledger(site.home.settings.ledger)) as ledger:
        return [json.loads(event.body) for event in ledger.reading.events() if event.kind == "approved"]


def seen(call: Call, site: Site) -> str:
    """The digest, as it is listed."""
    listed: Any = document(call("server", "requests", site.home.folder, "--json"))
    digest: str = listed[0]["digest"]
    return digest


def test_the_digest_that_was_seen_approves_that(call: Call, asked: Site) -> None:
    digest = seen(call, asked)
    approved = call("server", "approve", asked.home.folder, 1, "--digest", digest, "--yes")
    assert approved.exit_code == 0
    assert digest in approved.stderr
    (event,) = approvals(asked)
    assert event["hash"] == asked.home.requests.find(1).request.hash


@pytest.mark.parametrize("column", ANOTHER)
def test_nothing_else_is_approved_by_a_digest_that_was_seen(call: Call, asked: Site, column: str) -> None:
    digest = seen(call, asked)
    change(asked, column, ANOTHER[column])
    refused = call("server", "approve", asked.home.folder, 1, "--digest", digest, "--yes")
    assert (refused.exit_code, "is not the one that was shown" in refused.stderr) == (5, True)
    assert approvals(asked) == []


@pytest.mark.parametrize("column", ["title", "body", "price"])
def test_what_a_plan_does_not_say_is_refused_without_a_digest_too(call: Call, asked: Site, column: str) -> None:
    value = ANOTHER.get(column)
    if value is None:
        with closing(sqlite3.connect(asked.home.folder / "requests.sqlite")) as connection:
            (price,) = connection.execute("SELECT price FROM requests").fetchone()
        value = price.replace('"1"', '"2"')
        assert value != price
    change(asked, column, value)
    assert call("server", "approve", asked.home.folder, 1, "--yes").exit_code == 5
    assert approvals(asked) == []


@pytest.mark.parametrize("epsilon", [None, LESS])
def test_a_question_that_was_exchanged_is_refused(call: Call, asked: Site, epsilon: str | None) -> None:
    """Its title, cost and expected error would be shown, and another one be signed; or the other way round."""
    (path,) = (asked.home.folder / "questions").iterdir()
    path.write_text(json.dumps(QUESTION | {"k": 1}))
    words = [] if epsilon is None else ["--epsilon", epsilon]
    refused = call("server", "approve", asked.home.folder, 1, "--yes", *words)
    assert (refused.exit_code, "is for something else" in refused.stderr) == (5, True)
    assert approvals(asked) == []


def decide(call: Call, site: Site, how: str) -> int:
    """What a custodian types; gives the exit code."""
    words = {
        "approve": ["approve", site.home.folder, 1, "--yes"],
        "approve for less": ["approve", site.home.folder, 1, "--yes", "--epsilon", LESS],
        "decline": ["decline", site.home.folder, 1, "--reason", "No."],
    }[how]
    return call("server", *words).exit_code


def in_force(site: Site) -> set[str]:
    """The hashes of all that an approval holds for now."""
    until = {event["hash"]: event["until"] for event in approvals(site)}
    return {each for each, end in until.items() if end > time.time()}


HOW = ("approve", "approve for less", "decline")


@pytest.mark.cover
@pytest.mark.parametrize("before", [None, "approve", "approve for less"])
@pytest.mark.parametrize("first", HOW)
@pytest.mark.parametrize("second", HOW)
def test_of_two_custodians_who_decide_at_once_one_does(
    call: Call, asked: Site, monkeypatch: pytest.MonkeyPatch, before: str | None, first: str, second: str
) -> None:
    """The second decides from beginning to end after the first has looked, and before the first signs."""
    if before is not None:
        assert decide(call, asked, before) == 0
    plain = Requests.decide
    codes = []

    def decided(requests: Requests, waiting: Waiting, *words: Any, **more: Any) -> Any:
        monkeypatch.setattr(Requests, "decide", plain)
        codes.append(decide(call, asked, second))
        return plain(requests, waiting, *words, **more)

    monkeypatch.setattr(Requests, "decide", decided)
    codes.append(decide(call, asked, first))
    now = asked.home.requests.find(1)
    assert in_force(asked) == ({now.approved.hash} if now.state == "approved" else set())
    assert codes in ([0, 0], [0, 4])
    last = first if codes[1] == 0 else second
    assert (now.state, now.reduced is not None) == {
        "approve": ("approved", False),
        "approve for less": ("approved", True),
        "decline": ("declined", False),
    }[last]


def test_nobody_decides_while_another_signs(call: Call, asked: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_WAIT", 0.05)
    plain: Callable[..., int] = Custody.approve
    tried = []

    def approve(*words: Any, **more: Any) -> int:
        with pytest.raises(LedgerUnavailable):
            asked.home.requests.decide(asked.home.requests.find(1), "declined", "No.", lambda: None)
        tried.append(1)
        return plain(*words, **more)

    monkeypatch.setattr(Custody, "approve", approve)
    assert decide(call, asked, "approve") == 0
    assert (tried, asked.home.requests.find(1).state) == ([1], "approved")


def test_a_request_that_could_not_be_signed_still_waits(
    call: Call, asked: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With the key of somebody else, say."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "other"))
    call("keys", "new")
    assert decide(call, asked, "approve") == 5
    assert asked.home.requests.find(1).state == "waiting"
