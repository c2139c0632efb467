"""A ledger as its events alone make it, compared on the way with the tables that are there.

Rules are applied again: a charge that broke a cap or costs more than it says, a cap that was lowered, or a custodian event that
nobody signed is found even where somebody rewrote the whole chain with care. A charge is compared with its row when its event
comes by, so that ten million of them need ten megabytes and not ten gigabytes.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias, cast

from starling.errors import IntegrityError, StarlingError
from starling.ledger import delegation, disclosure, rows, rules
from starling.ledger.chain import Counts, Event, approval_message, signed_by
from starling.ledger.keys import Public
from starling.ledger.rows import Standing
from starling.ledger.rules import Population, Ticket
from starling.ledger.store import Transaction
from starling.privacy.budget import Measure
from starling.privacy.neighbours import Change, Relation, Unit

CUSTODIAN = frozenset({"population", "dataset", "grant", "raise", "retire", "accepted", delegation.KIND})
"""Kinds of events that a custodian signs."""

_scan = json.JSONDecoder().raw_decode
"""The decoder without the white space around: ledgers are long."""

_CHUNK = 500
"""Rows that are asked for by number in one statement."""


class Charged(NamedTuple):
    """The row of a charge, as a table holds it."""

    analyst: str
    request_id: str
    request_hash: str
    dataset: str
    amount: int
    previous: int | None
    state: str
    answer_kind: str | None
    answer: str | None
    drawn_sha256: str | None
    drawn_key: str | None
    times: int

    @property
    def status(self) -> "Status":
        """What becomes of a charge after it was made."""
        answer = None if self.answer is None else rows.sha256(self.answer)
        return self.state, self.answer_kind, answer, self.drawn_sha256, self.drawn_key, self.times


CHARGED = ", ".join(f"charges.{name}" for name in Charged._fields)
"""The columns of a row of `Charged`."""

Status: TypeAlias = tuple[str, str | None, str | None, str | None, str | None, int]
"""What became of a charge: its state, kind and SHA-256 of its answer, SHA-256 and key of its draw, and how often it was paid."""


class Cap:
    """A cap as the events make it; of a kind of noise, `once` is what one charge costs."""

    __slots__ = ("cap", "last", "name", "once", "since", "spent")

    def __init__(self, since: int, cap: int | None, name: str) -> None:
        self.since = since
        self.cap = cap
        self.name = name
        self.spent = 0
        self.last: int | None = None
        self.once = 0


_Place: TypeAlias = tuple[Population, tuple[Cap, ...]]
"""A population, and the caps of analyst, dataset and population."""


class _Open:
    """A charge that has not ended: what a redraw of it spends, what its row said when it was read, and its draw."""

    __slots__ = ("amount", "caps", "dataset", "drawn", "said", "times")

    def __init__(self, amount: int, dataset: str, caps: tuple[Cap, ...], said: Status | None = None) -> None:
        self.amount, self.dataset = amount, dataset
        self.caps = caps
        self.said = said
        self.drawn: tuple[str | None, str | None] = None, None
        self.times = 1

    def status(self, state: str, kind: str | None, answer: str | None) -> Status:
        """What its row should say when it is in that state."""
        return state, kind, answer, *self.drawn, self.times


class Replay:
    """Takes the events in order with the rows of charges, then compares the other tables.

    Args:
        ledger: The id of the ledger.
        signer: The custodian's key.
        second: The second custodian's, if there is one.
        tables: Whether rows of charges come with their events; without them the events alone are checked.
    """

    def __init__(self, ledger: str, signer: Public, second: Public | None, *, tables: bool = True) -> None:
        self._tables = tables
        self._ledger = ledger
        self._signer = signer
        self._second = second
        self._about: dict[str, str] = {}
        self._populations: dict[str, Population] = {}
        self._retired: set[str] = set()
        self._datasets: dict[str, list[Any]] = {}
        self._caps: dict[tuple[str, str, str], Cap] = {}
        self._places: dict[tuple[str, str], _Place] = {}
        self._noise: dict[tuple[str, str], Cap] = {}
        self._accepted: set[tuple[int, str, str]] = set()
        self.rights = delegation.Rights()
        self._seq = 0
        self._open: dict[int, _Open] = {}
        self._late: dict[int, Status] = {}
        self.counts = Counts()

    def take(self, event: Event, row: Charged | None) -> None:
        """One more event, with the row of the charge that it is; raises IntegrityError when it breaks a rule or differs from it."""
        self._seq = event.seq
        try:
            body, end = _scan(event.body, 0)
            if end != len(event.body):
                raise _wrong(event.seq, "has more than one body")
            if event.kind == "charge":
                self._charge(event, body, row)
            else:
                self._other(event, body, row)
        except (KeyError, TypeError, AttributeError, ValueError, IndexError):
            raise _wrong(event.seq, "refers to what is not there") from None

    def _charge(self, event: Event, body: dict[str, Any], row: Charged | None) -> None:
        seq, dataset, analyst, amount = event.seq, body["dataset"], body["analyst"], body["amount"]
        population, caps = self._places.get((dataset, analyst)) or self._place(seq, dataset, analyst)
        if not self.rights.cover(body, dataset, event.at):
            raise _wrong(seq, "is charged by a key that had no right to")
        noise = self._noise_of(seq, population, body)
        if amount != noise.once:
            raise _wrong(seq, "does not charge what it costs")
        # The last of the three caps is the population's: its charge before this one.
        previous = caps[-1].last
        spent = *caps, noise
        _spend(seq, amount, spent)
        for cap in spent:
            cap.last = seq
        if body["balances"] != _balances(caps):
            raise _wrong(seq, "states other balances than it leaves")
        if not self._tables:
            self._open[seq] = _Open(amount, dataset, spent)
        elif row is None or row[:6] != (analyst, body["request_id"], body["hash"], dataset, amount, previous):
            raise differs("charges")
        else:
            self._open[seq] = _Open(amount, dataset, spent, row.status)

    def _place(self, seq: int, dataset: str, analyst: str) -> "_Place":
        """What a charge of this analyst to this dataset counts against; kept until a custodian changes anything."""
        name, _, retired = self._datasets[dataset]
        if retired or name in self._retired:
            raise _wrong(seq, "charges what is retired")
        keys = ((name, "analyst", analyst), (name, "dataset", dataset), (name, "population", name))
        place = self._places[dataset, analyst] = self._populations[name], tuple(self._caps[key] for key in keys)
        return place

    def _noise_of(self, seq: int, population: Population, body: dict[str, Any]) -> Cap:
        """What was spent with this kind of noise; costs are computed once for each kind."""
        # Python's text is quickly made; the hash of the canonical one names the kind in the ledger.
        text = population.name, f"{body['cost']}{body['change']}{body['events']}"
        if text not in self._noise:
            kept = self._noise[text] = Cap(seq, None, "a kind of noise")
            kept.once = _amount(population, body)
            self._caps[population.name, "noise", disclosure.key(body)] = kept
        return self._noise[text]

    def _other(self, event: Event, body: dict[str, Any], row: Charged | None) -> None:
        if row is not None:
            raise differs("charges")
        if event.kind in ("answer", "void"):
            self._end(event.seq, event.kind, body)
        elif event.kind in ("takeover", "drawn", "redrawn"):
            self._run(event, body)
        elif event.kind == "create" and event.seq == 1:
            self._about = body
        elif event.kind in CUSTODIAN:
            if not signed_by(self._signer, self._ledger, event.kind, body):
                raise _wrong(event.seq, "is not signed by the custodian")
            self._custodian(event.seq, event.kind, body)
        else:
            raise _wrong(event.seq, "is of no known kind")

    def _end(self, seq: int, kind: str, body: dict[str, Any]) -> None:
        charge = self._open.pop(body["charge"], None)
        if charge is None:
            raise _wrong(seq, "ends no open charge")
        end = ("answered", body["kind"], body["sha256"]) if kind == "answer" else ("voided", None, None)
        status = charge.status(*end)
        if self._tables and charge.said != status:
            # Its row was read before it ended, or says that it did not.
            self._late[body["charge"]] = status

    def _run(self, event: Event, body: dict[str, Any]) -> None:
        """What runs do on the way from the charge to its answer."""
        seq, kind, charge = event.seq, event.kind, self._open.get(body["charge"])
        if charge is None:
            raise _wrong(seq, "is of no open charge")
        if kind == "takeover":
            self.counts.takeovers += 1
        elif kind == "drawn":
            if charge.drawn != (None, None):
                raise _wrong(seq, "draws again for one charge")
            charge.drawn = str(body["sha256"]), str(body["key"])
            self.counts.draws += 1
        else:
            if charge.drawn == (None, None):
                raise _wrong(seq, "pays again for a draw that was not made")
            if body["amount"] != charge.amount or not self.rights.cover(body, charge.dataset, event.at):
                raise _wrong(seq, "does not charge what it costs, or by a key that had no right to")
            _spend(seq, charge.amount, charge.caps)
            # The last of them is the kind of noise.
            if body["balances"] != _balances(charge.caps[:-1]):
                raise _wrong(seq, "states other balances than it leaves")
            charge.drawn = None, None
            charge.times += 1
            self.counts.redraws += 1

    def _custodian(self, seq: int, kind: str, body: dict[str, Any]) -> None:
        self._places.clear()
        if kind == "population":
            name = body["name"]
            relation = Relation(cast(Change, body["change"]), cast(Unit, body["unit"]))
            self._once(seq, (name, "population", name), body["cap"])
            self._populations[name] = Population(name, cast(Measure, body["measure"]), relation)
        elif kind == "dataset":
            if body["name"] in self._datasets or body["population"] not in self._populations:
                raise _wrong(seq, "registers again, or for no population")
            self._once(seq, (body["population"], "dataset", body["name"]), body["cap"])
            self._datasets[body["name"]] = [body["population"], body["schema"], False]
        elif kind == "grant":
            self._once(seq, (body["population"], "analyst", body["analyst"]), body["cap"])
        elif kind == "raise":
            self._raise(seq, body)
        elif kind == "accepted":
            if body["dataset"] not in self._datasets:
                raise _wrong(seq, "accepts files of no dataset")
            self._accepted.add((seq, body["dataset"], body["files"]))
        elif kind == delegation.KIND:
            if self._caps[self._datasets[body["dataset"]][0], "dataset", body["dataset"]].cap is None:
                raise _wrong(seq, "lets others charge a dataset without a cap")
            self.rights.give(body)
        elif body["kind"] == "population":
            self._retired.add(self._populations[body["name"]].name)
        else:
            self._datasets[body["name"]][-1] = True

    def _once(self, seq: int, key: tuple[str, str, str], cap: int | None) -> None:
        if key in self._caps:
            raise _wrong(seq, f"begins {key[1]} {key[2]} anew")
        self._caps[key] = Cap(seq, cap, f"{key[1]} {key[2]}")

    def _raise(self, seq: int, body: dict[str, Any]) -> None:
        cap = self._caps[body["population"], body["scope"], body["name"]]
        if cap.cap != body["from"] or body["to"] <= body["from"]:
            raise _wrong(seq, "does not raise the cap in force")
        if self._second is not None and not self._second.holds(
            approval_message(self._ledger, body), str(body.get("approval"))
        ):
            raise _wrong(seq, "is not approved by the second custodian")
        cap.cap = body["to"]

    def compare(self, tx: Transaction) -> None:
        """Raises IntegrityError where a table of the ledger says something else than its events."""
        populations = self._populations.values()
        expected: list[tuple[str, str, set[tuple[Any, ...]]]] = [
            ("about", "SELECT key, value FROM about", set(self._about.items())),
            (
                "populations",
                "SELECT name, measure, change, unit, retired FROM populations",
                {
                    (x.name, x.measure, x.relation.change, x.relation.unit, int(x.name in self._retired))
                    for x in populations
                },
            ),
            (
                "datasets",
                "SELECT name, population, public_schema, retired FROM datasets",
                {
                    (name, population, schema, int(retired))
                    for name, (population, schema, retired) in self._datasets.items()
                },
            ),
            (
                "caps",
                "SELECT population, scope, name, since, cap, spent, last FROM caps",
                {(*key, cap.since, cap.cap, cap.spent, cap.last) for key, cap in self._caps.items()},
            ),
            ("accepted", "SELECT seq, dataset, files FROM accepted", self._accepted),
        ]
        for table, sql, wanted in expected:
            if set(tx.rows(sql)) != wanted:
                raise differs(table)
        if tx.one("SELECT seq FROM charges WHERE seq < 1 OR seq > ? LIMIT 1", self._seq) is not None:
            raise differs("charges")
        self.settle(tx)

    def settle(self, tx: Transaction) -> None:
        """Compare the rows of charges that changed after they were read; raises IntegrityError."""
        expected = dict(self._late)
        for seq, charge in self._open.items():
            if charge.said != (status := charge.status("charged", None, None)):
                expected[seq] = status
        late = sorted(expected)
        for start in range(0, len(late), _CHUNK):
            part = late[start : start + _CHUNK]
            marks = ", ".join("?" * len(part))
            found = tx.rows(f"SELECT seq, {CHARGED} FROM charges WHERE seq IN ({marks})", *part)
            said = {cast(int, seq): Charged._make(cast(Any, rest)).status for seq, *rest in found}
            if said != {seq: expected[seq] for seq in part}:
                raise differs("charges")
        self._late.clear()
        for seq in expected.keys() & self._open.keys():
            self._open[seq].said = expected[seq]

    def check_standing(self, analyst: str, standing: Standing, noise: str, added: Mapping[int, int]) -> None:
        """Raises IntegrityError where rows that a charge stands on say something else than the events.

        Args:
            analyst: Who is charged.
            standing: What the rows say.
            noise: Hash of the kind of noise.
            added: What this transaction itself has added to each cap, by the event that began it.
        """
        name, dataset = standing.population.name, standing.dataset
        registered = self._datasets.get(dataset.name, [None, None, None])
        population = self._populations.get(name)
        if population is None or standing.population != replace(population, retired=name in self._retired):
            raise differs("populations")
        if (dataset.population, dataset.retired) != (registered[0], registered[2]):
            raise differs("datasets")
        keys = [(name, "analyst", analyst), (name, "dataset", dataset.name), (name, "population", name)]
        known = {key: cap for key in [*keys, (name, "noise", noise)] if (cap := self._caps.get(key)) is not None}
        rows_of = [*standing.caps, *([] if standing.noise is None else [standing.noise])]
        said = {
            (name, str(cap.scope), cap.name): (cap.since, cap.cap, cap.spent, None if cap.since in added else cap.last)
            for cap in rows_of
        }
        made = {
            key: (cap.since, cap.cap, cap.spent + added.get(cap.since, 0), None if cap.since in added else cap.last)
            for key, cap in known.items()
        }
        if standing.noise is not None and (name, "noise", noise) not in made and standing.noise.since in added:
            # This very transaction began it.
            made[name, "noise", noise] = (standing.noise.since, None, added[standing.noise.since], None)
        if said != made:
            raise differs("caps")

    def check_open(self, ticket: Ticket) -> None:
        """Raises IntegrityError where the row of an open charge says something else than the events of it."""
        charge = self._open.get(ticket.seq)
        drawn = (None, None) if ticket.drawn is None else (ticket.drawn.sha256, ticket.drawn.key)
        if charge is None or charge.drawn != drawn:
            raise differs("charges")


def _spend(seq: int, amount: int, caps: tuple[Cap, ...]) -> None:
    for cap in caps:
        cap.spent += amount
        if cap.cap is not None and cap.spent > cap.cap:
            raise _wrong(seq, f"overspends the cap of {cap.name}")


def _balances(caps: tuple[Cap, ...]) -> dict[str, int]:
    return dict(zip(rules.SCOPES, (cap.spent for cap in caps), strict=True))


def _amount(population: Population, body: dict[str, Any]) -> int:
    """What a charge costs in the population, in units; -1 where it could not be made at all."""
    try:
        return rules.amount_in(population, body["change"], disclosure.cost_of(body))
    except StarlingError:
        return -1


def _wrong(seq: int, problem: str) -> IntegrityError:
    return IntegrityError(f"event {seq}", problem, "restore the ledger and ask who changed it")


def differs(table: str) -> IntegrityError:
    """A table that the events don't make."""
    return IntegrityError(
        f"table {table}", "says something else than the events", "restore the ledger and ask who changed it"
    )
