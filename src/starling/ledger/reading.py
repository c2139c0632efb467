"""What a book says: balances, releases, the chain for an auditor; and whether it is intact."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from starling.ledger import disclosure, rows
from starling.ledger.book import Book
from starling.ledger.chain import Event, Head, signed_by
from starling.ledger.charged_noise import cost_of
from starling.ledger.checking import SLICE, Check, Verified
from starling.ledger.disclosure import DELTA, JointDisclosure
from starling.ledger.rules import Cap, Population, Scope, State
from starling.ledger.store import Row, Store, Transaction
from starling.privacy.budget import Cost, Exact


@dataclass(frozen=True, slots=True)
class Charge:
    """One charge, as its event and its row say it.

    Attributes:
        at: Seconds since 1970.
        amount: As charged to the population, in units, for one draw.
        times: How often it was paid: once, and once more for each draw that was lost.
        by: The key that made it, 64 hexadecimal digits; None where the custodian's did.
    """

    seq: int
    at: int
    request_hash: str
    analyst: str
    request_id: str
    dataset: str
    what: str
    cost: Cost
    amount: int
    state: State
    times: int
    by: str | None


@dataclass(frozen=True, slots=True)
class Balance:
    """A cap with what was last charged through it; None where nothing was."""

    cap: Cap
    last: Charge | None


@dataclass(frozen=True, slots=True)
class Account:
    """One population: its caps with what is spent of them, and its latest charges, the newest first."""

    population: Population
    balances: tuple[Balance, ...]
    charges: tuple[Charge, ...]

    @property
    def caps(self) -> tuple[Cap, ...]:
        """The caps of population, datasets and analysts, in this order."""
        return tuple(balance.cap for balance in self.balances)

    def cap(self, scope: Scope, name: str) -> Cap:
        """One of them; raises KeyError where there is none."""
        return {(cap.scope, cap.name): cap for cap in self.caps}[scope, name]

    def more_like(self, charge: Charge) -> int | None:
        """About how many more charges like `charge` its analyst can make; None where nothing limits them."""
        scopes = {("analyst", charge.analyst), ("dataset", charge.dataset), ("population", self.population.name)}
        left = [cap.left for cap in self.caps if (cap.scope, cap.name) in scopes and cap.left is not None]
        return min(left) // charge.amount if left and charge.amount else None


class Reading:
    """The auditor's side of a book."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def head(self) -> Head:
        """The last event."""
        return self._book.read(lambda tx: self._book.writer(tx).head)

    def populations(self) -> list[str]:
        """Names of all populations, ascending."""
        return self._book.read(
            lambda tx: [str(name) for (name,) in tx.rows("SELECT name FROM populations ORDER BY name")]
        )

    def account(self, population: str, *, latest: int = 20) -> Account:
        """Caps and the latest charges of one population."""
        return self._book.read(lambda tx: _account(tx, population, latest))

    def events(self) -> Iterator[Event]:
        """The chain, unchecked, in order."""
        return stored_events(self._book.store)

    def joint_disclosure(self, population: str, delta: Exact = DELTA) -> JointDisclosure:
        """What the charges of one population reveal together, as (epsilon, delta); raises ParameterError for another delta."""

        def work(tx: Transaction) -> tuple[Population, int, list[Row]]:
            row, whole = rows.population(tx, population), rows.cap(tx, population, "population", population)
            spent = 0 if whole is None else whole.spent
            return row, spent, list(tx.rows(_NOISE, population, disclosure.MOST + 1))

        population_row, spent, noise = self._book.read(work)
        kinds = [
            (json.loads(body), whole // once) for body, whole, once in cast(list[tuple[str, int, int]], noise) if once
        ]
        return disclosure.joint_disclosure(population_row, spent, kinds, delta)

    def export(self) -> Iterator[str]:
        """The chain as JSON Lines, for an auditor: `hash` is the SHA-256 that chain.digest says, over `body` in canonical JSON."""
        for event in self.events():
            yield json.dumps(event._asdict() | {"body": json.loads(event.body)}, separators=(",", ":"))

    def accepted(self, dataset: str, files: str) -> int | None:
        """The event by which the custodian said that these files of `dataset` were looked at, by what `release.records.accepted_files`
        gives; None where there is none.
        """
        return next((seq for seq, body in self._acceptances(dataset) if body.get("files") == files), None)

    def accepted_content(self, dataset: str, content: str) -> bool:
        """Whether the custodian accepted files of `dataset` that held these bytes, by what `release.records.accepted_content` gives."""
        return any(body.get("content") == content for _, body in self._acceptances(dataset))

    def has_accepted(self, dataset: str) -> bool:
        """Whether the custodian accepted any files of `dataset`, where nobody knows which files those are."""
        return any(self._acceptances(dataset))

    def _acceptances(self, dataset: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The events by which the custodian accepted files. The signature decides: anybody who can write the table could add a row."""
        for text, seq in self._book.read(lambda tx: list(tx.rows(_ACCEPTED, dataset))):
            body = json.loads(str(text))
            if body.get("dataset") == dataset and signed_by(self._book.signer, self._book.id, "accepted", body):
                yield int(str(seq)), body

    def population_of(self, dataset: str) -> str:
        """The name of the population that a dataset is about; raises ParameterError where it is not registered."""
        return self._book.read(lambda tx: rows.dataset(tx, dataset)).population

    def is_retired(self, name: str) -> bool:
        """Whether a dataset, or the population that it is about, is retired: nothing is charged to it any more."""

        def work(tx: Transaction) -> bool:
            dataset = rows.dataset(tx, name)
            return dataset.retired or rows.population(tx, dataset.population).retired

        return self._book.read(work)

    def charge(self, seq: int) -> Charge | None:
        """The charge that is event `seq`; None where that is none."""
        return next(iter(self._charges("charges.seq = ?", seq)), None)

    def charges(self, after: int, most: int) -> list[Charge]:
        """Charges beyond event `after`, in order, at most `most` of them."""
        return self._charges("charges.seq > ? ORDER BY charges.seq LIMIT ?", after, most)

    def latest_charges(self, before: int, most: int, analyst: str | None = None) -> list[Charge]:
        """Charges below event `before`, the newest first, at most `most` of them: those of an analyst, or of all."""
        own, values = ("", ()) if analyst is None else ("charges.analyst = ? AND ", (analyst,))
        return self._charges(f"{own}charges.seq < ? ORDER BY charges.seq DESC LIMIT ?", *values, before, most)

    def open_charges(self, after: int) -> list[Charge]:
        """Charges beyond event `after` that have no answer yet, in order."""
        return self._charges("charges.seq > ? AND state = 'charged' ORDER BY charges.seq", after)

    def _charges(self, condition: str, *values: int | str) -> list[Charge]:
        return self._book.read(lambda tx: list(map(_charge, tx.rows(f"{_CHARGES} WHERE {condition}", *values))))

    def verify(self, heads: Iterable[Head] = (), *, notify: Callable[[int], None] = lambda _: None) -> Verified:
        """Check chain, signatures, caps, costs, every balance and every answer, and that `heads` seen elsewhere lie on the chain.

        `notify` is told how many events were checked, from time to time. Raises IntegrityError at the first thing that is wrong.
        """
        return Check(self._book, heads).whole(notify)


EVENTS = "SELECT seq, kind, at, body, hash FROM events WHERE seq > ? ORDER BY seq LIMIT ?"


def stored_events(store: Store) -> Iterator[Event]:
    """The chain in a store, unchecked, in order."""
    last = 0
    while part := store.atomically(partial(_slice, after=last), write=False):
        yield from part
        last = part[-1].seq


def _slice(tx: Transaction, after: int) -> list[Event]:
    return [Event._make(cast(Any, row)) for row in tx.rows(EVENTS, after, SLICE)]


_ACCEPTED = "SELECT body, events.seq FROM accepted JOIN events ON events.seq = accepted.seq WHERE dataset = ?"
_NOISE = (
    "SELECT body, spent, amount FROM caps JOIN charges ON charges.seq = last JOIN events ON events.seq = last"
    " WHERE population = ? AND scope = 'noise' AND spent > 0 LIMIT ?"
)
_CHARGES = "SELECT charges.seq, at, body, request_hash, state, charges.times FROM charges JOIN events ON events.seq = charges.seq"
_LAST = "SELECT last FROM caps WHERE population = ? AND scope <> 'noise'"
# Back from the population's last charge to the one before it, and so on.
_LATEST = (
    "WITH RECURSIVE latest (place, previous, depth) AS (SELECT seq, previous, 1 FROM charges WHERE seq ="
    " (SELECT last FROM caps WHERE population = ? AND scope = 'population') UNION ALL"
    " SELECT charges.seq, charges.previous, depth + 1 FROM latest JOIN charges ON charges.seq = latest.previous"
    f" WHERE depth < ?) {_CHARGES} JOIN latest ON place = charges.seq ORDER BY charges.seq DESC"
)


def _account(tx: Transaction, population: str, latest: int) -> Account:
    row = rows.population(tx, population)
    last = {
        charge.seq: charge for charge in map(_charge, tx.rows(f"{_CHARGES} WHERE charges.seq IN ({_LAST})", population))
    }
    sql = f"SELECT {rows.CAP} FROM caps WHERE population = ? AND scope <> 'noise' ORDER BY scope DESC, name"
    caps = list(map(rows.a_cap, tx.rows(sql, population)))
    balances = tuple(Balance(cap, None if cap.last is None else last[cap.last]) for cap in caps)
    return Account(row, balances, tuple(map(_charge, tx.rows(_LATEST, population, latest))))


def _charge(row: Row) -> Charge:
    seq, at, text, *rest = cast(Any, row)
    body = json.loads(text)
    named = {name: body[name] for name in ("analyst", "request_id", "dataset", "what", "amount")}
    request_hash, state, times = rest
    return Charge(seq, at, request_hash, state=state, times=times, cost=cost_of(body), by=body.get("by"), **named)
