"""The web process charges once for a request, and tells that it was answered at its deadline, and at no other time."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from starling.errors import BudgetRefused, LedgerUnavailable, PolicyRefused, RequestConflict
from starling.ledger.book import Book
from starling.ledger.charging import Charging
from starling.ledger.opening import Ledger, open_ledger
from starling.ledger.reading import Reading
from starling.ledger.rules import Request, Ticket, canonical
from starling.ledger.store import Transaction
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from starling.server.cache import SECONDS
from starling.server.charges import Charges
from starling.server.datasets import Catalogue, Dataset, NotThere
from starling.server.home import Home
from tests.ledger.worlds import costing

pytestmark = pytest.mark.filterwarnings("ignore:ledger .* this machine has no witnessed head")


@pytest.fixture
def dataset(selling: Home) -> Dataset:
    return Catalogue(selling.folder / "datasets").release("census")


@pytest.fixture
def ledger(selling: Home) -> Iterator[Ledger]:
    with closing(open_ledger(selling.settings.ledger)) as opened:
        yield opened


def spent(ledger: Ledger) -> int:
    return ledger.reading.account("people").cap("population", "people").spent // 10**9


def test_a_request_is_charged_once_whoever_repeats_it(selling: Home, dataset: Dataset, ledger: Ledger) -> None:
    charges = Charges(selling)
    seq = charges.charge("analyst", dataset, "first")
    assert charges.charge("analyst", dataset, "first") == seq
    assert charges.charge("analyst", dataset, "second") == seq, "the same request under another name"
    assert Charges(selling).charge("analyst", dataset, "first") == seq
    assert spent(ledger) == 1
    found = ledger.reading.charge(seq)
    assert found is not None
    assert (found.by, found.state) == (selling.key.public.text, "charged")


def test_many_at_once_charge_once(selling: Home, dataset: Dataset, ledger: Ledger) -> None:
    charges, found = Charges(selling), set()
    ready = threading.Barrier(8)

    def ask() -> None:
        ready.wait()
        found.add(charges.charge("analyst", dataset, "first"))

    asking = [threading.Thread(target=ask) for _ in range(8)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert len(found) == 1
    assert spent(ledger) == 1


@pytest.mark.parametrize("question", [None, {"count": "persons"}])
def test_who_sends_twice_at_once_pays_once_with_the_last_of_a_budget(
    selling: Home, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, question: dict[str, str] | None
) -> None:
    """The second request looks for a charge before the first has made it, and finds no budget afterwards."""
    dataset = Dataset("census", "tables", "A count", canonical({"count": "persons"}), costing(3), 8)
    charges, find, others = Charges(selling), Charging.find, list[int]()

    def find_late(self: Charging, request: Request) -> Ticket | None:
        ticket = find(self, request)
        monkeypatch.setattr(Charging, "find", find)
        others.append(charges.charge("analyst", dataset, "first", question))
        return ticket

    monkeypatch.setattr(Charging, "find", find_late)
    assert [charges.charge("analyst", dataset, "first", question)] == others
    assert spent(ledger) == 3


def test_many_analysts_at_once_overspend_nothing(selling: Home, dataset: Dataset, ledger: Ledger) -> None:
    """The dataset has room for four; each analyst alone has room for one."""
    names = [f"analyst-{number}" for number in range(24)]
    for name in names:
        ledger.custody.grant("people", name, 1)
    charges, ready = Charges(selling), threading.Barrier(len(names))
    found: list[int] = []
    refused: list[str] = []

    def ask(name: str) -> None:
        ready.wait()
        try:
            found.append(charges.charge(name, dataset, "first"))
        except BudgetRefused:
            refused.append(name)

    asking = [threading.Thread(target=ask, args=[name]) for name in names]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert (len(set(found)), len(refused), spent(ledger)) == (4, 20, 4)
    ledger.reading.verify()


def test_a_worker_may_begin_at_once(selling: Home, dataset: Dataset, ledger: Ledger) -> None:
    seq = Charges(selling).charge("analyst", dataset, "first")
    ticket = ledger.charging.charge(Request("analyst", "first", "census", dataset.request), dataset.guarantee)
    assert (ticket.seq, ticket.fresh) == (seq, False)


def test_a_cap_holds(selling: Home, ledger: Ledger) -> None:
    charges = Charges(selling)
    for number in range(3):
        other = Dataset("census", "tables", "A count", canonical({"count": str(number)}), costing(1), 8)
        charges.charge("analyst", other, f"request-{number}")
    with pytest.raises(BudgetRefused):
        charges.charge("analyst", Dataset("census", "tables", "A count", "{}", costing(1), 8), "one-more")
    assert spent(ledger) == 3


def test_an_id_is_for_one_request(selling: Home, dataset: Dataset) -> None:
    charges = Charges(selling)
    charges.charge("analyst", dataset, "first")
    with pytest.raises(RequestConflict):
        charges.charge("analyst", Dataset("census", "tables", "Another", "{}", costing(1), 8), "first")


def test_a_server_without_a_right_charges_nothing(served: Home) -> None:
    dataset = Dataset("census", "tables", "A count", "{}", costing(1), 8)
    with pytest.raises(LedgerUnavailable, match="takes no charge of this server"):
        Charges(served).charge("analyst", dataset, "first")


def test_a_charge_is_told_to_who_may_know_it(selling: Home, dataset: Dataset, ledger: Ledger) -> None:
    charges = Charges(selling)
    seq = charges.charge("analyst", dataset, "first")
    assert charges.progress(seq, "analyst").charge == charges.progress(seq, None).charge
    ledger.custody.grant("people", "custodian", 1)
    own = ledger.charging.charge(Request("custodian", "own", "census", canonical({"q": "own"})), costing(1)).seq
    for number, who in ((seq, "eve"), (own, None), (own, "custodian"), (1, None), (10**6, None)):
        with pytest.raises(NotThere):
            charges.progress(number, who)


@pytest.mark.parametrize(
    ("took", "left"), [(0, 8), (1, 8), (7.5, 8), (8, 8), (8.1, 16), (15, 16), (17, 32), (70, 128), (-5, 8)]
)
def test_it_leaves_at_its_deadline_and_nothing_is_told_before(
    selling: Home, dataset: Dataset, ledger: Ledger, took: float, left: int
) -> None:
    """What is told at each moment, whether the run is done or not, depends on how often the deadline doubled alone."""
    seq = Charges(selling).charge("analyst", dataset, "first")
    ticket = ledger.charging.charge(Request("analyst", "first", "census", dataset.request), dataset.guarantee)
    before = ledger.reading.charge(seq)
    assert before is not None

    def told(after: float) -> tuple[str, float]:
        found = Charges(selling, now=lambda: before.at + after).progress(seq, "analyst")
        return found.state, found.leaves - before.at

    moments = [0, 0.5, 7.9, 8, 8.5, 15.9, 16, 31.9, 32, 127.9, 128, 500]
    undone = {after: told(after) for after in moments}
    ledger.charging.answer(ledger.charging.draw(ticket, "0" * 64, "0" * 64), "manifest", "{}")
    assert told(500)[0] == "charged", "its zip is not there yet"
    bundle = selling.releases / f"{seq}.zip"
    bundle.write_bytes(b"zip")
    os.utime(bundle, (before.at + took, before.at + took))
    for after in moments:
        if after < left:
            assert told(after) == undone[after]
        else:
            assert told(after) == ("released", left)


class Counting:
    """Charges with a clock that a test sets, and how often the ledger was read."""

    def __init__(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        self.time = 0.0
        self.read = 0
        self.charges = Charges(home, now=lambda: self.time)
        plain = Book.read

        def reading(book: Book, work: Callable[[Transaction], Any]) -> Any:
            self.read += 1
            return plain(book, work)

        monkeypatch.setattr(Book, "read", reading)

    def told(self, seq: int, analyst: str | None = "analyst") -> tuple[str, int]:
        """The state that is told, and how often the ledger was read for it."""
        before = self.read
        found = asyncio.run(self.charges.followed(seq, analyst))
        return found.state, self.read - before


def test_what_has_left_is_told_without_the_ledger_and_how_a_run_goes_is_not_seen_from_that(
    selling: Home, dataset: Dataset, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between a missed deadline and the one at which an answer leaves each look reads the ledger, whether the run is done or not."""
    counting = Counting(selling, monkeypatch)
    seq = counting.charges.charge("analyst", dataset, "first")
    ticket = ledger.charging.charge(Request("analyst", "first", "census", dataset.request), dataset.guarantee)
    found = ledger.reading.charge(seq)
    assert found is not None
    counting.time = found.at + 1
    assert counting.told(seq)[0] == "charged"
    assert counting.told(seq) == ("charged", 0)
    counting.time = found.at + 9
    undone = [counting.told(seq), counting.told(seq)]
    ledger.charging.answer(ledger.charging.draw(ticket, "0" * 64, "0" * 64), "manifest", "{}")
    bundle = selling.releases / f"{seq}.zip"
    bundle.write_bytes(b"zip")
    os.utime(bundle, (found.at + 9, found.at + 9))
    assert [counting.told(seq), counting.told(seq)] == undone == [("charged", 1), ("charged", 1)]
    counting.time = found.at + 16
    assert counting.told(seq) == ("released", 0)
    with pytest.raises(NotThere):
        counting.told(seq, "eve")
    counting.time += SECONDS
    assert [counting.told(seq), counting.told(seq)] == [("released", 1), ("released", 0)]


def test_a_request_that_is_repeated_is_found_without_the_ledger(
    selling: Home, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting(selling, monkeypatch)
    other = Dataset("census", "tables", "Another", "{}", costing(1), 8)

    def again(name: str, wanted: Dataset = dataset) -> tuple[int | None, int]:
        before = counting.read
        found = asyncio.run(counting.charges.charged("analyst", wanted, name))
        return None if found is None else found.charge.seq, counting.read - before

    assert again("first")[0] is None
    seq = counting.charges.charge("analyst", dataset, "first")
    counting.time = time.time()
    assert again("first")[0] == seq
    assert again("first") == (seq, 0)
    assert again("second")[0] == seq
    assert again("second")[1] > 0, "under this id something else may be charged yet"
    counting.charges.charge("analyst", other, "second")
    for name, wanted in (("first", other), ("second", dataset)):
        with pytest.raises(RequestConflict):
            again(name, wanted)


def test_an_older_ledger_in_its_place_is_noticed(
    selling: Home, dataset: Dataset, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read before is told for a minute at most."""
    counting = Counting(selling, monkeypatch)
    seq = counting.charges.charge("analyst", dataset, "first")
    counting.time = time.time()
    assert counting.told(seq)[0] == "charged"
    monkeypatch.setattr(Reading, "charge", lambda *_: None)
    assert counting.told(seq)[0] == "charged"
    counting.time += SECONDS
    with pytest.raises(NotThere):
        counting.told(seq)


def other(number: int) -> Dataset:
    """Another release of the same dataset, nearly free."""
    body = canonical({"count": f"persons {number}"})
    return Dataset("census", "tables", "A count", body, costing(Fraction(1, 100)), deadline=8)


def test_an_analyst_has_so_many_open_charges(selling: Home, ledger: Ledger) -> None:
    """What is open is what the analyst is told, whatever was answered meanwhile; what is refused costs nothing."""
    home = replace(selling, settings=replace(selling.settings, open_charges=3))
    now = time.time()
    charges = Charges(home, now=lambda: now)
    first, *_ = (charges.charge("analyst", other(number), f"r{number}") for number in range(3))
    before = ledger.reading.head()
    with pytest.raises(PolicyRefused, match="one of more than 3 of yours that have not left"):
        charges.charge("analyst", other(3), "r3")
    assert ledger.reading.head() == before
    assert charges.charge("analyst", other(0), "r0") == first, "what is charged already is no new charge"
    ledger.custody.grant("people", "bob", 1)
    assert charges.charge("bob", other(3), "r3")
    charged = other(0)
    ticket = ledger.charging.charge(Request("analyst", "r0", "census", charged.request), charged.guarantee)
    ledger.charging.answer(ledger.charging.draw(ticket, "0" * 64, "0" * 64), "manifest", "{}")
    bundle = home.releases / f"{first}.zip"
    bundle.write_bytes(b"zip")
    os.utime(bundle, (now, now))
    with pytest.raises(PolicyRefused, match="have not left"):
        charges.charge("analyst", other(3), "r3")
    now += 9
    assert charges.charge("analyst", other(3), "r3")


def test_many_at_once_are_no_more_than_may_be_open(selling: Home) -> None:
    home = replace(selling, settings=replace(selling.settings, open_charges=3))
    charges, outcomes = Charges(home), []
    ready = threading.Barrier(8)

    def ask(number: int) -> None:
        ready.wait()
        try:
            outcomes.append(charges.charge("analyst", other(number), f"r{number}") > 0)
        except PolicyRefused:
            outcomes.append(False)

    asking = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert sum(outcomes) == 3
    charges.close()


def test_nothing_is_charged_before_the_custodian_accepted_records(served: Home) -> None:
    """`server dataset` alone lets nobody pay for an answer that would wait for `server accept`."""
    charges, asked = Charges(served), Dataset("early", "tables", "A count", canonical({}), costing(1), deadline=8)
    with closing(open_ledger(served.settings.ledger)) as ledger:
        ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 10)
        for name in ("early", "other"):
            ledger.custody.add_dataset(name, "people", {}, 4)
            ledger.custody.delegate(name, served.key.public, days=1)
        ledger.custody.grant("people", "analyst", 3)
        ledger.custody.accept("other", "0" * 64)
        before = ledger.reading.head()
        for question in (None, {"kind": "count"}):
            with pytest.raises(PolicyRefused, match="has no records yet that its custodian accepted"):
                charges.charge("analyst", asked, "first", question)
        assert ledger.reading.head() == before
        ledger.custody.accept("early", "0" * 64)
        assert charges.charge("analyst", asked, "first") == before.seq + 2
        assert spent(ledger) == 1
