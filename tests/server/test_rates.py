"""A token may ask in bursts and so often a second; who asks more is told when to come back, and others are not held up."""

from functools import partial

import pytest

from starling.server import app, rates
from starling.server.charges import Charges
from starling.server.home import Home
from starling.server.rates import BURST, PER_SECOND, AtOnce, Rates, TooOften
from tests.server.conftest import Asker


class Clock:
    time = 0.0

    def __call__(self) -> float:
        return self.time


def test_a_burst_then_so_many_a_second() -> None:
    clock = Clock()
    limit = Rates(clock)
    for _ in range(int(BURST)):
        limit.take("a")
    with pytest.raises(TooOften) as refused:
        limit.take("a")
    assert refused.value.seconds == 1
    limit.take("b")
    clock.time += 1
    for _ in range(int(PER_SECOND)):
        limit.take("a")
    with pytest.raises(TooOften):
        limit.take("a")
    clock.time += 1000
    for _ in range(int(BURST)):
        limit.take("a")
    with pytest.raises(TooOften):
        limit.take("a")


def test_no_more_tokens_are_remembered_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "MOST_KEYS", 2)
    limit = Rates(Clock())
    for _ in range(int(BURST)):
        limit.take("a")
    limit.take("b")
    with pytest.raises(TooOften):
        limit.take("a")
    limit.take("c")
    limit.take("b")
    limit.take("a")


def test_who_asks_too_often_is_told_when_to_come_back_and_writes_no_log(
    served: Home, tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "Rates", partial(Rates, per_second=0.001, burst=2.0))
    asker = Asker(app.make_app(served, Charges(served)))
    replies = [asker.get("/v1/me", tokens["analyst"]) for _ in range(4)]
    assert [reply.status_code for reply in replies] == [200, 200, 429, 429]
    assert int(replies[2].headers["retry-after"]) >= 1
    assert replies[2].json()["error"]["kind"] == "TooOften"
    assert asker.get("/v1/me", tokens["auditor"]).status_code == 200
    asked = [line for line in served.access.log(after=0, most=100) if line.what == "GET /v1/me"]
    assert len(asked) == 3


def test_so_many_at_the_same_time_whatever_becomes_of_them() -> None:
    busy = AtOnce(2, partial(TooOften, 1, "server", "is busy"))
    with busy.one():
        with busy.one(), pytest.raises(TooOften, match="server is busy"), busy.one():
            pytest.fail("a third one")
        with pytest.raises(ValueError, match="fails"), busy.one():
            raise ValueError("fails")
        with busy.one():
            pass
