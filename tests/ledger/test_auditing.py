"""Whoever has no key reads the same events: from the database, and from an exported file; what is no ledger is refused."""

import json
import resource
import sqlite3
from pathlib import Path

import pytest

from starling.errors import IntegrityError, ParameterError
from starling.ledger import auditing
from starling.ledger.auditing import check, events
from starling.ledger.chain import START, digest
from starling.ledger.store import migration
from tests.ledger.worlds import World, sqlite_world

EVENTS = next(text for text in migration() if text.startswith("CREATE TABLE events"))


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
        made.execute(EVENTS)
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
        "CREATE TABLE events (seq, kind, at, body, hash); INSERT INTO events VALUES (1, 'x', 0, '{}', 'a')",
        f"{EVENTS}; INSERT INTO events VALUES (1, 'x', 'late', '{{}}', 'a')",
        f"{EVENTS}; INSERT INTO events VALUES (1, 'x', 0, x'00', 'a')",
        f"{EVENTS}; INSERT INTO events VALUES (1, 'x', 0, zeroblob(20000000), 'a')",
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


def test_a_small_file_whose_column_is_computed_takes_no_memory(tmp_path: Path) -> None:
    file = tmp_path / "small.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, kind TEXT, at INTEGER, hash TEXT,"
        " body TEXT AS (hex(zeroblob(100000000))) VIRTUAL);"
        "INSERT INTO events (seq, kind, at, hash) VALUES (1, 'x', 0, 'a'), (2, 'x', 0, 'a')"
    )
    connection.close()
    resource_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for place in (str(file), f"sqlite:///{file}"):
        with pytest.raises(IntegrityError, match="no ledger"):
            list(events(place))
        with pytest.raises(IntegrityError):
            check(place)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resource_before < 100_000


def test_events_are_held_as_far_as_there_is_room(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "ROOM", 1)
    world.charge(1)
    assert list(events(world.url)) == list(world.ledger.reading.events())


def test_attack_a27_a_ledger_is_checked_with_its_tables_and_an_export_by_its_rules(
    world: World, tmp_path: Path
) -> None:
    world.charge(1)
    exported = tmp_path / "ledger.jsonl"
    exported.write_text("".join(f"{line}\n" for line in world.ledger.reading.export()))
    check(world.url)
    check(str(exported))
    world.ledger.book.store.atomically(lambda tx: tx.run("UPDATE caps SET spent = 0"))
    with pytest.raises(IntegrityError, match="table caps"):
        check(world.url)
    text = exported.read_text()
    unsigned = text.splitlines()[3].replace('"cap":6000000000', '"cap":7000000000')
    exported.write_text(rehashed([*text.splitlines()[:3], unsigned, *text.splitlines()[4:]]))
    with pytest.raises(IntegrityError, match="event 4 is not signed by the custodian"):
        check(str(exported))


def rehashed(lines: list[str]) -> str:
    """A chain that somebody rewrote with care."""
    before, found = START, []
    for line in lines:
        event = json.loads(line)
        body = json.dumps(event["body"], sort_keys=True, separators=(",", ":"))
        before = event["hash"] = digest(before, event["seq"], event["kind"], event["at"], body)
        found.append(f"{json.dumps(event)}\n")
    return "".join(found)
