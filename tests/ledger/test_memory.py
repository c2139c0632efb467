"""A charge from memory reads nothing; whatever happened meanwhile, it decides what a charge that reads would."""

import os
import signal
from fractions import Fraction
from typing import Any

import pytest

from starling.errors import BudgetRefused, IntegrityError, LedgerUnavailable, PolicyRefused, RequestConflict
from starling.ledger import rows
from starling.ledger.charging import Charging
from starling.ledger.opening import Ledger
from starling.ledger.rows import Before
from starling.ledger.rules import UNIT, Request
from tests.ledger.test_charging_crashes import STEPS, check_after, child, finished, room
from tests.ledger.worlds import World, costing, request

pytestmark = [
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::starling.ledger.book.ClockWarning"),
]


class Reads:
    """Counts the charges that read first."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        plain = rows.before

        def before(*arguments: Any) -> Before:
            self.count += 1
            return plain(*arguments)

        monkeypatch.setattr(rows, "before", before)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


def charge(ledger: Ledger, *names: str, analyst: str = "ann") -> None:
    """Requests of that names, rho 1 each; after two the next one is made from memory."""
    for name in names:
        assert ledger.charging.charge(request(name, analyst=analyst), costing(1)).fresh


def test_who_charges_alone_reads_once_and_never_again(world: World, reads: Reads) -> None:
    for number in range(6):
        ticket = world.charge(number)
        assert (ticket.fresh, ticket.state) == (True, "charged")
        world.ledger.charging.answer(ticket, "bytes", f"answer {number}")
    assert reads.count == 1
    assert world.spent() == 6
    world.ledger.reading.verify()


def test_another_kind_of_charge_is_read_once(world: World, reads: Reads) -> None:
    charge(world.ledger, "a", "b")
    charge(world.ledger, "c", "d", analyst="bob")
    assert reads.count == 3
    charge(world.ledger, "e", "f")
    assert reads.count == 3
    assert world.spent() == 6
    world.ledger.reading.verify()


def test_two_that_take_turns_charge_what_each_would_alone(world: World) -> None:
    other = world.again()
    charge(world.ledger, "a", "b", "c")
    charge(other, "d", "e", "f", analyst="bob")
    charge(world.ledger, "g")
    charge(other, "h", analyst="bob")
    with pytest.raises(BudgetRefused, match="census"):
        charge(world.ledger, "i")
    assert {cap.name: cap.spent // UNIT for cap in other.reading.account("people").caps} == {
        "people": 8,
        "census": 8,
        "ann": 4,
        "bob": 4,
    }
    other.close()
    world.ledger.reading.verify()


def test_a_cap_that_is_reached_refuses(world: World, reads: Reads) -> None:
    charge(world.ledger, *"abcdef")
    with pytest.raises(BudgetRefused, match="ann"):
        charge(world.ledger, "g")
    # What memory would refuse is asked of the ledger.
    assert reads.count == 3
    assert world.spent() == 6


def test_the_same_id_is_charged_once(world: World) -> None:
    charge(world.ledger, "a", "b", "c")
    with pytest.raises(LedgerUnavailable, match="holds its lease"):
        world.charge("b")
    with pytest.raises(RequestConflict):
        world.ledger.charging.charge(request("b", body="another"), costing(1))
    assert world.spent() == 3
    world.ledger.reading.verify()


def test_an_answered_request_is_not_charged_under_another_id(world: World) -> None:
    charge(world.ledger, "a", "b")
    world.ledger.charging.answer(world.charge("c"), "bytes", "the answer")
    found = world.ledger.charging.charge(request("d", body="c"), costing(1))
    assert (found.answer, found.request.request_id) == ("the answer", "request-c")
    assert world.spent() == 3


def test_what_another_process_charged_is_not_charged_again(world: World) -> None:
    charge(world.ledger, "a", "b")
    other = world.again()
    charge(other, "c")
    with pytest.raises(LedgerUnavailable, match="holds its lease"):
        world.charge("c")
    assert world.spent() == 3
    other.close()


def test_caps_and_registers_that_another_process_changed_are_seen(world: World) -> None:
    other = world.again()
    charge(world.ledger, *"abcdef")
    other.custody.raise_cap("people", "analyst", "ann", 7)
    charge(world.ledger, "g")
    with pytest.raises(BudgetRefused):
        charge(world.ledger, "h")
    other.custody.raise_cap("people", "analyst", "ann", 10)
    charge(world.ledger, "h")
    other.custody.raise_cap("people", "dataset", "census", 10)
    charge(world.ledger, "i")
    other.custody.retire("dataset", "census")
    with pytest.raises(PolicyRefused, match="retired"):
        charge(world.ledger, "j")
    assert world.spent() == 9
    other.close()
    world.ledger.reading.verify()


def test_a_retirement_that_memory_does_not_know_is_obeyed(world: World) -> None:
    charge(world.ledger, "a", "b", "c")
    world.again().custody.retire("population", "people")
    with pytest.raises(PolicyRefused, match="retired"):
        charge(world.ledger, "d")
    assert world.spent() == 3


def test_a_chain_that_ends_otherwise_is_read_again_and_refused(world: World) -> None:
    charge(world.ledger, "a", "b", "c")
    world.ledger.book.store.atomically(
        lambda tx: tx.run("UPDATE events SET hash = ? WHERE seq = (SELECT MAX(seq) FROM events)", "f" * 64)
    )
    with pytest.raises(IntegrityError, match="event 8 was changed"):
        charge(world.ledger, "d")


def test_without_its_condition_a_charge_from_memory_would_be_paid_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge(world.ledger, "a", "b")
    world.ledger.charging.answer(world.charge("c"), "bytes", "the answer")
    monkeypatch.setattr(rows, "_FIRST", rows._FIRST.replace("CASE WHEN", "CASE WHEN 1 = 1 OR"))
    assert world.ledger.charging.charge(request("d", body="c"), costing(1)).fresh
    assert world.spent() == 4


@pytest.mark.slow
def test_promise_04_kill_9_at_each_step_of_a_charge_from_memory(world: World) -> None:
    room(world)
    struck = 0
    for step in range(1, STEPS):
        name = f"kill-{step}"
        code, out = finished(child(world, name, f"warm-kill:{step}"))
        assert code in (0, -signal.SIGKILL)
        check_after(world, name, out)
        if code == 0:
            break
        struck += 1
    assert struck > 5
    world.ledger.reading.verify()


@pytest.mark.slow
@pytest.mark.parametrize("world", ["postgres"], indirect=True)
def test_promise_04_a_lost_connection_at_each_step_of_a_charge_from_memory(world: World) -> None:
    room(world)
    for step in range(1, STEPS):
        name = f"cut-{step}"
        code, out = finished(child(world, name, f"warm-cut:{step}"))
        assert code in (0, 75), out
        check_after(world, name, out if code == 0 else "")
        if code == 0:
            break
    else:
        raise AssertionError("the child never finished")
    world.ledger.reading.verify()


@pytest.mark.slow
def test_promise_03_of_16_processes_that_charge_from_memory_none_overspends(world: World) -> None:
    """Room for 60 charges, of 96 that are tried; verification finds no gap in the chain."""
    room(world)
    world.ledger.custody.grant("people", "crowd", Fraction(60, 100))
    children = []
    for number in range(16):
        child = os.fork()
        if child == 0:
            granted = 0
            try:
                signal.alarm(120)
                mine = world.again().charging
                for each in range(6):
                    granted += tried(mine, request(f"{number}-{each}", analyst="crowd"))
            finally:
                os._exit(granted)
        children.append(child)
    granted_each = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert min(granted_each) >= 0
    assert sum(granted_each) == 60
    assert world.spent() == Fraction(60, 100)
    world.ledger.reading.verify()


def tried(charging: Charging, wanted: Request) -> bool:
    """Whether it was granted."""
    try:
        return charging.charge(wanted, costing(Fraction(1, 100))).fresh
    except BudgetRefused:
        return False
