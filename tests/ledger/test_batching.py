"""Charges that wait together share a commit; each is durable before its answer leaves, and each hears of its own refusal."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from fractions import Fraction

import pytest

from starling.errors import BudgetRefused, LedgerUnavailable, OutputError, RequestConflict, StarlingError
from starling.ledger import batching, rules
from starling.ledger.batching import Batcher
from starling.ledger.charging import Charging, Result, Wanted
from starling.ledger.rules import Ticket
from tests.ledger.worlds import World, costing, request

SMALL = costing(Fraction(1, 100))


class Counted(Charging):
    """Counts commits, and holds the first back until `gate` is set."""

    def __init__(self, world: World) -> None:
        super().__init__(world.ledger.book)
        self.sizes: list[int] = []
        self.gate = threading.Event()

    def charge_all(self, wanted: list[Wanted], *, left: bool = False) -> list[Result]:
        self.sizes.append(len(wanted))
        self.gate.wait(60)
        return super().charge_all(wanted, left=left)


@contextmanager
def crowd(batcher: Batcher, charging: Counted, size: int) -> Iterator[list[Ticket | StarlingError]]:
    """`size` requests that all wait before the first commit; their outcomes in order."""
    outcomes: list[Ticket | StarlingError] = []

    def one(number: int) -> Ticket | StarlingError:
        try:
            return batcher.charge(request(number), SMALL)
        except StarlingError as error:
            return error

    with ThreadPoolExecutor(size) as pool:
        waiting = [pool.submit(one, number) for number in range(size)]
        while len(batcher._waiting) + sum(charging.sizes) < size:
            threading.Event().wait(0.01)
        charging.gate.set()
        outcomes += [each.result() for each in waiting]
    yield outcomes


def test_64_that_wait_share_few_commits(world: World) -> None:
    charging = Counted(world)
    with closing(Batcher(charging)) as batcher, crowd(batcher, charging, 64) as outcomes:
        assert all(isinstance(each, Ticket) for each in outcomes)
    assert sum(charging.sizes) == 64
    assert 64 / len(charging.sizes) >= 10
    assert world.spent() == Fraction(64, 100)
    world.ledger.reading.verify()


def test_a_charge_is_durable_before_its_answer_leaves(world: World) -> None:
    other = world.again()
    seen: list[bool] = []

    def one(number: int) -> None:
        ticket = batcher.charge(request(number), SMALL)
        stored = other.charging.find(request(number))
        seen.append(stored is not None and stored.seq == ticket.seq)

    with closing(Batcher(world.ledger.charging)) as batcher, ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(24)))
    assert seen == [True] * 24
    other.close()


def test_each_hears_of_its_own_refusal(world: World) -> None:
    world.charge("used")
    with closing(Batcher(world.ledger.charging)) as batcher, ThreadPoolExecutor(4) as pool:
        good = pool.submit(batcher.charge, request("good"), SMALL)
        dear = pool.submit(batcher.charge, request("dear"), costing(7))
        same = pool.submit(batcher.charge, request("used", body="another"), SMALL)
        assert good.result().state == "charged"
        assert isinstance(dear.exception(), BudgetRefused)
        assert isinstance(same.exception(), RequestConflict)
    assert world.spent() == 1 + Fraction(1, 100)


def test_no_overspend_within_a_batch(world: World) -> None:
    charging = Counted(world)
    outcomes: list[bool] = []

    def one(number: int) -> None:
        try:
            batcher.charge(request(number), costing(1))
            outcomes.append(True)
        except BudgetRefused:
            outcomes.append(False)

    with closing(Batcher(charging)) as batcher, ThreadPoolExecutor(16) as pool:
        done = [pool.submit(one, number) for number in range(16)]
        charging.gate.set()
        for each in done:
            each.result()
    assert sum(outcomes) == 6
    assert world.spent() == 6


def test_the_same_request_twice_in_a_batch_is_charged_once(world: World) -> None:
    first, second = world.ledger.charging.charge_all([(request(1), SMALL), (request(1), SMALL)])
    assert isinstance(first, Ticket)
    assert first.state == "charged"
    assert isinstance(second, LedgerUnavailable)
    assert "lease" in str(second)
    assert world.spent() == Fraction(1, 100)


def test_a_failed_commit_fails_all_of_its_batch(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    charging = Counted(world)
    plain = world.ledger.book.store.atomically

    def full(*_: object, **__: object) -> object:
        raise OutputError(field="ledger", problem="cannot be written", fix="make room")

    with closing(Batcher(charging)) as batcher:
        monkeypatch.setattr(world.ledger.book.store, "atomically", full)
        with crowd(batcher, charging, 12) as outcomes:
            assert all(isinstance(each, OutputError) and "make room" in str(each) for each in outcomes)
            assert len({id(each) for each in outcomes}) == 12
        monkeypatch.setattr(world.ledger.book.store, "atomically", plain)
        assert world.spent() == 0
        assert batcher.charge(request(0), SMALL).fresh
    world.ledger.reading.verify()


@pytest.mark.parametrize("fault", [ZeroDivisionError, SystemExit])
def test_a_fault_of_our_own_reaches_those_who_wait(
    world: World, monkeypatch: pytest.MonkeyPatch, fault: type[BaseException]
) -> None:
    def broken(*_: object, **__: object) -> list[Result]:
        raise fault

    with closing(Batcher(world.ledger.charging)) as batcher:
        monkeypatch.setattr(world.ledger.charging, "charge_all", broken)
        with pytest.raises(fault):
            batcher.charge(request(0), SMALL)


def test_what_others_carry_out_is_charged_without_a_lease_and_taken_over_by_nobody_but_them(world: World) -> None:
    with closing(Batcher(world.ledger.charging, left=True)) as batcher:
        first = batcher.charge(request(0), SMALL)
        again = batcher.charge(request(0), SMALL)
    assert (first.seq, first.fresh) == (again.seq, True)
    assert world.ledger.reading.head().seq == first.seq, "who charges takes nothing over"
    taken = world.again().charging.charge(request(0), SMALL)
    assert taken.seq == first.seq
    assert world.ledger.reading.head().seq == first.seq + 1, "the other begins at once, which is an event"
    assert world.spent() == Fraction(1, 100)


def test_what_waits_at_the_end_is_charged_and_what_comes_later_is_refused(world: World) -> None:
    charging = Counted(world)
    batcher = Batcher(charging)
    with crowd(batcher, charging, 5) as outcomes:
        batcher.close()
    assert all(isinstance(each, Ticket) for each in outcomes)
    assert world.spent() == 5 * Fraction(1, 100)
    with pytest.raises(LedgerUnavailable, match="nothing is paid twice"):
        batcher.charge(request("late"), SMALL)
    batcher.close()


@pytest.mark.parametrize("world", ["sqlite"], indirect=True)
def test_a_batch_has_an_end(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "MOST", 4)
    charging = Counted(world)
    with closing(Batcher(charging)) as batcher, crowd(batcher, charging, 13) as outcomes:
        assert len(outcomes) == 13
    assert max(charging.sizes) <= 4
    assert world.spent() == rules.charge_units(SMALL.cost.amount) * Fraction(13, rules.UNIT)
