"""Whoever has no key reads the same events: from the database, and from an exported file; what is no ledger is refused."""

import sqlite3
from pathlib import Path

import pytest

from starling.errors import IntegrityError, ParameterError
from starling.ledger import auditing
from starling.ledger.auditing import events
from tests.ledger.worlds import World, sqlite_world


@pytest.mark.parametrize("size", [1, 3, 50_000])
def test_events_come_as_the_custodian_reads_them(world: World, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "SLICE", size)
    world.charge(1)
    world.charge(2)
    monkeypatch.setenv("STARLING_HOME", "/nowhere")
    assert list(events(world.url)) == list(world.ledger.reading.events())


def test_an_exported_ledger_has_the_same_events(world: World, tmp_path: Path) -> None:
    world.charge(1)
    exported = tmp_path / "ledger.jsonl"
    exported.write_text("".join(f"{line}\n" for line in world.ledger.reading.export()))
    assert list(events(str(exported))) == list(world.ledger.reading.events())


def test_a_path_is_read_as_what_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "home"))
    with sqlite_world(tmp_path) as world:
        world.charge(1)
        assert list(events(world.url.removeprefix("sqlite:///"))) == list(events(world.url))


def test_a_ledger_that_nobody_may_write_is_read(tmp_path: Path) -> None:
    file = tmp_path / "a b?#%.sqlite"
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE events (seq, kind, at, body, hash)")
        made.execute("INSERT INTO events VALUES (1, 'create', 0, '{}', 'ab')")
    made.close()
    file.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert [event.seq for event in events(f"sqlite:///{file}")] == [1]
        assert [path.name for path in tmp_path.iterdir()] == [file.name]
    finally:
        tmp_path.chmod(0o755)


@pytest.mark.parametrize("place", ["sqlite:///nothing.sqlite", "nothing.jsonl", "mysql://host/name", ""])
def test_a_place_without_a_ledger_is_refused(place: str) -> None:
    with pytest.raises(ParameterError, match="is not there"):
        list(events(place))


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TABLE other (seq)",
        "CREATE VIEW events AS SELECT 1 AS seq",
        "CREATE TABLE events (seq, kind, at, body)",
        "CREATE TABLE events (seq, kind, at, body, hash); INSERT INTO events VALUES (1, 'x', 'late', '{}', 'a')",
        "CREATE TABLE events (seq, kind, at, body, hash); INSERT INTO events VALUES (1, 'x', 0, x'00', 'a')",
    ],
)
def test_another_database_is_refused(made: str, tmp_path: Path) -> None:
    file = tmp_path / "other.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(made)
    connection.close()
    with pytest.raises(IntegrityError, match="no ledger"):
        list(events(f"sqlite:///{file}"))


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"seq": 1}', "\x00\xff", "[" * 100_000, '{"seq": 1, "kind": "x", "at": 0, "body": 0.5, "hash": ""}'],
)
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    for name in ("ledger.jsonl", "ledger.sqlite"):
        (tmp_path / name).write_text(text)
    with pytest.raises(IntegrityError, match="no ledger"):
        list(events(str(tmp_path / "ledger.jsonl")))
    with pytest.raises(IntegrityError, match="no ledger"):
        list(events(f"sqlite:///{tmp_path / 'ledger.sqlite'}"))
