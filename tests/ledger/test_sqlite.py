"""What SQLite alone can do to a ledger: settings that are not kept, locks, forks, odd names."""

import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from starling.errors import IntegrityError, LedgerUnavailable, OutputError, ParameterError, StarlingError
from starling.ledger import sqlite
from starling.ledger.keys import Key
from starling.ledger.opening import create_ledger, open_ledger
from starling.ledger.sqlite import SqliteStore
from starling.ledger.store import migration
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from tests.ledger.worlds import World

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")

ON_SQLITE = pytest.mark.parametrize("world", ["sqlite"], indirect=True)


@ON_SQLITE
def test_settings_are_read_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    class Deaf(sqlite3.Connection):
        """A build that ignores a PRAGMA."""

        def execute(self, sql: str, *arguments: Any) -> sqlite3.Cursor:
            return super().execute("PRAGMA synchronous=OFF" if sql == "PRAGMA synchronous=3" else sql, *arguments)

    plain = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **named: plain(*a, factory=Deaf, **named))
    with pytest.raises(IntegrityError, match="does not keep synchronous"):
        open_ledger(world.url)


@ON_SQLITE
def test_the_settings_are_the_durable_ones(world: World) -> None:
    connection = world.ledger.book.store._connected()
    read = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
    assert read == {"journal_mode": "delete", "synchronous": 3}


@ON_SQLITE
def test_a_writer_that_waits_too_long_is_told_to_come_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.2)
    patient = world.again()
    other = sqlite3.connect(world.url.removeprefix("sqlite:///"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerUnavailable, match="is busy; try again: nothing is paid twice") as refused:
        patient.custody.grant("people", "eve", 1)
    assert refused.value.exit_code == 75
    other.execute("ROLLBACK")
    patient.custody.grant("people", "eve", 1)
    other.close()
    patient.close()


@ON_SQLITE
def test_a_fork_uses_a_connection_of_its_own(world: World) -> None:
    child = os.fork()
    if child == 0:
        try:
            world.charge("child")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    world.charge("parent")
    assert world.spent() == 2
    world.ledger.reading.verify()


@ON_SQLITE
def test_threads_take_turns(world: World) -> None:
    threads = [threading.Thread(target=world.charge, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.spent() == 5


@pytest.mark.parametrize("name", ["a b", "50%", "what?", "no#1", "ä", "a;b", "x=y&z"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    made = create_ledger(str(tmp_path / name))
    made.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert open_ledger(str(tmp_path / name)).reading.verify().head.seq == 1


def test_a_file_that_got_no_tables_is_removed(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "new.sqlite", create=True)

    def fails(_: object) -> None:
        raise OutputError(field="ledger", problem="cannot be written", fix="make room")

    with pytest.raises(OutputError):
        store.initialise(fails)
    assert not (tmp_path / "new.sqlite").exists()


def test_a_missing_file_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="ledger create"):
        SqliteStore(tmp_path / "none.sqlite")
    assert not list(tmp_path.iterdir())


def test_a_migration_is_statements_without_comments() -> None:
    found = migration()
    assert len(found) == 8
    assert all(text.startswith("CREATE ") and "--" not in text.splitlines()[0] for text in found)


@pytest.mark.slow
def test_attack_a10_of_several_creators_one_makes_the_ledger_and_no_other_touches_it(tmp_path: Path) -> None:
    key, rounds = Key(bytes(32)), 30
    for number in range(rounds):
        path, children = tmp_path / f"{number}.sqlite", []
        gate, opened = os.pipe()
        for _ in range(3):
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    os.close(opened)
                    os.read(gate, 1)
                    create_ledger(str(path), key=key).custody.add_population("people", "rho", ADD_REMOVE_PERSON, 1)
                    code = 0
                except ParameterError:
                    code = 2
                finally:
                    os._exit(code)
            children.append(child)
        # All of them begin when its last writer lets the pipe go.
        os.close(opened)
        os.close(gate)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        assert sorted(codes) == [0, 2, 2]
        made = open_ledger(str(path), key=key)
        assert made.reading.verify().head.seq == 2
        made.close()


def test_a_creator_that_fails_leaves_the_file_of_another(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    create_ledger(str(path), key=Key(bytes(32))).close()
    before = path.read_bytes()
    for again in (lambda: create_ledger(str(path), key=Key(bytes(32))), lambda: SqliteStore(path, create=True)):
        with pytest.raises(ParameterError, match="exists already"):
            again()
    with pytest.raises(StarlingError):
        SqliteStore(path).initialise(lambda tx: tx.run("CREATE TABLE events (seq)"))
    assert path.read_bytes() == before
