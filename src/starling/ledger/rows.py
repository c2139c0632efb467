"""Reads and writes of single things within one transaction of a ledger. The SQL of the ledger stands here and in book.py."""

import hashlib
from collections.abc import Mapping
from typing import Any, cast

from starling.errors import ParameterError
from starling.ledger import rules
from starling.ledger.chain import START, Head, digest
from starling.ledger.rules import Cap, Dataset, Lineage, Request, Scope
from starling.ledger.store import Transaction, Value
from starling.ledger.ticket import AnswerKind, Ticket
from starling.privacy.budget import Measure
from starling.privacy.neighbours import Change, Relation, Unit


def head(tx: Transaction) -> Head:
    """The last event; seq 0 where there is none."""
    row = tx.one("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")
    return Head(0, START) if row is None else Head(int(str(row[0])), str(row[1]))


def append(tx: Transaction, kind: str, at: int, body: Mapping[str, Any]) -> Head:
    """Chain one more event."""
    last = head(tx)
    text = rules.canonical(body)
    fresh = Head(last.seq + 1, digest(last.hash, last.seq + 1, kind, at, text))
    values = (fresh.seq, kind, at, text, fresh.hash)
    tx.run("INSERT INTO events (seq, kind, at, body, hash) VALUES (?, ?, ?, ?, ?)", *values)
    return fresh


def time_of(tx: Transaction, clock: int) -> int:
    """The time for a next event: never before the last one, so that a clock set back prolongs no lease."""
    row = tx.one("SELECT at FROM events ORDER BY seq DESC LIMIT 1")
    return max(clock, 0 if row is None else int(str(row[0])))


def lineage(tx: Transaction, name: str) -> Lineage:
    """Raises ParameterError when it is not there."""
    row = tx.one("SELECT measure, change, unit, retired FROM lineages WHERE name = ?", name)
    if row is None:
        raise ParameterError(field="lineage", problem=f"{name} is not there", fix="see starling ledger show")
    measure, change, unit, retired = row
    relation = Relation(cast(Change, change), cast(Unit, unit))
    return Lineage(name, cast(Measure, measure), relation, bool(retired))


def dataset(tx: Transaction, name: str) -> Dataset:
    """Raises ParameterError when it is not there."""
    row = tx.one("SELECT lineage, retired FROM datasets WHERE name = ?", name)
    if row is None:
        raise ParameterError(field="dataset", problem=f"{name} is not registered", fix="see starling ledger dataset")
    return Dataset(name, str(row[0]), bool(row[1]))


def cap(tx: Transaction, lineage: str, scope: Scope, name: str) -> Cap | None:
    """The cap of one scope, or None where it has none."""
    row = tx.one("SELECT cap, spent FROM caps WHERE lineage = ? AND scope = ? AND name = ?", lineage, scope, name)
    return None if row is None else Cap(scope, name, _number(row[0]), int(str(row[1])))


def insert_cap(tx: Transaction, lineage: str, scope: Scope, name: str, units: int | None) -> None:
    """A new scope that has spent nothing."""
    values = (lineage, scope, name, units)
    tx.run("INSERT INTO caps (lineage, scope, name, cap, spent) VALUES (?, ?, ?, ?, 0)", *values)


def spend(tx: Transaction, lineage: str, cap: Cap, amount: int) -> None:
    """Add `amount` to what the scope of `cap` has spent."""
    values = (cap.spent + amount, lineage, cap.scope, cap.name)
    tx.run("UPDATE caps SET spent = ? WHERE lineage = ? AND scope = ? AND name = ?", *values)


_TICKET = "SELECT request_id, request_hash, state, amount, seq, lease, answer_kind, answer, lease_until FROM charges "


def ticket(tx: Transaction, request: Request) -> tuple[Ticket, int] | None:
    """The charge under this request's id, and until when it is leased; raises RequestConflict for another request's id."""
    row = tx.one(f"{_TICKET} WHERE analyst = ? AND request_id = ?", request.analyst, request.request_id)
    if row is None:
        return None
    rules.check_same(str(row[1]), request)
    return _ticket(request, row), int(str(row[8]))


def answered(tx: Transaction, request: Request) -> Ticket | None:
    """The answer that this analyst was given to the same request under another id."""
    row = tx.one(
        f"{_TICKET} WHERE analyst = ? AND request_hash = ? AND state = 'answered' ORDER BY seq LIMIT 1",
        request.analyst,
        request.hash,
    )
    return None if row is None else _ticket(request, row)


def _ticket(request: Request, row: tuple[Value, ...]) -> Ticket:
    _, _, state, amount, seq, lease, kind, answer, _ = row
    return Ticket(
        request,
        cast(rules.State, state),
        int(str(amount)),
        int(str(seq)),
        str(lease),
        cast(AnswerKind | None, kind),
        None if answer is None else str(answer),
    )


def sha256(text: str) -> str:
    """Of an answer's text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def _number(value: Value) -> int | None:
    return None if value is None else int(value)
