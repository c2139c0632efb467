"""What PostgreSQL alone can do to a ledger: settings that forget, connections that end, tables of somebody else."""

import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from urllib.parse import urlsplit

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
    with pytest.raises(LedgerUnavailable, match="nothing is paid twice"):
        world.ledger.book.store.atomically(lose)
    assert world.charge(2).fresh
    assert world.spent() == 2


@pytest.mark.slow
@ON_POSTGRES
def test_a_connection_lost_while_nobody_used_it_is_replaced(world: World) -> None:
    world.charge(1)
    for number in (2, 3):
        end_others(world)
        assert world.charge(number).fresh
    end_others(world)
    assert world.spent() == 3


class SilentProxy:
    """Forwards connections to a server, until it only takes what is sent: as a host that was switched off, or a process that is stopped."""

    def __init__(self, host: str, port: int) -> None:
        self.silent = False
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            server = socket.create_connection(self._target)
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._forward, args=(source, target), daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket) -> None:
        # Either end may be reset while the other is still read.
        with suppress(ConnectionError):
            while data := source.recv(1 << 16):
                if not self.silent:
                    target.sendall(data)


@pytest.fixture
def proxied(world: World) -> tuple[SilentProxy, str]:
    """A proxy before the server of a ledger, and the URL of the ledger by it."""
    parts = urlsplit(world.url)
    proxy = SilentProxy(parts.hostname or "", parts.port or 5432)
    login = parts.netloc.rpartition("@")[0]
    return proxy, parts._replace(netloc=f"{login}{'@' * bool(login)}127.0.0.1:{proxy.port}").geturl()


@pytest.mark.slow
@ON_POSTGRES
def test_an_idle_connection_to_a_silent_host_is_replaced(
    proxied: tuple[SilentProxy, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, url = proxied
    monkeypatch.setattr(postgres, "IDLE", 0.0)
    monkeypatch.setattr(postgres, "PROBE", 0.3)
    monkeypatch.setitem(postgres.WAITS, "connect_timeout", 2)
    with closing(open_ledger(url)) as ledger:
        store = ledger.book.store
        assert store.atomically(count_events, write=False) >= 1
        proxy.silent = True
        with pytest.raises(LedgerUnavailable, match="did not answer"):
            store.atomically(count_events, write=False)
        proxy.silent = False
        assert store.atomically(count_events, write=False) >= 1


@pytest.mark.slow
@ON_POSTGRES
def test_a_statement_that_a_silent_host_does_not_answer_ends_and_frees_the_ledger(
    proxied: tuple[SilentProxy, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy, url = proxied
    monkeypatch.setattr(postgres._Connection, "silence", 0.3)

    def silenced(tx: Transaction) -> int:
        proxy.silent = True
        return count_events(tx)

    with closing(open_ledger(url)) as ledger:
        store = ledger.book.store
        for write in (False, True):
            with pytest.raises(LedgerUnavailable, match="nothing is paid twice"):
                store.atomically(silenced, write=write)
            proxy.silent = False
            assert store.atomically(count_events, write=False) >= 1


def count_events(tx: Transaction) -> int:
    """How many events the ledger has."""
    return int(str((tx.one("SELECT COUNT(*) FROM events") or (0,))[0]))


@pytest.mark.slow
@pytest.mark.parametrize("accepts", [True, False])
def test_a_host_that_says_nothing_is_given_up(accepts: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """One takes the connection and never answers; of the other not even the connection comes about."""
    monkeypatch.setitem(postgres.WAITS, "connect_timeout", 2)
    with ExitStack() as held:
        listener = held.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(0 if accepts else 8):
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        with pytest.raises(LedgerUnavailable, match="did not answer"):
            read_ledger(f"postgresql://127.0.0.1:{listener.getsockname()[1]}/ledger")


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
        with pytest.raises(LedgerUnavailable, match="is busy; try again: nothing is paid twice"):
            patient.custody.grant("people", "eve", 1)
    patient.custody.grant("people", "eve", 1)
    patient.close()


@ON_POSTGRES
def test_a_silent_client_and_a_silent_server_are_given_up(world: World) -> None:
    def settings(tx: Transaction) -> list[Row]:
        return list(tx.rows("SELECT name, setting FROM pg_settings WHERE name IN (?, ?)", *postgres.LIMITS))

    found = world.ledger.book.store.atomically(settings, write=False)
    assert set(found) == {(name, "60000") for name in postgres.LIMITS}
    connection = world.ledger.book.store._connection
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
