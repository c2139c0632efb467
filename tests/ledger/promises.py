"""The sixteen promises of the ledger, each a function that fails when the promise is broken. See test_charging_promises.py.

Promise 4 (kill -9 and failing disks) is test_charging_crashes.py, promise 16 (any history) is test_charging_history.py.
"""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

from starling.errors import (
    BudgetRefused,
    IntegrityError,
    LedgerUnavailable,
    ParameterError,
    PolicyRefused,
    RequestConflict,
    RunFailed,
    StarlingError,
)
from starling.ledger import rules
from starling.ledger.chain import approval_message
from starling.ledger.checking import Check
from starling.ledger.deadline import departure
from starling.ledger.keys import make
from starling.ledger.leases import SECONDS as LEASE_SECONDS
from starling.ledger.opening import create_ledger, open_ledger
from starling.ledger.rules import Request
from starling.ledger.store import Transaction
from starling.privacy.distributions.discrete import DiscreteLaplace
from starling.privacy.guarantee import measurement
from starling.privacy.neighbours import ADD_REMOVE_PERSON, ADD_REMOVE_POINT, REPLACE_PERSON, as_replace_one
from starling.privacy.trust import Confidential, publish
from tests.ledger.worlds import Count, World, costing, request


def promise_01_the_durable_charge_precedes_any_private_read(world: World) -> None:
    seen: list[Fraction] = []

    def read() -> int:
        # Asked of the store by another connection, so that only what is committed counts.
        other = world.again()
        seen.append(Fraction(other.reading.account("people").caps[0].spent, rules.UNIT))
        other.close()
        return 7

    released = publish(Confidential(read), Count(), world.ledger.account(request(1)))
    assert released.value == 7
    assert seen == [1]


def promise_02_the_same_request_gives_the_same_bytes_and_costs_nothing(world: World) -> None:
    ticket = world.charge(1)
    world.ledger.charging.answer(ticket, "bytes", "c2VjcmV0")
    again = world.charge(1)
    assert (again.state, again.answer, again.seq) == ("answered", "c2VjcmV0", ticket.seq)
    assert world.spent() == 1
    with pytest.raises(RequestConflict):
        world.ledger.charging.charge(request(1, body="another"), costing(1))
    assert world.spent() == 1


def promise_03_no_overspend_of_any_cap_under_concurrency(world: World) -> None:
    """32 threads on 4 connections here; 32 processes in test_charging_crashes.py."""
    ledgers = [world.again() for _ in range(4)]

    def one(number: int) -> bool:
        try:
            analyst = "ann" if number % 2 else "bob"
            ledgers[number % 4].charging.charge(request(number, analyst=analyst), costing(1))
        except BudgetRefused:
            return False
        return True

    with ThreadPoolExecutor(32) as pool:
        granted = sum(pool.map(one, range(32)))
    caps = {(cap.scope, cap.name): cap for cap in world.ledger.reading.account("people").caps}
    assert granted == 8
    assert all(cap.cap is None or cap.spent <= cap.cap for cap in caps.values())
    assert caps["population", "people"].spent == caps["dataset", "census"].spent == 8 * rules.UNIT
    assert caps["analyst", "ann"].spent + caps["analyst", "bob"].spent == 8 * rules.UNIT


def promise_05_amounts_are_exact_and_rounded_against_the_spender(world: World) -> None:
    for number in range(3):
        world.charge(number, Fraction(1, 3))
    assert 1 < world.spent() <= 1 + Fraction(3, rules.UNIT)
    before = world.spent()
    world.charge("tiny", Fraction(1, 10**18))
    assert world.spent() == before + Fraction(1, rules.UNIT)
    for amount in (0, -1, "nan", "inf", "-0.1", "1e400", "9" * 100, float("nan"), 0.1, True, "1/0"):
        with pytest.raises(ParameterError):
            world.ledger.custody.grant("people", "eve", amount)  # type: ignore[arg-type]


def promise_06_a_population_fixes_measure_neighbours_and_unit(world: World) -> None:
    custody = world.ledger.custody
    laplace = measurement("a count", ADD_REMOVE_PERSON, DiscreteLaplace(Fraction(1, 2)))
    assert world.ledger.charging.charge(request("pure"), laplace).amount == 2 * rules.UNIT  # 2^2 / 2
    custody.add_population("pure", "epsilon", ADD_REMOVE_PERSON, 10)
    custody.add_dataset("pure-data", "pure", {})
    custody.grant("pure", "ann", 10)
    with pytest.raises(PolicyRefused, match="zCDP"):
        world.charge("a", dataset="pure-data")
    assert world.ledger.charging.charge(request("b", dataset="pure-data"), laplace).amount == 2 * rules.UNIT
    custody.add_population("study", "rho", REPLACE_PERSON, 100)
    custody.add_dataset("study-data", "study", {})
    custody.grant("study", "ann", 100)
    charging = world.ledger.charging
    assert charging.charge(request("c", dataset="study-data"), costing(1)).amount == 4 * rules.UNIT
    assert as_replace_one(costing(1).cost).amount == 4
    assert charging.charge(request("d", dataset="study-data"), laplace).amount == 8 * rules.UNIT  # (2 * 2)^2 / 2
    with pytest.raises(PolicyRefused, match="neighbours"):
        charging.charge(request("e"), costing(1, REPLACE_PERSON))
    with pytest.raises(PolicyRefused, match="unit"):
        charging.charge(request("f"), costing(1, ADD_REMOVE_POINT))


def promise_07_no_refund_for_a_failure_that_depends_on_data(world: World) -> None:
    def fails() -> int:
        raise ValueError("record 17 says 42")

    with pytest.raises(RunFailed):
        publish(Confidential(fails), Count(), world.ledger.account(request(1)))
    assert world.spent() == 1
    publish(Confidential(lambda: 1), Count(), world.ledger.account(request(2)))
    assert world.spent() == 2


def promise_08_a_refusal_depends_on_request_schema_and_ledger_only(world: World) -> None:
    read: list[int] = []

    def reading() -> int:
        read.append(1)
        return 1

    for analyst, dataset, rho in (("ann", "census", 7), ("eve", "census", 1), ("ann", "nowhere", 1)):
        data = Confidential(reading)
        with pytest.raises(StarlingError):
            publish(data, Count(rho), world.ledger.account(request(dataset, analyst=analyst, dataset=dataset)))
    assert not read
    assert world.spent() == 0


def promise_09_errors_have_one_shape_whatever_the_data_did(world: World) -> None:
    said = set()
    for number, error in enumerate((ValueError("secret"), MemoryError(), ZeroDivisionError(), OverflowError("99"))):

        def fails(error: Exception = error) -> int:
            raise error

        with pytest.raises(RunFailed) as caught:
            publish(Confidential(fails), Count(), world.ledger.account(request(number)))
        said.add((str(caught.value), caught.value.exit_code, caught.value.__context__, caught.value.__cause__))
    assert len(said) == 1


def promise_10_answers_leave_at_a_deadline_of_the_plan(world: World) -> None:
    """Whatever the run took, what leaves leaves at the deadline or, missed, at its next doubling."""
    del world
    assert [departure(8, took) for took in (0, 1, 7.99, 8)] == [8] * 4
    assert [departure(8, took) for took in (8.01, 16, 17, 33)] == [16, 16, 32, 64]


def promise_11_tampering_is_found(world: World) -> None:
    for number in range(4):
        world.charge(number)
    world.ledger.charging.answer(world.charge(4), "bytes", "YQ==")
    world.ledger.reading.verify()
    tampers = [
        "UPDATE events SET body = replace(body, 'ann', 'bob') WHERE seq = 7",
        "DELETE FROM events WHERE seq = 7",
        "UPDATE events SET seq = -1 WHERE seq = 7",
        "DELETE FROM events WHERE seq >= 9",
        "UPDATE caps SET spent = 0 WHERE scope = 'population'",
        "UPDATE caps SET cap = 99000000000 WHERE scope = 'population'",
        "DELETE FROM charges WHERE seq = 7",
        "UPDATE charges SET answer = 'Yg==' WHERE answer IS NOT NULL",
        "UPDATE charges SET state = 'voided' WHERE seq = 7",
        "UPDATE populations SET retired = 1",
    ]
    for sql in tampers:

        def tampered(sql: str = sql) -> None:
            def work(tx: Transaction) -> None:
                tx.run(sql)
                Check(world.ledger.book).finish(tx)
                raise AssertionError(sql)

            world.ledger.book.store.atomically(work)

        with pytest.raises(IntegrityError):
            tampered()
    world.ledger.reading.verify()


def promise_12_an_old_backup_is_refused(world: World) -> None:
    if not world.url.startswith("sqlite"):
        # What a restored PostgreSQL looks like: the last events and what they did are gone.
        world.charge(1)
        world.ledger.book.store.atomically(lambda tx: tx.run("DELETE FROM events WHERE seq = 6"))
        with pytest.raises(IntegrityError, match="backup"):
            world.again()
        return
    path = Path(world.url.removeprefix("sqlite:///"))
    old = path.with_suffix(".old")
    world.ledger.book.store.backup(str(old))
    world.charge(1)
    world.ledger.close()
    shutil.copy(old, path)
    with pytest.raises(IntegrityError, match="backup"):
        open_ledger(world.url)


def promise_13_leases_expire(world: World) -> None:
    dead = world.charge(1)
    with pytest.raises(LedgerUnavailable, match="lease"):
        world.charge(1)
    world.time.wall -= 10_000  # a clock set back prolongs nothing
    with pytest.raises(LedgerUnavailable, match=f"{LEASE_SECONDS} seconds"):
        world.charge(1)
    world.charge(2)
    world.ledger.reading.verify()
    world.time.passes(LEASE_SECONDS)
    alive = world.charge(1)
    assert alive.lease != dead.lease
    assert world.spent() == 2
    with pytest.raises(PolicyRefused):
        world.ledger.charging.answer(dead, "bytes", "ZGVhZA==")
    world.ledger.charging.answer(alive, "bytes", "YWxpdmU=")
    assert world.charge(1).answer == "YWxpdmU="


def promise_14_an_identical_query_is_answered_from_the_store(world: World) -> None:
    world.ledger.charging.answer(world.charge(1), "bytes", "YQ==")
    same = world.ledger.charging.charge(Request("ann", "other-id", "census", request(1).body), costing(1))
    assert (same.answer, same.state) == ("YQ==", "answered")
    assert world.spent() == 1
    other = world.ledger.charging.charge(request(1, analyst="bob"), costing(1))
    assert other.state == "charged"
    assert world.spent() == 2


def promise_15_a_cap_is_raised_by_a_signed_event_alone(world: World) -> None:
    said = world.ledger.custody.raise_cap("people", "population", "people", 12)
    assert "rho 12" in said
    assert "Everybody" in said
    with pytest.raises(PolicyRefused):
        world.ledger.custody.raise_cap("people", "population", "people", 11)
    body = [event.body for event in world.ledger.reading.events() if event.kind == "raise"][-1]
    assert '"signature"' in body
    second = make("second")
    url = world.url + "-two" if world.url.startswith("sqlite") else None
    if url is None:
        return
    two = create_ledger(url, second=second.public)
    two.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 10)
    with pytest.raises(PolicyRefused, match="second custodian"):
        two.custody.raise_cap("people", "population", "people", 12)
    body_to_sign = {
        "population": "people",
        "scope": "population",
        "name": "people",
        "from": 10 * rules.UNIT,
        "to": 12 * rules.UNIT,
    }
    approval = second.sign(approval_message(two.book.id, body_to_sign))
    two.custody.raise_cap("people", "population", "people", 12, approval)
    with pytest.raises(PolicyRefused):
        two.custody.raise_cap("people", "population", "people", 13, approval)
    two.reading.verify()
    two.close()


PROMISES: dict[str, Callable[[World], None]] = {
    name: value for name, value in sorted(globals().items()) if name.startswith("promise_")
}
"""By name."""
