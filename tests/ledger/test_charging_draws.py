"""One charge has one draw: the same request is charged once, its draw is committed to once, and a lost one is paid for again."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from starling.errors import BudgetRefused, LedgerUnavailable, ParameterError, PolicyRefused, RequestConflict
from starling.ledger.leases import SECONDS as LEASE_SECONDS
from starling.ledger.rules import UNIT, Drawn
from starling.privacy.trust import Confidential, publish
from tests.ledger.worlds import Count, World, costing, request

SHA256, KEY = "5" * 64, "0a" * 32


def events(world: World, *kinds: str) -> list[dict[str, Any]]:
    """Bodies of the events of these kinds."""
    return [json.loads(event.body) for event in world.ledger.reading.events() if event.kind in kinds]


def test_the_same_request_stopped_and_repeated_under_a_fresh_id_is_charged_once(world: World) -> None:
    stopped = world.charge("first", body="question")
    world.ledger.charging.give_up(stopped)
    resumed = world.charge("second", body="question")
    assert (resumed.request.request_id, resumed.seq, resumed.fresh) == ("request-first", stopped.seq, False)
    assert world.spent() == 1
    world.ledger.charging.answer(resumed, "bytes", "YQ==")
    assert world.charge("third", body="question").answer == "YQ=="
    found = world.ledger.charging.find(request("fourth", body="question"))
    assert found is not None
    assert found.request.request_id == "request-first"
    assert world.spent() == 1
    world.ledger.reading.verify()


def test_a_charge_from_memory_adopts_what_was_charged_and_not_answered(world: World) -> None:
    for name in ("a", "b", "stopped"):
        world.charge(name)
    with pytest.raises(LedgerUnavailable, match="holds its lease"):
        world.charge("again", body="stopped")
    world.time.passes(LEASE_SECONDS)
    assert world.charge("again", body="stopped").request.request_id == "request-stopped"
    assert world.spent() == 3


def test_what_was_paid_for_other_noise_or_burned_or_by_somebody_else_is_not_adopted(world: World) -> None:
    world.charge("old", body="question")
    assert world.charge("new", Fraction(1, 2), body="question").fresh
    assert world.charge("bob", analyst="bob", body="question").fresh
    voided = world.charge("voided")
    world.ledger.charging.void(voided)
    assert world.charge("anew", body="voided").fresh
    world.time.passes(LEASE_SECONDS)
    assert world.charge("newer", Fraction(1, 2), body="question").request.request_id == "request-new"
    world.ledger.reading.verify()


def test_a_takeover_is_an_event(world: World) -> None:
    first = world.charge(1)
    assert events(world, "takeover") == []
    for name in ("1", "another"):
        world.time.passes(LEASE_SECONDS)
        world.charge(name, body="1")
    assert events(world, "takeover") == [{"charge": first.seq}] * 2
    assert world.ledger.reading.verify().counts.takeovers == 2


def test_a_charge_commits_to_one_draw(world: World) -> None:
    ticket = world.charge(1)
    assert ticket.drawn is None
    drawn = world.ledger.charging.draw(ticket, SHA256, KEY)
    assert drawn.drawn == Drawn(SHA256, KEY)
    with pytest.raises(PolicyRefused, match="committed to a draw"):
        world.ledger.charging.draw(drawn, "6" * 64, KEY)
    world.time.passes(LEASE_SECONDS)
    again = world.again()
    retry = again.charging.charge(request(1), costing(1))
    assert retry.drawn == Drawn(SHA256, KEY)
    with pytest.raises(PolicyRefused, match="took over"):
        again.charging.draw(retry, "6" * 64, KEY)
    assert events(world, "drawn") == [{"charge": ticket.seq, "sha256": SHA256, "key": KEY}]
    again.charging.answer(retry, "bytes", "YQ==")
    counts = again.reading.verify().counts
    assert (counts.draws, counts.redraws, counts.takeovers) == (1, 0, 1)
    again.close()


def test_attack_a26_a_run_that_lost_its_lease_draws_no_more(world: World) -> None:
    stopped = world.charge(1)
    world.time.passes(LEASE_SECONDS)
    second = world.charge(1)
    with pytest.raises(PolicyRefused):
        world.ledger.charging.draw(stopped, SHA256, KEY)
    with pytest.raises(PolicyRefused):
        world.ledger.charging.redraw(stopped, costing(1))
    assert world.ledger.charging.draw(second, SHA256, KEY).drawn is not None
    assert world.ledger.reading.verify().counts.draws == 1


def test_attack_a26_a_draw_whose_bytes_are_lost_is_paid_for_again(world: World) -> None:
    ticket = world.ledger.charging.draw(world.charge(1), SHA256, KEY)
    fresh = world.ledger.charging.redraw(ticket, costing(1))
    assert fresh.drawn is None
    assert fresh.seq == ticket.seq
    assert world.spent() == 2
    with pytest.raises(PolicyRefused, match="committed to none"):
        world.ledger.charging.redraw(fresh, costing(1))
    twice = world.ledger.charging.draw(fresh, "6" * 64, KEY)
    world.ledger.charging.answer(twice, "bytes", "YQ==")
    assert [body["amount"] for body in events(world, "redrawn")] == [UNIT]
    verified = world.ledger.reading.verify()
    assert (verified.counts.draws, verified.counts.redraws) == (2, 1)
    shown = world.ledger.reading.account("people")
    assert [(each.times, each.state) for each in shown.charges] == [(2, "answered")]
    assert world.ledger.reading.joint_disclosure("people").spent == 2 * UNIT
    world.charge(2)
    assert world.spent() == 3
    world.ledger.reading.verify()


def test_a_redraw_must_fit_under_every_cap_and_be_of_what_was_charged(world: World) -> None:
    ticket = world.ledger.charging.draw(world.charge(1, 4), SHA256, KEY)
    before = world.ledger.reading.head()
    with pytest.raises(BudgetRefused, match="ann"):
        world.ledger.charging.redraw(ticket, costing(4))
    with pytest.raises(RequestConflict, match="another guarantee"):
        world.ledger.charging.redraw(ticket, costing(1))
    assert world.spent() == 4
    assert world.ledger.reading.head() == before
    world.ledger.custody.raise_cap("people", "analyst", "ann", 8)
    world.ledger.charging.redraw(ticket, costing(4))
    assert world.spent() == 8
    world.ledger.custody.retire("dataset", "census")
    world.ledger.reading.verify()


@pytest.mark.parametrize("bad", [("5" * 63, KEY), ("Z" * 64, KEY), (SHA256, ""), (SHA256, "abc")])
def test_a_draw_is_said_in_hexadecimal(world: World, bad: tuple[str, str]) -> None:
    ticket = world.charge(1)
    with pytest.raises(ParameterError, match="hexadecimal"):
        world.ledger.charging.draw(ticket, *bad)
    assert events(world, "drawn") == []


def test_an_account_says_what_was_charged_as_soon_as_it_is_durable(world: World) -> None:
    told: list[tuple[str, Fraction]] = []

    def charged(request_id: str) -> None:
        told.append((request_id, world.spent()))

    def stops() -> int:
        raise KeyboardInterrupt

    first = replace(world.ledger.account(request("first", body="q")), charged=charged)
    assert first.request_id == "request-first"
    with pytest.raises(KeyboardInterrupt), first.working():
        publish(Confidential(stops), Count(), first)
    account = replace(world.ledger.account(request("second", body="q")), charged=charged)
    assert account.drawn is None
    released = publish(Confidential(lambda: 7), Count(), account)
    assert told == [("request-first", Fraction(1))] * 2
    assert account.request_id == released.receipt.request_id == "request-first"
    assert len(events(world, "drawn")) == 1, "publishing commits the charge to its draw"
    with pytest.raises(PolicyRefused, match="has committed to a draw"):
        account.draw(SHA256, KEY)


def test_an_account_draws_again_when_it_pays_again(world: World) -> None:
    account = world.ledger.account(request(1))
    with pytest.raises(PolicyRefused, match="charged nothing yet"):
        account.draw(SHA256, KEY)
    account.charge(costing(1))
    account.draw(SHA256, KEY)
    account.redraw(costing(1))
    assert account.drawn is None
    assert world.spent() == 2
