"""A charge of zero holds for what is made of a response that was paid for and kept, and for nothing else."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starling.errors import IntegrityError, PolicyRefused, RequestConflict
from starling.ledger.auditing import replay_events
from starling.ledger.chain import Event, digest
from starling.ledger.keys import Key
from starling.ledger.opening import create_ledger, open_ledger
from starling.ledger.responses import Stored, find
from starling.ledger.rules import Request, Ticket, canonical
from starling.ledger.witness import Witness
from starling.privacy.events import Event as Drawing
from starling.privacy.events import MedianResponse, PureDP, RandomizedResponse, StoredResponse
from starling.privacy.guarantee import Guarantee, sequential
from starling.privacy.neighbours import REPLACE_PHENOTYPE

STORED = Stored("ab" * 32, 300)
NAMES = ("paid", "median", "dearer", "selection", "unanswered", "unkept", "elsewhere", "free", "twice")


def of(event: Drawing) -> Guarantee:
    return Guarantee("something", REPLACE_PHENOTYPE, event)


def response(epsilon: int) -> Guarantee:
    return of(RandomizedResponse(Fraction(epsilon)))


def again(charge: int, epsilon: int = 1) -> Guarantee:
    return of(StoredResponse(Fraction(epsilon), Fraction(charge)))


class World:
    """A ledger with charges of each kind, by the event of each."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder / 'ledger.sqlite'}"
        self.ledger = create_ledger(self.url)
        custody = self.ledger.custody
        for population, datasets in (("people", ("study", "later")), ("others", ("else",))):
            custody.add_population(population, "epsilon", REPLACE_PHENOTYPE, 100)
            for dataset in datasets:
                custody.add_dataset(dataset, population, {})
            custody.grant(population, "ann", 50)
        self.seqs = {
            "paid": self.charged("paid", response(1)),
            "median": self.charged("median", of(MedianResponse(Fraction(1, 4), Fraction(3, 4), Fraction(5)))),
            "dearer": self.charged("dearer", response(2)),
            "selection": self.charged("selection", of(PureDP(Fraction(1))), stored=None),
            "unanswered": self.charged("unanswered", response(1), answered=False),
            "unkept": self.charged("unkept", response(1), stored=None),
            "elsewhere": self.charged("elsewhere", response(1), dataset="else"),
        }
        self.seqs["free"] = self.charged("free", again(self.seqs["paid"]), stored=None)
        self.seqs["twice"] = self.charged("twice", response(1), lost=True)

    def ticket(self, name: str, guarantee: Guarantee, dataset: str = "study") -> Ticket:
        return self.ledger.charging.charge(Request("ann", name, dataset, f'{{"ask":"{name}"}}'), guarantee)

    def charged(
        self,
        name: str,
        guarantee: Guarantee,
        *,
        dataset: str = "study",
        stored: Stored | None = STORED,
        answered: bool = True,
        lost: bool = False,
    ) -> int:
        charging, ticket = self.ledger.charging, self.ticket(name, guarantee, dataset)
        ticket = charging.draw(ticket, "0" * 64, "1" * 64, stored)
        if lost:
            ticket = charging.draw(charging.redraw(ticket, guarantee), "2" * 64, "3" * 64, Stored("cd" * 32, 300))
        if answered:
            charging.answer(ticket, "manifest", name)
        return ticket.seq

    def spent(self) -> int:
        return self.ledger.reading.account("people").caps[0].spent

    def events(self) -> list[Event]:
        return list(self.ledger.reading.events())


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("responses"))
    yield made
    made.ledger.close()


def test_it_costs_nothing_and_the_ledger_holds_together(world: World) -> None:
    bodies = {event.seq: json.loads(event.body) for event in world.events() if event.kind == "charge"}
    free, paid = bodies[world.seqs["free"]], bodies[world.seqs["paid"]]
    assert (free["amount"], free["response"], free["cost"]) == (0, world.seqs["paid"], {"epsilon": "1"})
    assert (paid["amount"], paid["response"]) == (10**9, "drawn")
    assert [each.charge for each in world.ledger.charging.responses("later")] == [
        world.seqs[name] for name in ("paid", "median", "dearer", "twice")
    ]
    # A response whose bytes were lost was paid for again, and the second is the one that there is.
    assert find(world.ledger.charging.responses("study"), world.seqs["twice"]).stored.sha256 == "cd" * 32
    world.ledger.reading.verify()
    replay_events(world.events())
    # What all charges tell together: 1 + 1 + 2 + 1 + 1 + 1 + 1 + 1, and nothing for the free one.
    assert world.ledger.reading.joint_disclosure("people").epsilon == 9 == Fraction(world.spent(), 10**9)


def test_what_was_not_paid_for_is_refused_and_nothing_is_written(world: World) -> None:
    before = len(world.events())
    refused = [
        (again(world.seqs[name]), "paid for none that was kept")
        for name in ("selection", "unanswered", "unkept", "elsewhere", "free")
    ]
    refused += [
        (again(1), "paid for none that was kept"),
        (again(10**6), "paid for none that was kept"),
        (again(world.seqs["dearer"]), "was drawn at epsilon 2, and another cost is stated"),
        (again(world.seqs["paid"], 2), "was drawn at epsilon 1, and another cost is stated"),
        *(
            (of(StoredResponse(Fraction(part), Fraction(world.seqs["median"]))), "another cost")
            for part in ("1/4", "3/4")
        ),
    ]
    for guarantee, problem in refused:
        for ask in (world.ledger.charging.charge, world.ledger.charging.preview):
            with pytest.raises(PolicyRefused, match=problem):
                ask(Request("ann", "no", "study", "{}"), guarantee)
    assert len(world.events()) == before


def test_a_retry_is_free_and_of_the_same_charge(tmp_path: Path) -> None:
    world = World(tmp_path)
    guarantee = again(world.seqs["paid"])
    # Of another dataset of the same people, after their caps are spent.
    world.ledger.charging.charge(Request("ann", "rest", "study", "{}"), of(PureDP(Fraction(41))))
    with pytest.raises(Exception, match="has 0 left"):
        world.ticket("more", response(1))
    spent = world.spent()
    ticket = world.ticket("scan", guarantee, "later")
    world.ledger.charging.give_up(ticket)
    repeated = world.ticket("scan", guarantee, "later")
    assert (ticket.amount, repeated.seq, repeated.fresh, world.spent()) == (0, ticket.seq, False, spent)
    world.ledger.charging.give_up(repeated)
    with pytest.raises(RequestConflict):
        world.ticket("scan", response(1), "later")
    assert world.ledger.charging.preview(Request("ann", "new", "later", "{}"), guarantee).more is None
    world.ledger.reading.verify()
    world.ledger.close()


@pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")
def test_an_approval_of_a_further_scan_keeps_nothing_of_the_budget(tmp_path: Path) -> None:
    """Nor does it pay for anything else: a response that is drawn anew, and one that nobody paid for, are refused."""
    world, key = World(tmp_path), Key(bytes(range(32)))
    custody, free = world.ledger.custody, again(world.seqs["paid"])
    custody.add_dataset("asked", "people", {}, cap=9)
    custody.delegate("asked", key.public, days=9)
    custody.set_terms("asked", ask_first=True)
    server = open_ledger(world.url, key=key, witness=lambda name: Witness(name, tmp_path / name))
    charging, request = server.charging, Request("ann", "more", "asked", "{}")
    until = custody.approve(request, free, days=2)
    assert charging.approved("asked", "ann", until - 1) == 0
    assert charging.is_approved(request, until - 1)
    for other, problem in ((response(1), "covers 0, the charge is 1"), (again(1), "paid for none that was kept")):
        with pytest.raises(PolicyRefused, match=problem):
            charging.charge(request, other)
    spent = world.spent()
    assert (charging.charge(request, free).amount, world.spent()) == (0, spent)
    custody.approve(Request("ann", "new", "asked", '{"new":1}'), response(1), days=2)
    assert charging.approved("asked", "ann", until - 1) == 10**9
    replay_events(world.events())
    server.close()
    world.ledger.close()


def test_a_kept_response_within_something_else_is_charged_in_full(world: World) -> None:
    both = sequential("two", (again(world.seqs["paid"]), of(PureDP(Fraction(1)))))
    assert world.ledger.charging.preview(Request("ann", "both", "study", "{}"), both).amount == 2 * 10**9


def chained(events: list[Event], kind: str, body: dict[str, Any]) -> list[Event]:
    """The events with one more at the end, well chained."""
    last, text = events[-1], canonical(body)
    return [*events, Event(last.seq + 1, kind, last.at, text, digest(last.hash, last.seq + 1, kind, last.at, text))]


def passes(events: list[Event], honest: dict[str, Any], changes: dict[str, Any]) -> bool:
    """Whether a charge of zero is taken at the end of the chain, which states the balances that it would leave."""
    body = {**honest, "request_id": "forged", **changes}
    spent = {"study": (9, 9, 9), "later": (9, 0, 9), "else": (1, 1, 1)}[body["dataset"]]
    scopes = zip(("analyst", "dataset", "population"), spent, strict=True)
    body["balances"] = {scope: amount * 10**9 for scope, amount in scopes}
    try:
        replay_events(chained(events, "charge", {name: value for name, value in body.items() if value is not None}))
    except IntegrityError:
        return False
    return True


FIELDS: dict[str, list[Any]] = {
    "cost": [{"epsilon": "2"}, {"epsilon": "1"}, {"rho": "1/2"}],
    "events": [
        [[{"mechanism": "pure DP", "epsilon": "2"}, 1]],
        [[{"mechanism": "pure DP", "epsilon": "1/2"}, 2]],
        [[{"mechanism": "exponential mechanism", "epsilon": "1", "score_sensitivity": "1"}, 1]],
        [],
    ],
    "proof": ["residuals/2", None],
    "change": ["add-remove"],
    "dataset": ["later", "else"],
    "amount": [1, -1, 10**9],
    "analyst": ["eve"],
}
"""Other values of each field of a charge that holds."""


@pytest.mark.examples(20)
@given(
    st.sampled_from((*NAMES, 1, 0, -1, 99, "drawn", True, None, "6")),
    st.sets(st.sampled_from((*FIELDS,)), max_size=2),
    st.data(),
)
def test_no_forged_charge_of_zero_passes(world: World, named: Any, changed: set[str], data: st.DataObject) -> None:
    """Against an oracle of its own: the one that was charged, answered and kept, at its own cost, for the same people."""
    events, charge = world.events(), world.seqs.get(named, named)
    honest = next(json.loads(event.body) for event in events if event.seq == world.seqs["free"])
    changes = {name: data.draw(st.sampled_from(FIELDS[name])) for name in sorted(changed)}
    # A response of other people holds for a charge of theirs.
    theirs = named == "elsewhere" and changes.get("dataset") == "else"
    allowed = (named in ("paid", "median", "twice") or theirs) and all(
        value == honest[name] or (name, value) == ("dataset", "else" if theirs else "later")
        for name, value in changes.items()
    )
    dearer = changes == {"cost": {"epsilon": "2"}, "events": [[{"mechanism": "pure DP", "epsilon": "2"}, 1]]}
    assert passes(events, honest, {**changes, "response": charge}) == (allowed or (named == "dearer" and dearer))


def test_honest_charges_of_zero_pass(world: World) -> None:
    events = world.events()
    honest = next(json.loads(event.body) for event in events if event.seq == world.seqs["free"])
    for name in ("twice", "median"):
        assert passes(events, honest, {"response": world.seqs[name], "dataset": "later"})
    two = {"cost": {"epsilon": "2"}, "events": [[{"mechanism": "pure DP", "epsilon": "2"}, 1]]}
    assert passes(events, honest, {"response": world.seqs["dearer"], **two})


@pytest.mark.parametrize("told", [None, ["ab" * 32, 0], ["ab", 300], ["ab" * 32], "ab" * 32, ["ab" * 32, True]])
def test_a_rewritten_draw_makes_no_response(world: World, told: object) -> None:
    """A draw that keeps nothing, or something else, and one of a charge for no response."""
    seqs, events = world.seqs, world.events()
    for name, stated in (("paid", told), ("selection", STORED.stated())):
        forged = [events[0]]
        for event in events[1:]:
            body = json.loads(event.body)
            if event.kind == "drawn" and body["charge"] == seqs[name]:
                body = {**body, "kept": stated} if stated is not None else {k: body[k] for k in body if k != "kept"}
            forged = chained(forged, event.kind, body)
        with pytest.raises(IntegrityError):
            replay_events(forged)
