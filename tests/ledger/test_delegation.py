"""A server's key charges what the custodian lets it charge, for as long as they do, and does nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from starling.errors import IntegrityError, ParameterError, PolicyRefused
from starling.ledger.auditing import replay_events
from starling.ledger.chain import START, Event, custodian_message, digest
from starling.ledger.delegation import DAY, Rights
from starling.ledger.keys import Key, load
from starling.ledger.opening import Ledger, open_ledger
from starling.ledger.rules import canonical
from starling.ledger.witness import Witness
from tests.ledger.worlds import World, costing, request

SERVER = Key(bytes(range(32)))
OTHER = Key(bytes(range(1, 33)))


@pytest.fixture
def opened(world: World, tmp_path: Path) -> Callable[..., Ledger]:
    """Opens the ledger with the key of a server, which has a witness of its own."""

    def opens(key: Key = SERVER) -> Ledger:
        name = key.public.text[:8]
        return open_ledger(
            world.url,
            key=key,
            witness=lambda ledger: Witness(ledger, tmp_path / f"{name}.{ledger}"),
            clock=world.time.clock(),
        )

    return opens


def test_a_right_holds_until_its_end_and_the_latest_word_counts() -> None:
    rights = Rights()
    rights.give({"key": "k", "dataset": "census", "until": 10})
    assert rights.held("k", "census", 9)
    assert not rights.held("k", "census", 10)
    assert not rights.held("k", "survey", 9)
    assert not rights.held("j", "census", 9)
    rights.give({"key": "k", "dataset": "census", "until": 5})
    assert not rights.held("k", "census", 9)


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_a_server_charges_for_as_long_as_it_may(world: World, opened: Callable[..., Ledger]) -> None:
    until = world.ledger.custody.delegate("census", SERVER.public, days=2)
    assert until == world.time.wall + 2 * DAY
    assert world.ledger.book.rights().entries() == [(SERVER.public.text, "census", until)]
    ledger = opened()
    for number in range(3):
        # The second and third are charged from memory.
        assert ledger.charging.charge(request(number), costing(1)).fresh
    assert world.spent() == 3
    own = world.charge("own", analyst="bob")
    waiting = world.ledger.reading.open_charges(0)
    assert [charge.by for charge in waiting] == [SERVER.public.text] * 3 + [None]
    assert [charge.request_id for charge in waiting] == ["request-0", "request-1", "request-2", "request-own"]
    assert world.ledger.reading.open_charges(waiting[2].seq) == waiting[3:]
    assert world.ledger.reading.charge(own.seq) == waiting[3]
    assert world.ledger.reading.charge(1) is None
    assert world.ledger.reading.population_of("census") == "people"
    world.time.passes(2 * DAY)
    for number in (3, 4):
        with pytest.raises(PolicyRefused, match="not this server's to charge now"):
            ledger.charging.charge(request(number), costing(1))
    assert world.spent() == 4
    assert ledger.charging.charge(request(0), costing(1)).seq, "what was paid is finished, whenever"
    assert world.ledger.reading.verify().head == ledger.reading.head()
    ledger.close()


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_a_right_is_taken_back_from_a_server_that_runs(world: World, opened: Callable[..., Ledger]) -> None:
    world.ledger.custody.delegate("census", SERVER.public, days=2)
    ledger = opened()
    ledger.charging.charge(request(1), costing(1))
    world.ledger.custody.delegate("census", SERVER.public, days=0)
    with pytest.raises(PolicyRefused, match="not this server's to charge now"):
        ledger.charging.charge(request(2), costing(1))
    assert world.spent() == 1
    ledger.close()


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_a_server_charges_no_other_dataset_and_pays_lost_draws_within_its_right(
    world: World, opened: Callable[..., Ledger]
) -> None:
    world.ledger.custody.add_dataset("survey", "people", {}, 5)
    world.ledger.custody.delegate("census", SERVER.public, days=1)
    ledger = opened()
    with pytest.raises(PolicyRefused, match="not this server's"):
        ledger.charging.charge(request(1, dataset="survey"), costing(1))
    ticket = ledger.charging.charge(request(2), costing(1))
    ticket = ledger.charging.draw(ticket, "0" * 64, "0" * 64)
    ticket = ledger.charging.redraw(ticket, costing(1))
    ticket = ledger.charging.draw(ticket, "1" * 64, "0" * 64)
    world.time.passes(DAY)
    with pytest.raises(PolicyRefused, match="not this server's"):
        ledger.charging.redraw(ticket, costing(1))
    ledger.charging.answer(ticket, "bytes", "00")
    assert world.spent() == 2
    world.ledger.reading.verify()
    ledger.close()


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_a_server_does_nothing_that_is_the_custodians(world: World, opened: Callable[..., Ledger]) -> None:
    world.ledger.custody.delegate("census", SERVER.public, days=1)
    ledger = opened()
    head = ledger.reading.head()
    deeds: list[Callable[[], Any]] = [
        lambda: ledger.custody.grant("people", "eve", 1),
        lambda: ledger.custody.raise_cap("people", "dataset", "census", 9),
        lambda: ledger.custody.accept("census", "0" * 64),
        lambda: ledger.custody.delegate("census", SERVER.public, days=366),
        lambda: ledger.custody.retire("dataset", "census"),
    ]
    for deed in deeds:
        with pytest.raises(PolicyRefused, match="may charge a dataset, and nothing else"):
            deed()
    assert ledger.reading.head() == head
    ledger.close()


def test_a_key_that_was_never_given_a_right_opens_nothing(world: World, opened: Callable[..., Ledger]) -> None:
    world.ledger.custody.delegate("census", SERVER.public, days=1)
    with pytest.raises(IntegrityError, match="the ledger is signed by"):
        opened(OTHER)


def test_a_right_is_given_for_what_has_a_cap_and_for_a_time(world: World) -> None:
    custody = world.ledger.custody
    custody.add_dataset("free", "people", {})
    with pytest.raises(PolicyRefused, match="no cap of its own"):
        custody.delegate("free", SERVER.public, days=1)
    for days in (-1, 367):
        with pytest.raises(ParameterError, match="is not from 0 to 366"):
            custody.delegate("census", SERVER.public, days=days)
    with pytest.raises(ParameterError, match="is the custodian's own"):
        custody.delegate("census", load().public, days=1)


def _rewritten(events: list[Event], change: Callable[[Event], Event]) -> list[Event]:
    """A chain of changed events whose hashes fit."""
    chain, before = [], START
    for event in map(change, events):
        before = digest(before, event.seq, event.kind, event.at, event.body)
        chain.append(event._replace(hash=before))
    return chain


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_an_auditor_finds_a_charge_outside_of_the_right(world: World, opened: Callable[..., Ledger]) -> None:
    until = world.ledger.custody.delegate("census", SERVER.public, days=1)
    ledger = opened()
    ledger.charging.charge(request(1), costing(1))
    ledger.close()
    events = list(world.ledger.reading.events())
    replay_events(_rewritten(events, lambda event: event))

    def late(event: Event) -> Event:
        return event._replace(at=until) if event.kind == "charge" else event

    def others(event: Event) -> Event:
        return event._replace(body=event.body.replace(f'"by":"{SERVER.public.text}"', f'"by":"{OTHER.public.text}"'))

    def forged(event: Event) -> Event:
        if event.kind != "delegate":
            return event
        body = json.loads(event.body) | {"until": until + 1}
        unsigned = {name: value for name, value in body.items() if name != "signature"}
        signature = SERVER.sign(custodian_message(world.ledger.book.id, "delegate", unsigned))
        return event._replace(body=canonical({**unsigned, "signature": signature}))

    for change, found in ((late, "no right"), (others, "no right"), (forged, "not signed by the custodian")):
        with pytest.raises(IntegrityError, match=found):
            replay_events(_rewritten(events, change))
