"""What PostgreSQL alone can do to a ledger: settings that forget, connections that end, tables of somebody else."""

import time

import psycopg
import pytest

from starling.errors import IntegrityError, LedgerUnavailable, ParameterError, PolicyRefused
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


@ON_POSTGRES
def test_a_lost_connection_is_worth_another_try_and_loses_nothing(world: World) -> None:
    world.charge(1)
    with psycopg.connect(world.url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    with pytest.raises(LedgerUnavailable, match="try again with the same request id"):
        world.charge(2)
    assert world.charge(2).fresh
    assert world.spent() == 2


@ON_POSTGRES
def test_a_failed_statement_leaves_nothing_of_its_transaction(world: World) -> None:
    def work(tx: Transaction) -> None:
        tx.run("UPDATE caps SET spent = spent + 1")
        tx.run("INSERT INTO caps (since, lineage, scope, name, spent) VALUES (1, 'no such lineage', 'x', 'y', 0)")

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
