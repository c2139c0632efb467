"""A server charges under the custodian's terms: with an approval of that very request, once, and nothing of what is kept for them."""

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import BudgetRefused, IntegrityError, ParameterError, PolicyRefused, StarlingError
from starling.ledger.auditing import replay_events
from starling.ledger.chain import START, Event, digest
from starling.ledger.delegation import DAY
from starling.ledger.keys import Key
from starling.ledger.opening import Ledger, open_ledger
from starling.ledger.rules import UNIT, canonical
from starling.ledger.terms import FREE, AllTerms, RequestedCharge, Terms
from starling.ledger.witness import Witness
from tests.ledger.worlds import World, costing, request

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")

SERVER = Key(bytes(range(32)))


@pytest.fixture
def server(world: World, tmp_path: Path) -> Iterator[Ledger]:
    """The ledger, opened by a server that may charge "census" for 100 days."""
    world.ledger.custody.delegate("census", SERVER.public, days=100)
    opened = open_ledger(
        world.url, key=SERVER, witness=lambda name: Witness(name, tmp_path / name), clock=world.time.clock()
    )
    yield opened
    opened.close()


def test_the_latest_terms_hold() -> None:
    terms = AllTerms()
    assert terms.of("census") == FREE
    terms.set({"dataset": "census", "ask_first": True, "reserve": 3})
    terms.set({"dataset": "survey", "ask_first": False, "reserve": 1})
    assert terms.of("census") == Terms(ask_first=True, reserve=3)
    terms.set({"dataset": "census", "ask_first": False, "reserve": 0})
    assert terms.entries() == [("census", FREE), ("survey", Terms(ask_first=False, reserve=1))]


@pytest.mark.parametrize(
    "said", [{"ask_first": 1}, {"ask_first": None}, {"reserve": "1"}, {"reserve": -1}, {"reserve": True}]
)
def test_what_are_no_terms_is_refused(said: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no terms"):
        AllTerms().set({"dataset": "census", "ask_first": True, "reserve": 0, **said})


@given(
    ask_first=st.booleans(),
    reserve=st.integers(0, 5),
    left=st.none() | st.integers(0, 10),
    amount=st.integers(1, 10),
    approved=st.none() | st.tuples(st.integers(0, 10), st.integers(0, 10)),
    at=st.integers(0, 10),
)
def test_a_charge_is_allowed_by_approval_amount_time_and_reserve(
    ask_first: bool, reserve: int, left: int | None, amount: int, approved: tuple[int, int] | None, at: int
) -> None:
    terms, asked = AllTerms(), RequestedCharge("census", "ann", "h", amount)
    terms.set({"dataset": "census", "ask_first": ask_first, "reserve": reserve})
    if approved is not None:
        terms.approve({"dataset": "census", "analyst": "ann", "hash": "h", "most": approved[0], "until": approved[1]})
    wanted = (not ask_first or (approved is not None and amount <= approved[0] and at < approved[1])) and (
        left is None or left - amount >= reserve
    )
    try:
        terms.check(asked, left, at)
        checked = True
    except StarlingError:
        checked = False
    assert checked == wanted
    assert terms.use(asked, left, at) == wanted
    assert terms.use(asked, left, at) == (wanted and not ask_first), "an approval is for one charge"


def test_a_server_waits_for_the_approval_of_this_very_request(world: World, server: Ledger) -> None:
    custody, charge = world.ledger.custody, server.charging.charge
    custody.set_terms("census", ask_first=True)
    assert server.charging.terms("census") == Terms(ask_first=True, reserve=0)
    with pytest.raises(PolicyRefused, match="has no approval"):
        charge(request(1), costing(1))
    custody.approve(request(1, analyst="bob"), costing(1), days=30)
    custody.approve(request(2), costing(1), days=30)
    with pytest.raises(PolicyRefused, match="has no approval"):
        charge(request(1), costing(1))
    assert charge(request(2), costing(1)).fresh
    custody.approve(request(1), costing(Fraction(1, 2)), days=30)
    with pytest.raises(PolicyRefused, match=r"covers 0\.5, the charge is 1"):
        charge(request(1), costing(1))
    custody.approve(request(1), costing(1), days=30)
    first = charge(request(1), costing(1))
    server.charging.give_up(first)
    assert not charge(request(1), costing(1)).fresh, "what was charged is the same charge for ever"
    assert world.spent() == 2
    world.charge("own")  # the custodian needs nobody's approval
    world.ledger.reading.verify()
    replay_events(world.ledger.reading.events())


def test_an_approval_ends_and_is_taken_back(world: World, server: Ledger) -> None:
    custody = world.ledger.custody
    custody.set_terms("census", ask_first=True)
    until = custody.approve(request(1), costing(1), days=2)
    assert until == int(world.time.wall) + 2 * DAY
    world.time.passes(2 * DAY)
    with pytest.raises(PolicyRefused, match="has no approval"):
        server.charging.charge(request(1), costing(1))
    custody.approve(request(1), costing(1), days=2)
    custody.approve(request(1), costing(1), days=0)
    with pytest.raises(PolicyRefused, match="has no approval"):
        server.charging.charge(request(1), costing(1))
    custody.set_terms("census", ask_first=False)
    assert server.charging.charge(request(1), costing(1)).fresh


def test_one_approval_pays_for_one_charge_and_no_other_draw(world: World, server: Ledger) -> None:
    custody, charging = world.ledger.custody, server.charging
    custody.set_terms("census", ask_first=True)
    custody.approve(request(1), costing(1), days=30)
    ticket = charging.draw(charging.charge(request(1), costing(1)), "0" * 64, "0" * 64)
    with pytest.raises(PolicyRefused, match="has no approval"):
        charging.redraw(ticket, costing(1))
    custody.approve(request(1), costing(1), days=30)
    charging.void(charging.redraw(ticket, costing(1)))
    # The same request anew, after the end of the charge that was approved.
    with pytest.raises(PolicyRefused, match="has no approval"):
        charging.charge(request("anew", body="1"), costing(1))
    assert world.spent() == 2
    world.ledger.reading.verify()


def test_a_reserve_is_left_by_servers_alone(world: World, server: Ledger) -> None:
    """The dataset has a cap of 8, of which 6 are kept; the second charge is made from memory."""
    world.ledger.custody.set_terms("census", ask_first=False, reserve=6)
    first, _ = (server.charging.charge(request(number), costing(1)) for number in range(2))
    with pytest.raises(BudgetRefused, match="has 0 left beside what is kept for the custodian, the charge is 1"):
        server.charging.charge(request(2), costing(1))
    lost = server.charging.draw(first, "0" * 64, "0" * 64)
    with pytest.raises(BudgetRefused, match="kept for the custodian"):
        server.charging.redraw(lost, costing(1))
    for number in range(3):
        world.charge(f"own-{number}")
    assert world.spent() == 5
    world.ledger.reading.verify()


def test_terms_are_set_for_what_has_a_cap_and_approvals_given_where_they_are_asked_for(world: World) -> None:
    custody = world.ledger.custody
    custody.add_dataset("free", "people", {})
    with pytest.raises(PolicyRefused, match="no cap of its own"):
        custody.set_terms("free", ask_first=True)
    with pytest.raises(ParameterError, match="is above the cap"):
        custody.set_terms("census", ask_first=True, reserve="8.1")
    with pytest.raises(PolicyRefused, match="does not ask first"):
        custody.approve(request(1), costing(1), days=30)
    custody.set_terms("census", ask_first=True, reserve=8)
    for days in (-1, 367):
        with pytest.raises(ParameterError, match="is not from 0 to 366"):
            custody.approve(request(1), costing(1), days=days)
    assert world.ledger.book.terms().entries() == [("census", Terms(ask_first=True, reserve=8 * UNIT))]


def test_a_server_approves_nothing_and_sets_no_terms(world: World, server: Ledger) -> None:
    world.ledger.custody.set_terms("census", ask_first=True)
    head = server.reading.head()
    deeds: list[Callable[[], object]] = [
        lambda: server.custody.approve(request(1), costing(1), days=1),
        lambda: server.custody.set_terms("census", ask_first=False),
    ]
    for deed in deeds:
        with pytest.raises(PolicyRefused, match="may charge a dataset, and nothing else"):
            deed()
    assert server.reading.head() == head


def rewritten(events: list[Event], change: Callable[[str, dict[str, Any]], dict[str, Any] | None]) -> list[Event]:
    """A chain whose hashes fit, of events as `change` says; None drops one."""
    chain: list[Event] = []
    before = START
    for event in events:
        body = change(event.kind, json.loads(event.body))
        if body is not None:
            seq, text = len(chain) + 1, canonical(body)
            before = digest(before, seq, event.kind, event.at, text)
            chain.append(Event(seq, event.kind, event.at, text, before))
    return chain


FORGERIES: list[tuple[str, Callable[[str, dict[str, Any]], dict[str, Any] | None], str]] = [
    ("the approval is left out", lambda kind, body: None if kind == "approved" else body, "without an approval"),
    (
        "another request is approved",
        lambda kind, body: {**body, "hash": "0" * 64} if kind == "approved" else body,
        "not signed by the custodian",
    ),
    (
        "more is approved",
        lambda kind, body: {**body, "most": 9 * UNIT} if kind == "approved" else body,
        "not signed by the custodian",
    ),
    (
        "the terms are loosened",
        lambda kind, body: {**body, "ask_first": False} if kind == "terms" else body,
        "not signed by the custodian",
    ),
    (
        "another analyst's request is charged",
        lambda kind, body: {**body, "analyst": "bob"} if kind == "charge" else body,
        "without an approval",
    ),
    (
        "another request is charged",
        lambda kind, body: {**body, "hash": "0" * 64} if kind == "charge" else body,
        "without an approval",
    ),
]


@pytest.mark.series(2)
@pytest.mark.parametrize(("change", "says"), [each[1:] for each in FORGERIES], ids=[each[0] for each in FORGERIES])
def test_an_auditor_finds_a_charge_that_nobody_approved(
    world: World, server: Ledger, change: Callable[[str, dict[str, Any]], dict[str, Any] | None], says: str
) -> None:
    world.ledger.custody.set_terms("census", ask_first=True)
    world.ledger.custody.approve(request(1), costing(1), days=1)
    server.charging.charge(request(1), costing(1))
    events = list(world.ledger.reading.events())
    replay_events(rewritten(events, lambda _, body: body))
    with pytest.raises(IntegrityError, match=says):
        replay_events(rewritten(events, change))


def test_an_auditor_finds_a_charge_of_what_was_kept(world: World, server: Ledger) -> None:
    """The terms are moved before the charge that they would have refused."""
    server.charging.charge(request(1), costing(2))
    world.ledger.custody.set_terms("census", ask_first=False, reserve=7)
    *first, charge, terms = world.ledger.reading.events()
    with pytest.raises(IntegrityError, match="kept for the custodian"):
        replay_events(rewritten([*first, terms._replace(at=charge.at), charge], lambda _, body: body))
