"""Server-sent events of a release: what they say, when, to whom, and of how many at once."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from starling.server import progress_events
from starling.server.app import make_app
from starling.server.charges import Charges, Progress
from starling.server.home import Home
from starling.server.progress_events import MOST_STREAMS, events_of
from tests.server.conftest import Asker
from tests.server.test_releasing import RELEASES, Later, answer

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.fixture
def later() -> Later:
    return Later()


@pytest.fixture
def charges(selling: Home, later: Later) -> Charges:
    return Charges(selling, now=later)


@pytest.fixture
def asking(selling: Home, charges: Charges) -> Asker:
    return Asker(make_app(selling, charges))


def events(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Name and data of each event; comments are passed over."""
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_one_that_has_left_is_told_at_once(asking: Asker, selling: Home, tokens: dict[str, str], later: Later) -> None:
    first = asking.post(RELEASES, tokens["analyst"], {"request_id": "first"}).json()
    later.time = answer(selling, first["id"], b"zip") + 8
    place = f"/v1/releases/{first['id']}"
    reply = asking.get(f"{place}/events", tokens["analyst"])
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.headers["cache-control"] == "no-store"
    assert events(reply.text) == [("released", asking.get(place, tokens["analyst"]).json())]
    selling.access.add_user("eve", "analyst")
    stranger, _ = selling.access.issue("eve", days=1)
    assert asking.get(f"{place}/events", stranger).status_code == 404
    assert asking.get(f"{place}/events").status_code == 401


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch, later: Later) -> list[float]:
    """How long was waited each time; the clock goes on by as much."""
    found: list[float] = []

    async def sleep(seconds: float) -> None:
        found.append(seconds)
        later.time += seconds

    monkeypatch.setattr(progress_events.asyncio, "sleep", sleep)  # type: ignore[attr-defined]
    return found


def heard(found: Progress, again: Callable[[], Progress]) -> list[str]:
    """The lines of a stream to its end."""

    async def asked() -> Progress:
        return again()

    async def lines() -> list[str]:
        stream: AsyncIterator[str] = events_of(found, asked)
        return [line async for line in stream]

    return asyncio.run(lines())


@pytest.mark.parametrize(("done", "look", "waits"), [(3, 1, [8]), (7, 1, [8]), (9, 2, [8, 1, 7]), (15, 2, [8, 1, 7])])
def test_it_tells_when_plan_and_charge_decide_and_not_when_the_run_is_done(
    asking: Asker,
    charges: Charges,
    selling: Home,
    tokens: dict[str, str],
    later: Later,
    slept: list[float],
    done: int,
    look: int,
    waits: list[int],
) -> None:
    """Of two runs that take differently long within one deadline, of 8 seconds or twice that, the same is told at the same times."""
    seq = asking.post(RELEASES, tokens["analyst"], {"request_id": "first"}).json()["id"]
    began = charges.progress(seq, None).charge.at
    later.time = float(began)
    looks = 0

    def again() -> Progress:
        nonlocal looks
        looks += 1
        if looks == look:
            answer(selling, seq, b"zip")
            os.utime(selling.releases / f"{seq}.zip", (began + done, began + done))
        return charges.progress(seq, None)

    lines = heard(charges.progress(seq, None), again)
    assert [name for name, _ in events("".join(lines))] == [*["charged"] * len(waits), "released"]
    assert slept == waits


def test_a_long_wait_is_kept_alive_and_ends_with_the_right_to_hear(
    asking: Asker,
    charges: Charges,
    tokens: dict[str, str],
    later: Later,
    slept: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress_events, "BREATH", 3.0)
    seq = asking.post(RELEASES, tokens["analyst"], {"request_id": "first"}).json()["id"]
    later.time = float(charges.progress(seq, None).charge.at)
    looks = 0

    def again() -> Progress:
        nonlocal looks
        looks += 1
        if looks == 2:
            raise progress_events.TooManyStreams("token", "was revoked", "ask for another")
        return charges.progress(seq, None)

    with pytest.raises(progress_events.TooManyStreams):
        heard(charges.progress(seq, None), again)
    assert slept == [3.0, 3.0]


def test_a_revoked_token_hears_no_more_and_there_is_an_end_to_how_many_are_followed(
    asking: Asker, selling: Home, tokens: dict[str, str], slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    seq = asking.post(RELEASES, tokens["analyst"], {"request_id": "first"}).json()["id"]
    (mine,) = [each for each in selling.access.tokens() if each.user == "analyst"]
    waits = 0

    async def revoked(_: float) -> None:
        nonlocal waits
        waits += 1
        selling.access.revoke(mine.id)

    monkeypatch.setattr(progress_events.asyncio, "sleep", revoked)  # type: ignore[attr-defined]
    reply = asking.get(f"/v1/releases/{seq}/events", tokens["analyst"])
    assert [name for name, _ in events(reply.text)] == ["charged"]
    assert waits == 1
    monkeypatch.setattr(progress_events, "MOST_STREAMS", 0)
    refused = asking.get(f"/v1/releases/{seq}/events", tokens["auditor"])
    assert (refused.status_code, refused.json()["error"]["kind"]) == (429, "TooManyStreams")
    assert MOST_STREAMS > 0
