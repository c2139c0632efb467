"""Reads and writes of single things within one transaction of a ledger. The SQL of the ledger stands here and in reading.py."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias, cast

from starling.errors import ParameterError
from starling.ledger import rules
from starling.ledger.chain import START, Head, digest
from starling.ledger.leases import Lease
from starling.ledger.rules import AnswerKind, Cap, Dataset, Drawn, Population, Request, Scope, Ticket
from starling.ledger.store import Row, Transaction


def time_of(last: int, clock: int) -> int:
    """The time of a next event: never before the last one, so that events are in the order of their times."""
    return max(last, clock)


End: TypeAlias = tuple[int, str, int]
"""Where the chain ends: seq, hash and time of the last event."""


class EventWriter:
    """Writes at the end of the chain, within one transaction that no other writer shares.

    `clock`: seconds since 1970, as this machine believes. `believed`: where the chain ended when this process last saw it; else that is
    read.
    """

    def __init__(self, tx: Transaction, clock: int, believed: End | None = None) -> None:
        self._tx = tx
        self._clock = clock
        self._start = self._last = believed

    @property
    def start(self) -> End:
        """Where the chain ended before this writer wrote."""
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

        With `first`, only where the chain ends as this writer believes, and that request was neither charged nor answered before: the hash
        is NULL otherwise, which its column refuses, and the transaction fails (`Moved`).
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


def population(tx: Transaction, name: str) -> Population:
    """Raises ParameterError when it is not there."""
    row = tx.one("SELECT measure, change, unit, retired FROM populations WHERE name = ?", name)
    if row is None:
        raise ParameterError("population", f"{name} is not there", "see starling ledger show")
    return Population.of(name, *row)


def dataset(tx: Transaction, name: str) -> Dataset:
    """Raises ParameterError when it is not there."""
    row = tx.one("SELECT population, retired FROM datasets WHERE name = ?", name)
    if row is None:
        raise unregistered(name)
    return Dataset(name, str(row[0]), bool(row[1]))


CAP = "since, scope, name, cap, spent, last"
"""Columns of a `Cap`."""


def cap(tx: Transaction, population: str, scope: Scope, name: str) -> Cap | None:
    """The cap of one scope, or None where it has none."""
    row = tx.one(f"SELECT {CAP} FROM caps WHERE population = ? AND scope = ? AND name = ?", population, scope, name)
    return None if row is None else a_cap(row)


def a_cap(row: Row) -> Cap:
    """The cap that a row's columns `CAP` describe."""
    return Cap(*cast(tuple[int, Scope, str, int | None, int, int | None], row))


def insert_cap(tx: Transaction, since: Head, population: str, scope: str, name: str, units: int | None) -> None:
    """A new scope that has spent nothing; `since` is the event that begins it."""
    values = (since.seq, population, scope, name, units)
    tx.run("INSERT INTO caps (since, population, scope, name, cap, spent) VALUES (?, ?, ?, ?, ?, 0)", *values)


def body(tx: Transaction, seq: int) -> dict[str, Any]:
    """The body of an event that is there."""
    row = tx.one("SELECT body FROM events WHERE seq = ?", seq)
    assert row is not None
    return cast(dict[str, Any], json.loads(str(row[0])))


class Standing(NamedTuple):
    """Where a charge would stand.

    Attributes:
        dataset: The dataset about it that is asked.
        caps: The caps of the analyst, the dataset and the population, in this order; no analyst's where there is no grant.
        noise: What was charged to the population with this kind of noise; None where nothing was yet.
    """

    population: Population
    dataset: Dataset
    caps: list[Cap]
    noise: Cap | None


class Before(NamedTuple):
    """What the ledger says before a charge.

    Attributes:
        same_id: The charge under the request's id, if there is one.
        same: This analyst's charges of the same request under other ids that were not voided, answered ones first; looked for
            where `same_id` is None.
        standing: Where a charge would stand; None where the dataset is not registered.
    """

    same_id: "Known | None"
    same: "list[Known]"
    standing: Standing | None


class Known(NamedTuple):
    """A charge that was made before, and the lease by which another run may be at it."""

    ticket: Ticket
    lease: Lease


_LAST = "SELECT seq, hash, at FROM events ORDER BY seq DESC LIMIT 1"
_SCOPES = {"analyst": "?", "dataset": "datasets.name", "population": "datasets.population", "noise": "?"}
"""Scopes in the order in which their caps are checked, each with its name; a noise's has no limit."""


def _standing() -> str:
    # Each cap by all three columns of the index, whatever a planner believes: a population may have a million analysts.
    names = ("since", "scope", "name", "cap", "spent", "last")
    columns = ", ".join(f"{of}_cap.{name}" for of in _SCOPES for name in names)
    caps = " ".join(
        f"LEFT JOIN caps AS {of}_cap ON {of}_cap.population = datasets.population AND {of}_cap.scope = '{of}'"
        f" AND {of}_cap.name = {name}"
        for of, name in _SCOPES.items()
    )
    return (
        f"SELECT datasets.population, datasets.retired, measure, change, unit, populations.retired AS closed, {columns}"
        f" FROM datasets JOIN populations ON populations.name = datasets.population {caps} WHERE datasets.name = ?"
    )


_COLUMNS = (
    "request_id, request_hash, state, amount, seq, lease, lease_until, holder, answer_kind, answer, drawn_sha256,"
    " drawn_key"
)
_WIDTH = len(_COLUMNS.split(", "))
_TICKET = f"{_COLUMNS} FROM charges WHERE analyst = ?"
_KNOWN = (
    f"SELECT 1 AS ours, {_TICKET} AND request_id = ?"
    f" UNION ALL SELECT 0, {_TICKET} AND request_hash = ? AND state <> 'voided'"
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


def before(tx: Transaction, writer: EventWriter, request: Request, noise: str) -> Before:
    """Raises RequestConflict when the id was used for another request. `noise`: the kind's hash (`Noise.key`)."""
    analyst, dataset = request.analyst, request.dataset
    ids = (analyst, request.request_id, analyst, request.hash, analyst, noise, dataset)
    met = list(tx.rows(_BEFORE, *ids))
    writer.follow(met[0][:3])
    known = [row[3 : 4 + _WIDTH] for row in met if row[3] is not None]
    known_one = next((row[1:] for row in known if row[0] == 1), None)
    if known_one is not None:
        rules.check_same(str(known_one[1]), request)
    same = [] if known_one else sorted((row[1:] for row in known), key=lambda row: (str(row[2]), cast(int, row[4])))
    standing = None
    where = met[0][4 + _WIDTH :]
    if where[0] is not None:
        name, retired = str(where[0]), bool(where[1])
        population = Population.of(name, *where[2:6])
        *caps, kind = (where[start : start + 6] for start in range(6, 30, 6))
        standing = Standing(
            population,
            Dataset(dataset, name, retired),
            [a_cap(row) for row in caps if row[0] is not None],
            None if kind[0] is None else a_cap(kind),
        )
    known_ours = None if known_one is None else known_charge(request, known_one)
    return Before(known_ours, [known_charge(request, row) for row in same], standing)


def known_charge(request: Request, row: Row) -> Known:
    """A charge of this request's body, under the id that was charged; of a row's columns `_COLUMNS`."""
    request_id, _, state, amount, seq, lease, until, holder, kind, answer, sha256, key = row
    ticket = Ticket(
        replace(request, request_id=str(request_id)),
        cast(rules.State, state),
        cast(int, amount),
        cast(int, seq),
        str(lease),
        cast(AnswerKind | None, kind),
        None if answer is None else str(answer),
        drawn=None if sha256 is None else Drawn(str(sha256), str(key)),
    )
    return Known(ticket, Lease(cast(int, until), str(holder)))


def spend(tx: Transaction, where: Standing, noise: str, amount: int, charge: Head | None, *, checked: bool) -> None:
    """Add `amount` units to what the caps of `where` have spent, and with this kind of noise, by its hash.

    `charge` is the event; None for a redraw. Unless `checked`, that is where this transaction has not read the caps, `Moved` is raised
    where they are not as believed.
    """
    spent_before = {cap.since: cap.spent for cap in (*where.caps, *([where.noise] if where.noise else ()))}
    if where.noise is None:
        assert charge is not None
        insert_cap(tx, charge, where.population.name, "noise", noise, None)
        spent_before[charge.seq] = 0
    marks = ", ".join("?" * len(spent_before))
    last, values = ("", ()) if charge is None else (", last = ?", (charge.seq,))
    sql = f"UPDATE caps SET spent = spent + ?{last} WHERE since IN ({marks})"
    if checked:
        tx.run(sql, amount, *values, *spent_before)
        return
    believed = [value for pair in spent_before.items() for value in pair]
    sql += f" AND spent = CASE since {'WHEN ? THEN ? ' * len(spent_before)}END"
    tx.exactly(len(spent_before), sql, amount, *values, *spent_before, *believed)


def insert_charge(
    tx: Transaction, request: Request, amount: int, seq: int, previous: int | None, token: str, lease: Lease
) -> None:
    """The row of a charge that was made as event `seq`, after the charge `previous` of the same population."""
    tx.run(
        "INSERT INTO charges (seq, analyst, request_id, request_hash, dataset, amount, previous, state, lease, lease_until,"
        " holder, times) VALUES (?, ?, ?, ?, ?, ?, ?, 'charged', ?, ?, ?, 1)",
        *(seq, request.analyst, request.request_id, request.hash, request.dataset, amount, previous),
        *(token, lease.until, lease.holder),
    )


def take_over(tx: Transaction, seq: int, token: str, lease: Lease) -> None:
    """Give the open charge `seq` to another run."""
    sql = "UPDATE charges SET lease = ?, lease_until = ?, holder = ? WHERE seq = ?"
    tx.run(sql, token, lease.until, lease.holder, seq)


def sha256(text: str) -> str:
    """The SHA-256 of an answer's text, hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def unregistered(name: str) -> ParameterError:
    """Nobody registered a dataset of this name."""
    return ParameterError("dataset", f"{name} is not registered", "see starling ledger dataset")
