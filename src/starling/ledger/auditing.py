"""The events of a ledger for somebody who has no key to it: from its database, or from the file that `ledger export` wrote.

Nothing is written and nothing is trusted: `chain.Follower` checks what comes.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from starling.errors import IntegrityError, LedgerUnavailable, ParameterError
from starling.ledger.chain import Event, Follower
from starling.ledger.keys import Public
from starling.ledger.reading import EVENTS
from starling.ledger.replay import Replay
from starling.ledger.rules import canonical
from starling.ledger.schema import expected_sqlite
from starling.ledger.sqlite import quoted
from starling.ledger.store import Row

SLICE = 5_000
"""Events that are read at a time, at most."""

ROOM = 1 << 24
"""Letters of events that are held at a time; a part ends with the event that goes beyond."""

LONGEST = 1 << 24
"""Bytes of a line of an exported ledger, and of a value in a database."""

_SQLITE = b"SQLite format 3\0"
"""How every SQLite file begins."""

_TABLE = "SELECT type, sql FROM sqlite_schema WHERE name = 'events' COLLATE NOCASE"


def events(place: str) -> Iterator[Event]:
    """The events at `place`, in order, unchecked.

    Args:
        place: `postgresql://...`, or a file, also as `sqlite:///FILE`: of a ledger, or exported from one (JSON Lines).

    Raises:
        ParameterError: it is none of these, or not there.
        IntegrityError: it is no ledger.
        LedgerUnavailable: the database cannot be reached.
    """
    if place.startswith(("postgresql://", "postgres://")):
        return _of_postgres(place)
    path = _file(place.removeprefix("sqlite:///"))
    return _of_sqlite(path) if _is_database(place) else _of_export(path)


def check(place: str) -> None:
    """Apply every rule of a ledger again: signatures of custodians, caps, costs, balances; of a database, its tables too.

    Raises:
        IntegrityError: at the first thing that is wrong.
        ParameterError, LedgerUnavailable: as `events`.
    """
    if _is_database(place):
        from starling.ledger.opening import read_ledger

        with closing(read_ledger(place)) as ledger:
            ledger.reading.verify()
        return
    replay_events(events(place))


def replay_events(chain: Iterable[Event]) -> None:
    """Check events alone; raises IntegrityError."""
    follower, replay = Follower(), None
    for event in chain:
        follower.take(event)
        if replay is None:
            replay = _replay(event)
        replay.take(event, None)


def _replay(first: Event) -> Replay:
    try:
        about = json.loads(first.body)
        second = Public.parse(about["second"]) if about["second"] else None
        return Replay(about["id"], Public.parse(about["signer"]), second, tables=False)
    except (ValueError, KeyError, TypeError, AttributeError, ParameterError):
        raise _damaged() from None


def _is_database(place: str) -> bool:
    if place.startswith(("postgresql://", "postgres://", "sqlite:///")):
        return True
    with _file(place).open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def _file(name: str) -> Path:
    path = Path(name)
    if not path.is_file():
        raise ParameterError(
            "ledger",
            f"{path.name or name} is not there",
            "write the path of a ledger or of an exported one, or postgresql://HOST/NAME",
        )
    return path


def _damaged() -> IntegrityError:
    return IntegrityError("ledger", "is damaged or no ledger", "restore it and run ledger verify")


def _of_sqlite(path: Path) -> Iterator[Event]:
    """Read only: the file may lie in a release that nobody may change."""
    try:
        connection = sqlite3.connect(f"file:{quoted(path)}?mode=ro", uri=True, isolation_level=None)
        try:
            connection.execute("PRAGMA trusted_schema=0")
            # Whoever made the file could have put a query that never ends in the place of the table, or a column that is
            # computed, and long.
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
            if connection.execute(_TABLE).fetchall() != [
                row[:1] + row[3:] for row in expected_sqlite() if row[1] == "events"
            ]:
                raise _damaged()
            last = 0
            while part := _part(connection.execute(EVENTS, (last, SLICE))):
                yield from part
                last = part[-1].seq
        finally:
            connection.close()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            raise LedgerUnavailable("ledger", "is busy", "try again") from None
        raise _damaged() from None


def _part(rows: Iterator[Row]) -> list[Event]:
    """Some events, as many as there is room for."""
    part, size = [], 0
    for row in rows:
        part.append(_event(row))
        size += len(part[-1].body)
        if size > ROOM:
            break
    return part


def _of_postgres(url: str) -> Iterator[Event]:
    from starling.ledger.opening import store_at
    from starling.ledger.reading import stored_events

    with closing(store_at(url)) as store:
        yield from map(_event, stored_events(store))


def _of_export(path: Path) -> Iterator[Event]:
    with path.open("rb") as file:
        while line := file.readline(LONGEST):
            try:
                data = json.loads(line)
                yield Event(data["seq"], data["kind"], data["at"], canonical(data["body"]), data["hash"])
            except (ValueError, KeyError, TypeError, RecursionError, ParameterError):
                raise _damaged() from None


def _event(row: tuple[object, ...]) -> Event:
    """Raises IntegrityError where a value has not the type of its column: SQLite takes any."""
    if [*map(type, row)] != [int, str, int, str, str]:
        raise _damaged()
    return Event._make(cast(Any, row))
