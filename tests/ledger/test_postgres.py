"""What PostgreSQL alone can do to a ledger: settings that forget, connections that end, tables of somebody else."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from starling.errors import IntegrityError, LedgerUnavailable, ParameterError, PolicyRefused
from starling.ledger import postgres
from starling.ledger.opening import create_ledger, open_ledger, read_ledger
from starling.ledger.store import Row, Transaction
from tests.ledger.conftest import postgres_url
from tests.ledger.worlds import World

ON_POSTGRES = pytest.mark.parametrize("world", ["postgres"], indirect=True)


@pytest.mark.parametrize("setting", ["synchronous_commit"])
@ON_POSTGRES
def test_a_server_that_may_forget_a_commit_is_refused(world: World, setting: str) -> None:
    world.ledger.close()
    with pytest.raises(PolicyRefused, match=f"with {setting} off, which may forget a charge") as refused:
        open_ledger(f"{world.url}?options=-c%20{setting}%3Doff")
    assert refused.value.exit_code == 4


@ON_POSTGRES
def test_a_database_that_has_a_ledger_gets_no_second(world: World) -> None:
    with pytest.raises(ParameterError, match="exists already"):
        create_ledger(world.url)
    world.ledger.reading.verify()


def test_a_database_without_a_ledger_is_told() -> None:
    with pytest.raises(IntegrityError, match="does not have the tables of a ledger"):
        read_ledger(postgres_url())


def end_others(world: World) -> None:
    """End every connection to the ledger."""
    with psycopg.connect(world.url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def lose(tx: Transaction) -> None:
    """End the connection of this very transaction."""
    tx.one("SELECT pg_terminate_backend(pg_backend_pid())")


@ON_POSTGRES
def test_a_connection_lost_in_a_transaction_is_worth_another_try_and_loses_nothing(world: World) -> None:
    world.charge(1)
    with pytest.raises(LedgerUnavailable, match="try again with the same request id"):
        world.ledger.book.store.atomically(lose)
    assert world.charge(2).fresh
    assert world.spent() == 2


@ON_POSTGRES
def test_a_connection_lost_while_nobody_used_it_is_replaced(world: World) -> None:
    world.charge(1)
    for number in (2, 3):
        end_others(world)
        assert world.charge(number).fresh
    end_others(world)
    assert world.spent() == 3


@ON_POSTGRES
def test_a_failed_statement_leaves_nothing_of_its_transaction(world: World) -> None:
    def work(tx: Transaction) -> None:
        tx.run("UPDATE caps SET spent = spent + 1")
        tx.run("INSERT INTO caps (since, population, scope, name, spent) VALUES (1, 'no such population', 'x', 'y', 0)")

    with pytest.raises(LedgerUnavailable):
        world.ledger.book.store.atomically(work)
    assert world.spent() == 0
    world.ledger.reading.verify()


@ON_POSTGRES
def test_rows_that_were_changed_are_counted_in_a_pipeline(world: World) -> None:
    store = world.ledger.book.store
    assert store.atomically(lambda tx: tx.changed("UPDATE caps SET spent = spent")) == 4


@ON_POSTGRES
def test_what_is_read_is_not_the_late_result_of_what_was_run_before(world: World) -> None:
    def work(tx: Transaction) -> Row | None:
        for _ in range(20):
            # More than a server keeps back until it is asked.
            tx.run("SELECT repeat('x', 20000)")
        time.sleep(0.1)
        return tx.one("SELECT CAST(? AS BIGINT)", 7)

    assert world.ledger.book.store.atomically(work) == (7,)


@ON_POSTGRES
def test_a_writer_that_waits_too_long_is_told_to_come_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(postgres.LIMITS, "lock_timeout", 0.2)
    patient = world.again()
    with psycopg.connect(world.url) as other:
        other.execute("LOCK TABLE events IN EXCLUSIVE MODE")
        with pytest.raises(LedgerUnavailable, match="is busy; try again with the same request id"):
            patient.custody.grant("people", "eve", 1)
    patient.custody.grant("people", "eve", 1)
    patient.close()


@ON_POSTGRES
def test_a_silent_client_and_a_silent_server_are_given_up(world: World) -> None:
    def settings(tx: Transaction) -> list[Row]:
        return list(tx.rows("SELECT name, setting FROM pg_settings WHERE name IN (?, ?)", *postgres.LIMITS))

    found = world.ledger.book.store.atomically(settings, write=False)
    assert set(found) == {(name, "60000") for name in postgres.LIMITS}
    connection = world.ledger.book.store._connection  # type: ignore[attr-defined]
    said = connection.info.get_parameters()
    assert {name: said[name] for name in postgres.WAITS} == {name: str(value) for name, value in postgres.WAITS.items()}


@ON_POSTGRES
def test_of_two_creators_one_makes_the_ledger(world: World) -> None:
    with psycopg.connect(world.url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")

    def make(_: int) -> bool:
        try:
            create_ledger(world.url).close()
        except ParameterError:
            return False
        return True

    with ThreadPoolExecutor(3) as pool:
        assert sorted(pool.map(make, range(3))) == [False, False, True]
    assert read_ledger(world.url).reading.verify().head.seq == 1


@ON_POSTGRES
def test_the_driver_logs_nothing(world: World, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"), pytest.raises(LedgerUnavailable):
        world.ledger.book.store.atomically(lose)
    assert logging.getLogger("psycopg").disabled
    assert caplog.records == []
