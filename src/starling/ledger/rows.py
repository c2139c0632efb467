"""Reads and writes of single things within one transaction of a ledger. The SQL of the ledger stands here and in reading.py."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias, cast

from starling.errors import ParameterError
from starling.ledger import rules
from starling.ledger.chain import START, Head, digest
from starling.ledger.rules import Cap, Dataset, Lineage, Request, Scope
from starling.ledger.store import Row, Transaction
from starling.ledger.ticket import AnswerKind, Ticket
from starling.privacy.budget import Measure
from starling.privacy.neighbours import Change, Relation, Unit


def time_of(last: int, clock: int) -> int:
    """The time of a next event: never before the last one, so that a clock set back prolongs no lease."""
    return max(last, clock)


End: TypeAlias = tuple[int, str, int]
"""Where the chain ends: seq, hash and time of the last event."""


class Pen:
    """Writes at the end of the chain, within one transaction that no other writer shares.

    Args:
        tx: The transaction.
        clock: Seconds since 1970, as this machine believes.
        believed: Where the chain ended when this process last saw it; without it that is read.
    """

    def __init__(self, tx: Transaction, clock: int, believed: End | None = None) -> None:
        self._tx = tx
        self._clock = clock
        self._start = self._last = believed

    @property
    def start(self) -> End:
        """Where the chain ended before this pen wrote."""
        if self._start is None:
            self.follow(self._tx.one(_LAST))
        assert self._start is not None
        return self._start

    @property
    def head(self) -> Head:
        """The last event so far."""
        return Head(*self.end[:2])

    @property
    def now(self) -> int:
        """The time of what is written."""
        return time_of(self.end[2], self._clock)

    @property
    def end(self) -> End:
        """Where the chain ends now."""
        return self._last or self.start

    def follow(self, last: Row | None) -> None:
        """Go on after the last event, as (seq, hash, at), where it was read along with other things."""
        if self._start is None:
            self._start = self._last = (0, START, 0) if last is None else cast(End, last)

    def append(self, kind: str, body: Mapping[str, Any], *, first: Request | None = None) -> Head:
        """Chain one more event; raises ParameterError for a body that holds a float.

        Args:
            kind: Of the event.
            body: What it says.
            first: Only where the chain ends as this pen believes, and this request was neither charged nor answered before:
                the hash is NULL otherwise, which its column refuses, and the transaction fails (`Moved`).
        """
        text, now = rules.canonical(body), self.now
        seq, before, _ = self.end
        hashed = digest(before, seq + 1, kind, now, text)
        self._last = seq + 1, hashed, now
        if first is None:
            self._tx.run(f"{_INSERT} (?, ?, ?, ?, ?)", seq + 1, kind, now, text, hashed)
        else:
            condition = before, first.analyst, first.request_id, first.analyst, first.hash
            self._tx.run(f"{_INSERT} (?, ?, ?, ?, {_FIRST})", seq + 1, kind, now, text, *condition, hashed)
        return self.head


def head(tx: Transaction) -> Head:
    """The last event; seq 0 where there is none."""
    row = tx.one("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")
    return Head(0, START) if row is None else Head(*cast(tuple[int, str], row))


def lineage(tx: Transaction, name: str) -> Lineage:
    """Raises ParameterError when it is not there."""
    row = tx.one("SELECT measure, change, unit, retired FROM lineages WHERE name = ?", name)
    if row is None:
        raise ParameterError(field="lineage", problem=f"{name} is not there", fix="see starling ledger show")
    return _lineage(name, row)


def _lineage(name: str, row: Row) -> Lineage:
    measure, change, unit, retired = row
    relation = Relation(cast(Change, change), cast(Unit, unit))
    return Lineage(name, cast(Measure, measure), relation, bool(retired))


def dataset(tx: Transaction, name: str) -> Dataset:
    """Raises ParameterError when it is not there."""
    row = tx.one("SELECT lineage, retired FROM datasets WHERE name = ?", name)
    if row is None:
        raise unregistered(name)
    return Dataset(name, str(row[0]), bool(row[1]))


CAP = "since, scope, name, cap, spent, last"
"""Columns of a `Cap`."""


def cap(tx: Transaction, lineage: str, scope: Scope, name: str) -> Cap | None:
    """The cap of one scope, or None where it has none."""
    row = tx.one(f"SELECT {CAP} FROM caps WHERE lineage = ? AND scope = ? AND name = ?", lineage, scope, name)
    return None if row is None else a_cap(row)


def a_cap(row: Row) -> Cap:
    """Of a row's columns `CAP`."""
    return Cap(*cast(tuple[int, Scope, str, int | None, int, int | None], row))


def insert_cap(tx: Transaction, since: Head, lineage: str, scope: str, name: str, units: int | None) -> None:
    """A new scope that has spent nothing; `since` is the event that begins it."""
    values = (since.seq, lineage, scope, name, units)
    tx.run("INSERT INTO caps (since, lineage, scope, name, cap, spent) VALUES (?, ?, ?, ?, ?, 0)", *values)


def body(tx: Transaction, seq: int) -> dict[str, Any]:
    """Of an event that is there."""
    row = tx.one("SELECT body FROM events WHERE seq = ?", seq)
    assert row is not None
    return cast(dict[str, Any], json.loads(str(row[0])))


class Standing(NamedTuple):
    """Where a charge would stand.

    Attributes:
        lineage: Whose people.
        dataset: About them.
        caps: Of the analyst, the dataset and the lineage, in this order; no analyst's where there is no grant.
        noise: What was charged to the lineage with this kind of noise; None where nothing was yet.
    """

    lineage: Lineage
    dataset: Dataset
    caps: list[Cap]
    noise: Cap | None


class Before(NamedTuple):
    """What the ledger says before a charge.

    Attributes:
        ticket: The charge under the request's id, if there is one.
        leased: Until when another run may be at it, in seconds since 1970.
        stored: The answer that this analyst was given to the same request under another id, where `ticket` is None.
        standing: Where a charge would stand; None where the dataset is not registered.
    """

    ticket: Ticket | None
    leased: int
    stored: Ticket | None
    standing: Standing | None


_LAST = "SELECT seq, hash, at FROM events ORDER BY seq DESC LIMIT 1"
_SCOPES = {"analyst": "?", "dataset": "datasets.name", "lineage": "datasets.lineage", "noise": "?"}
"""In the order in which caps are checked, each with its name; a noise's has no limit."""


def _standing() -> str:
    # Each cap by all three columns of the index, whatever a planner believes: a lineage may have a million analysts.
    names = ("since", "scope", "name", "cap", "spent", "last")
    columns = ", ".join(f"{of}_cap.{name}" for of in _SCOPES for name in names)
    caps = " ".join(
        f"LEFT JOIN caps AS {of}_cap ON {of}_cap.lineage = datasets.lineage AND {of}_cap.scope = '{of}'"
        f" AND {of}_cap.name = {name}"
        for of, name in _SCOPES.items()
    )
    return (
        f"SELECT datasets.lineage, datasets.retired, measure, change, unit, lineages.retired AS closed, {columns}"
        f" FROM datasets JOIN lineages ON lineages.name = datasets.lineage {caps} WHERE datasets.name = ?"
    )


_TICKET = "request_id, request_hash, state, amount, seq, lease, lease_until, answer_kind, answer FROM charges WHERE analyst = ?"
_KNOWN = (
    f"SELECT 1 AS ours, {_TICKET} AND request_id = ? UNION ALL SELECT * FROM"
    f" (SELECT 0, {_TICKET} AND request_hash = ? AND state = 'answered' ORDER BY seq LIMIT 1) AS same"
)
_INSERT = "INSERT INTO events (seq, kind, at, body, hash) VALUES"
_FIRST = (
    f"CASE WHEN (SELECT hash FROM ({_LAST}) AS last) = ? AND NOT EXISTS (SELECT 1 FROM ({_KNOWN}) AS known) THEN ? END"
)
# One statement for all of it: a statement is a round trip where the store is a server.
_BEFORE = (
    f"SELECT * FROM ({_LAST}) AS last LEFT JOIN ({_KNOWN}) AS known ON 1 = 1"
    f" LEFT JOIN ({_standing()}) AS standing ON 1 = 1"
)


def before(tx: Transaction, pen: Pen, request: Request, noise: str) -> Before:
    """Raises RequestConflict when the id was used for another request. `noise`: the kind's hash (`Noise.key`)."""
    analyst, dataset = request.analyst, request.dataset
    ids = (analyst, request.request_id, analyst, request.hash, analyst, noise, dataset)
    found = list(tx.rows(_BEFORE, *ids))
    pen.follow(found[0][:3])
    known = {row[3]: row[4:13] for row in found}
    ticket = stored = None
    if 1 in known:
        rules.check_same(str(known[1][1]), request)
        ticket = _ticket(request, known[1])
    elif 0 in known:
        stored = answered(request, known[0])
    standing = None
    if found[0][13] is not None:
        name, retired = str(found[0][13]), bool(found[0][14])
        lineage = _lineage(name, found[0][15:19])
        *ours, kind = (found[0][start : start + 6] for start in range(19, 43, 6))
        caps = [a_cap(row) for row in ours if row[0] is not None]
        standing = Standing(lineage, Dataset(dataset, name, retired), caps, None if kind[0] is None else a_cap(kind))
    return Before(ticket, cast(int, known[1][6]) if ticket else 0, stored, standing)


def answered(request: Request, row: Row) -> Ticket | None:
    """The ticket of an answer that was stored for the same request, under the id that was answered."""
    return _ticket(replace(request, request_id=str(row[0])), row)


def _ticket(request: Request, row: Row) -> Ticket:
    _, _, state, amount, seq, lease, _, kind, answer = row
    return Ticket(
        request,
        cast(rules.State, state),
        cast(int, amount),
        cast(int, seq),
        str(lease),
        cast(AnswerKind | None, kind),
        None if answer is None else str(answer),
    )


def spend(tx: Transaction, where: Standing, noise: str, amount: int, charge: Head) -> None:
    """Add `amount` to what the caps of `where` have spent, and with this kind of noise."""
    if where.noise is None:
        insert_cap(tx, charge, where.lineage.name, "noise", noise, None)
    ours = [cap.since for cap in where.caps] + [charge.seq if where.noise is None else where.noise.since]
    marks = ", ".join("?" * len(ours))
    tx.run(f"UPDATE caps SET spent = spent + ?, last = ? WHERE since IN ({marks})", amount, charge.seq, *ours)


def sha256(text: str) -> str:
    """Of an answer's text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def unregistered(name: str) -> ParameterError:
    """Nobody registered a dataset of this name."""
    return ParameterError(field="dataset", problem=f"{name} is not registered", fix="see starling ledger dataset")
