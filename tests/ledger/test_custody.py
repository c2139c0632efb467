"""Custodians' events: signed, once, and told in plain words."""

import json
from fractions import Fraction
from typing import Literal

import pytest

from starling.errors import ParameterError, PolicyRefused
from starling.ledger.chain import signed_by
from starling.ledger.keys import Key
from starling.ledger.opening import read_ledger
from starling.ledger.rules import UNIT
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from tests.ledger.worlds import World

OTHER = Key(bytes(range(32)))


def test_every_custodian_event_carries_the_custodians_signature_and_holds_no_other(world: World) -> None:
    world.ledger.custody.raise_cap("people", "analyst", "ann", 7)
    world.ledger.custody.retire("dataset", "census")
    book = world.ledger.book
    events = [event for event in world.ledger.reading.events() if event.kind not in ("create", "charge")]
    assert [event.kind for event in events] == ["population", "dataset", "grant", "grant", "raise", "retire"]
    for event in events:
        body = json.loads(event.body)
        assert signed_by(book.signer, book.id, event.kind, body)
        assert not signed_by(OTHER.public, book.id, event.kind, body)
        assert not signed_by(book.signer, "another ledger", event.kind, body)
        assert not signed_by(book.signer, book.id, "another kind", body)
        assert not signed_by(book.signer, book.id, event.kind, {**body, "cap": 1})


@pytest.mark.parametrize(("kind", "name"), [("dataset", "census"), ("population", "people")])
def test_two_custodians_retire_the_same_once(world: World, kind: Literal["population", "dataset"], name: str) -> None:
    for ledger in (world.ledger, world.again()):
        ledger.custody.retire(kind, name)
    assert [event.kind for event in world.ledger.reading.events()].count("retire") == 1
    world.ledger.reading.verify()


def test_a_cap_of_a_third_is_rounded_down(world: World) -> None:
    world.ledger.custody.grant("people", "eve", "1/3")
    assert world.ledger.reading.account("people").cap("analyst", "eve").cap == UNIT // 3


@pytest.mark.parametrize("cap", ["0.0000000001", Fraction(1, UNIT + 1)])
def test_a_cap_that_would_round_to_nothing_is_refused(world: World, cap: str) -> None:
    with pytest.raises(ParameterError, match="least that is counted"):
        world.ledger.custody.grant("people", "eve", cap)


def test_what_is_there_is_not_made_again_and_leaves_no_event(world: World) -> None:
    custody, before = world.ledger.custody, world.ledger.reading.head()
    for again in (
        lambda: custody.add_population("people", "rho", ADD_REMOVE_PERSON, 1),
        lambda: custody.add_dataset("census", "people", {}),
        lambda: custody.grant("people", "ann", 1),
        lambda: custody.raise_cap("people", "analyst", "ann", 6),
    ):
        with pytest.raises(PolicyRefused):
            again()
    with pytest.raises(ParameterError):
        custody.add_population("other", "delta", ADD_REMOVE_PERSON, 1)  # type: ignore[arg-type]
    with pytest.raises(ParameterError):
        custody.add_dataset("other", "people", {"share": 0.5})
    with pytest.raises(ParameterError):
        custody.raise_cap("people", "analyst", "nobody", 6)
    assert world.ledger.reading.head() == before


def test_what_is_retired_is_charged_no_more_and_keeps_what_was_spent(world: World) -> None:
    ticket = world.charge(1)
    world.ledger.charging.answer(ticket, "bytes", "YQ==")
    world.ledger.custody.retire("population", "people")
    with pytest.raises(PolicyRefused, match="people is retired"):
        world.charge(2)
    assert world.spent() == 1
    assert world.charge(1).answer == "YQ==", "what was answered stays answered"
    world.ledger.reading.verify()


def test_who_has_no_key_changes_nothing(world: World) -> None:
    reader = read_ledger(world.url)
    before = reader.reading.head()
    with pytest.raises(PolicyRefused, match="was opened to be read"):
        reader.custody.grant("people", "eve", 1)
    with pytest.raises(PolicyRefused):
        reader.custody.raise_cap("people", "analyst", "ann", 9)
    assert reader.reading.verify().head == before
    assert "may spend rho 3 more" in reader.custody.raising("people", "analyst", "ann", 9)
    reader.close()
