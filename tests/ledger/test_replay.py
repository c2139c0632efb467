"""Verification against a forger who knows the format: rewrites the whole chain with care, tables included."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from starling.errors import IntegrityError
from starling.ledger.chain import START, Head, custodian_message, digest
from starling.ledger.checking import Check
from starling.ledger.keys import Key
from starling.ledger.rules import UNIT, canonical
from starling.ledger.store import Transaction
from starling.ledger.witness import Witness
from tests.ledger.worlds import World

Body = dict[str, Any]


class Found(Exception):
    """Ends a transaction whose ledger passed verification, so that nothing of the forgery stays."""


def forged(world: World, events: Callable[[int, str, Body], Body | None], tables: tuple[str, ...] = ()) -> None:
    """Rewrite every event as `events` says (None drops it), rehash, run SQL on the tables, and verify what then is there."""
    book = world.ledger.book

    def work(tx: Transaction) -> None:
        kept: list[tuple[int, str, int, str, str]] = []
        previous = START
        for seq, kind, at, text in list(tx.rows("SELECT seq, kind, at, body FROM events ORDER BY seq")):
            body = events(int(str(seq)), str(kind), json.loads(str(text)))
            if body is not None:
                place = len(kept) + 1
                previous = digest(previous, place, str(kind), int(str(at)), canonical(body))
                kept.append((place, str(kind), int(str(at)), canonical(body), previous))
        tx.run("DELETE FROM events")
        for row in kept:
            tx.run("INSERT INTO events (seq, kind, at, body, hash) VALUES (?, ?, ?, ?, ?)", *row)
        for sql in tables:
            tx.run(sql)
        Check(book).finish(tx)
        raise Found

    # The forger has the witness's file too, say, or verifies elsewhere.
    book.witness = Witness("nothing seen")
    book.store.atomically(work)


def changing(number: int, **changes: Any) -> Callable[[int, str, Body], Body]:
    """Event `number` with other fields, and the signature that it had."""
    return lambda seq, _, body: {**body, **changes} if seq == number else body


def test_an_honest_rewriting_passes(world: World) -> None:
    world.charge(1)
    with pytest.raises(Found):
        forged(world, lambda _, __, body: body)


FORGERIES: list[tuple[str, Callable[[int, str, Body], Body | None], tuple[str, ...], str]] = [
    (
        "a cap is raised without its signature",
        changing(2, cap=99 * UNIT),
        (f"UPDATE caps SET cap = {99 * UNIT} WHERE scope = 'population'",),
        "event 2 is not signed by the custodian",
    ),
    (
        "a charge is made smaller, everywhere",
        changing(6, amount=1),
        ("UPDATE charges SET amount = 1 WHERE seq = 6", f"UPDATE caps SET spent = spent - {UNIT - 1} WHERE spent > 0"),
        "event 6 does not charge what it costs",
    ),
    (
        "a charge gives back",
        changing(6, amount=-UNIT),
        ("UPDATE charges SET amount = -amount WHERE seq = 6",),
        "event 6 does not charge what it costs",
    ),
    (
        "a charge has another cost",
        changing(6, amount=UNIT // 2, cost={"rho": "1/2"}, events=[[{"mechanism": "zCDP", "rho": "1/2"}, 1]]),
        (f"UPDATE charges SET amount = {UNIT // 2} WHERE seq = 6",),
        "event 6 states other balances than it leaves",
    ),
    (
        "a charge has events of another cost",
        changing(6, events=[[{"mechanism": "zCDP", "rho": "1/2"}, 1]]),
        (),
        "event 6 is a charge whose events do not cost what the charge states",
    ),
    (
        "a charge has a proof that nobody knows",
        changing(6, proof="events/0"),
        (),
        "event 6 is a charge whose proof is unknown",
    ),
    (
        "a charge loses its proof",
        lambda seq, _, body: {name: body[name] for name in body if name != "proof"} if seq == 6 else body,
        (),
        "table caps",
    ),
    (
        "a charge is for somebody without a grant",
        changing(6, analyst="eve"),
        ("UPDATE charges SET analyst = 'eve' WHERE seq = 6",),
        "event 6 refers to what is not there",
    ),
    (
        "a charge of a dataset that nobody registered",
        changing(6, dataset="nothing"),
        (),
        "event 6 refers to what is not there",
    ),
    (
        "a charge is dropped with its row",
        lambda seq, _, body: None if seq == 6 else body,
        ("DELETE FROM charges WHERE seq = 6",),
        "event 6 states other balances than it leaves",
    ),
    (
        "a charge is dropped, and its row alone stays",
        lambda seq, _, body: None if seq == 6 else body,
        (f"UPDATE caps SET spent = spent - {UNIT} WHERE spent > 0",),
        "event 6 states other balances than it leaves",
    ),
    (
        "a charge states balances of its own",
        lambda seq, _, body: {**body, "balances": {**body["balances"], "population": 1}} if seq == 7 else body,
        (),
        "event 7 states other balances than it leaves",
    ),
    ("an answer is another", changing(8, sha256="0" * 64), (), "table charges"),
    ("an answer is of another kind", changing(8, kind="manifest"), (), "table charges"),
    ("an answer ends no charge", changing(8, charge=2), (), "event 8 ends no open charge"),
    ("an answer ends what is to come", changing(8, charge=99), (), "event 8 ends no open charge"),
    ("an answer ends a charge from behind", changing(8, charge=-3), (), "event 8 ends no open charge"),
    ("a body has another type", changing(6, events=7), (), "event 6 refers to what is not there"),
    ("a charge without its cost", changing(6, cost={}), (), "event 6 refers to what is not there"),
]


@pytest.mark.series(4)
@pytest.mark.parametrize(("events", "tables", "says"), [f[1:] for f in FORGERIES], ids=[f[0] for f in FORGERIES])
def test_a_careful_forgery_is_found(
    world: World, events: Callable[[int, str, Body], Body | None], tables: tuple[str, ...], says: str
) -> None:
    # Events: create, population, dataset, two grants, two charges, an answer of the second.
    world.charge(1)
    world.ledger.charging.answer(world.charge(2), "bytes", "YQ==")
    with pytest.raises(IntegrityError, match=says):
        forged(world, events, tables)


def signing(world: World, number: int, kind: str, **changes: Any) -> Callable[[int, str, Body], Body]:
    """A custodian's event with other fields and a fresh signature: the custodian themselves forges."""

    def event(seq: int, _: str, body: Body) -> Body:
        if seq != number:
            return body
        unsigned = {name: value for name, value in {**body, **changes}.items() if name != "signature"}
        signature = world.ledger.book.key.sign(custodian_message(world.ledger.book.id, kind, unsigned))
        return {**unsigned, "signature": signature}

    return event


def test_even_the_custodian_cannot_lower_what_was_spent_by_granting_again(world: World) -> None:
    world.charge(1)
    # The second grant becomes one for ann, who has one already: her spending would begin anew.
    again = signing(world, 5, "grant", analyst="ann")
    with pytest.raises(IntegrityError, match="event 5 begins analyst ann anew"):
        forged(world, again)


def test_even_the_custodian_cannot_let_a_charge_break_a_cap(world: World) -> None:
    world.charge(1)
    small = signing(world, 4, "grant", cap=UNIT // 2)
    with pytest.raises(IntegrityError, match="event 6 overspends the cap of analyst ann"):
        forged(world, small, (f"UPDATE caps SET cap = {UNIT // 2} WHERE name = 'ann'",))


def test_a_raise_without_the_second_custodian_is_found(world: World) -> None:
    world.ledger.custody.raise_cap("people", "population", "people", 12)
    world.ledger.book.second = Key(bytes(32)).public
    with pytest.raises(IntegrityError, match="event 6 is not approved"):
        world.ledger.reading.verify()


def test_a_charge_after_retirement_is_found(world: World) -> None:
    world.charge(1)
    world.ledger.custody.retire("dataset", "census")
    order = [1, 2, 3, 4, 5, 7, 6]

    def work(tx: Transaction) -> None:
        found = {seq: rest for seq, *rest in tx.rows("SELECT seq, kind, at, body FROM events")}
        tx.run("DELETE FROM events")
        previous = START
        for place, seq in enumerate(order, 1):
            kind, at, text = (str(each) for each in found[seq])
            previous = digest(previous, place, kind, int(at), text)
            values = (place, kind, int(at), text, previous)
            tx.run("INSERT INTO events (seq, kind, at, body, hash) VALUES (?, ?, ?, ?, ?)", *values)
        tx.run("UPDATE charges SET seq = 7")
        Check(world.ledger.book).finish(tx)

    world.ledger.book.witness = Witness("nothing seen")
    with pytest.raises(IntegrityError, match="event 7 charges what is retired"):
        world.ledger.book.store.atomically(work)


def test_heads_seen_elsewhere_must_lie_on_the_chain(world: World) -> None:
    world.charge(1)
    head = world.ledger.reading.head()
    world.charge(2)
    assert world.ledger.reading.verify([head]).head.seq == head.seq + 1
    with pytest.raises(IntegrityError, match="is not the one that was witnessed"):
        world.ledger.reading.verify([head, Head(head.seq, START)])
    with pytest.raises(IntegrityError, match="was witnessed and is missing"):
        world.ledger.reading.verify([Head(99, START)])


def test_a_charge_that_is_answered_while_the_audit_runs_is_no_finding(world: World) -> None:
    open_charge = world.charge(1)
    check = Check(world.ledger.book)
    book = world.ledger.book
    assert book.read(check.slice)
    world.ledger.charging.answer(open_charge, "bytes", "YQ==")
    world.charge(2)
    assert book.read(check.finish).head == world.ledger.reading.head()
