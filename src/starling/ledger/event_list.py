"""Events of a book as an auditor looks through them: the newest first, a page at a time, chosen by kind, dataset, analyst and time.

A page looks at a bounded number of events, however rare those are that are wanted; where it ends, the next one goes on.
"""

import json
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final, cast

from starling.errors import ParameterError
from starling.ledger import rows
from starling.ledger.book import Book
from starling.ledger.chain import Event
from starling.ledger.rules import shown
from starling.ledger.store import Transaction

AMOUNTS: Final = ("amount", "cap", "from", "to", "reserve", "most")
"""What a body has in units, beside its balances."""
MOST_READ: Final = 2_000
"""Events that a page looks at."""
_BEFORE: Final = "SELECT seq, kind, at, body, hash FROM events WHERE seq < ? ORDER BY seq DESC LIMIT ?"


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events are wanted; what is None is not looked at.

    Attributes:
        kind: The kind of the event.
        dataset: The dataset that it is about, or whose charge it is about.
        analyst: The analyst, likewise.
        since: Seconds since 1970: not before.
        until: Seconds since 1970: not after.
    """

    kind: str | None = None
    dataset: str | None = None
    analyst: str | None = None
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class ListedEvent:
    """An event, with the dataset and the analyst that it is about, where it is about one; of what follows a charge, those of the charge.

    Attributes:
        event: As the chain has it.
        body: What it says.
        dataset: The name of the dataset.
        analyst: The name of the analyst.
        amounts: Its amounts with their measure by their names in the body, those of balances by their scopes.
    """

    event: Event
    body: dict[str, Any]
    dataset: str | None
    analyst: str | None
    amounts: dict[str, str] = field(default_factory=dict)


def latest_events(book: Book, wanted: EventFilter, before: int, most: int) -> tuple[list[ListedEvent], int | None]:
    """At most `most` events below event `before`, the newest first, and below which event the next ones are; None where there are none."""

    def read(tx: Transaction) -> tuple[list[ListedEvent], int | None]:
        listed, following = _latest(tx, wanted, before, most)
        return _with_amounts(tx, listed), following

    return book.read(read)


def _latest(tx: Transaction, wanted: EventFilter, before: int, most: int) -> tuple[list[ListedEvent], int | None]:
    if wanted.until is not None:
        before = min(before, _first_after(tx, wanted.until))
    read = [Event._make(cast(Any, row)) for row in tx.rows(_BEFORE, before, MOST_READ)]
    listed: list[ListedEvent] = []
    for each in _with_subjects(tx, read):
        if wanted.since is not None and each.event.at < wanted.since:
            return listed, None
        pairs = ((wanted.kind, each.event.kind), (wanted.dataset, each.dataset), (wanted.analyst, each.analyst))
        if all(value in (None, own) for value, own in pairs):
            listed.append(each)
        if len(listed) == most:
            return listed, each.event.seq if each.event.seq > 1 else None
    return listed, read[-1].seq if read and read[-1].seq > 1 else None


def _with_subjects(tx: Transaction, read: list[Event]) -> list[ListedEvent]:
    bodies = [json.loads(each.body) for each in read]
    charges = sorted({body["charge"] for body in bodies if isinstance(body.get("charge"), int)})
    charged = tx.numbered("SELECT seq, dataset, analyst FROM charges WHERE seq", charges)
    subjects = {cast(int, seq): (str(dataset), str(analyst)) for seq, dataset, analyst in charged}
    listed = []
    for event, body in zip(read, bodies, strict=True):
        dataset, analyst = subjects.get(cast(int, body.get("charge")), (body.get("dataset"), body.get("analyst")))
        scope = event.kind if event.kind == "dataset" else body.get("scope", body.get("kind"))
        if event.kind in ("dataset", "raise", "retire"):
            dataset = body["name"] if scope == "dataset" else dataset
            analyst = body["name"] if scope == "analyst" else analyst
        listed.append(ListedEvent(event, body, dataset, analyst))
    return listed


def _with_amounts(tx: Transaction, listed: list[ListedEvent]) -> list[ListedEvent]:
    """Amounts are in the measure of the population that an event is about."""

    @cache
    def measure(population: str | None, dataset: str | None) -> str:
        try:
            return rows.population(tx, population or rows.dataset(tx, str(dataset)).population).measure
        except ParameterError:
            # An event that no ledger of ours has: a check of the ledger says so.
            return "unknown"

    replies = []
    for each in listed:
        units = {name: each.body[name] for name in AMOUNTS if name in each.body} | each.body.get("balances", {})
        population = each.body["name"] if each.event.kind == "population" else each.body.get("population")
        amounts = {
            name: "no limit" if amount is None else f"{measure(population, each.dataset)} {shown(amount)}"
            for name, amount in units.items()
        }
        replies.append(replace(each, amounts=amounts))
    return replies


def _first_after(tx: Transaction, until: int) -> int:
    """The first event later than this; times of events never go back."""

    def time_of(seq: int) -> int:
        row = tx.one("SELECT at FROM events WHERE seq = ?", seq)
        return until if row is None else int(str(row[0]))

    last = tx.one("SELECT max(seq) FROM events")
    seqs = range(1, 1 + int(str(last[0] if last and last[0] is not None else 0)))
    return 1 + bisect_right(seqs, until, key=time_of)
