"""What a book says: balances, releases, the chain for an auditor; and whether it is intact."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import cast

from starling.errors import IntegrityError
from starling.ledger import rows
from starling.ledger.book import Book
from starling.ledger.chain import Event, Follower, Head
from starling.ledger.replay import Replay
from starling.ledger.rules import Cap, Lineage, Scope
from starling.ledger.store import Transaction


@dataclass(frozen=True, slots=True)
class Spent:
    """One charge, for people.

    Attributes:
        seq: Event.
        at: Seconds since 1970.
        analyst: Who.
        request_id: Which request.
        dataset: On what.
        what: The guarantee's name.
        cost: As the mechanism states it.
        amount: As charged to the lineage, in units.
        state: charged, answered or burned.
    """

    seq: int
    at: int
    analyst: str
    request_id: str
    dataset: str
    what: str
    cost: str
    amount: int
    state: str


@dataclass(frozen=True, slots=True)
class Account:
    """One lineage: its caps with what is spent of them, and its latest charges, the newest first."""

    lineage: Lineage
    caps: tuple[Cap, ...]
    charges: tuple[Spent, ...]

    def more_like(self, charge: Spent) -> int | None:
        """About how many more charges like `charge` its analyst can make; None where nothing limits them."""
        scopes = {("analyst", charge.analyst), ("dataset", charge.dataset), ("lineage", self.lineage.name)}
        left = [cap.cap - cap.spent for cap in self.caps if (cap.scope, cap.name) in scopes and cap.cap is not None]
        return min(left) // charge.amount if left and charge.amount else None


class Reading:
    """The auditor's side of a book."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def head(self) -> Head:
        """The last event."""
        return self._book.read(rows.head)

    def lineages(self) -> list[str]:
        """Names of all lineages, ascending."""
        return self._book.read(lambda tx: [str(name) for (name,) in tx.rows("SELECT name FROM lineages ORDER BY name")])

    def account(self, lineage: str, *, latest: int = 20) -> Account:
        """Caps and the latest charges of one lineage."""
        return self._book.read(lambda tx: _account(tx, lineage, latest))

    def events(self) -> Iterator[Event]:
        """The chain, unchecked, in order. Read in slices, so that a long audit holds up no charge."""
        last = 0
        while True:
            part = self._book.read(partial(_slice, after=last))
            if not part:
                return
            yield from part
            last = part[-1].seq

    def export(self) -> Iterator[str]:
        """The chain as JSON Lines, for an auditor."""
        for event in self.events():
            line = {
                "seq": event.seq,
                "kind": event.kind,
                "at": event.at,
                "body": json.loads(event.body),
                "hash": event.hash,
            }
            yield json.dumps(line, separators=(",", ":"))

    def verify(self, heads: Iterable[Head] = ()) -> Head:
        """Check chain, signatures, caps, every balance and every answer, and that `heads` seen elsewhere lie on the chain.

        Raises:
            IntegrityError: at the first thing that is wrong.
        """
        check = Check(self._book, heads)
        for event in self.events():
            check.take(event)
        return self._book.read(check.finish)


class Check:
    """Follows the chain, replays it, and compares.

    Args:
        book: What is checked.
        heads: Heads seen elsewhere (in releases, by a witness) that must lie on the chain.
    """

    def __init__(self, book: Book, heads: Iterable[Head] = ()) -> None:
        self._follower = Follower()
        self._replay = Replay(book.id, book.signer)
        self._wanted = {head.seq: head.hash for head in heads}
        seen = book.witness.read(book.signer)
        if seen is not None:
            self._wanted[seen.seq] = seen.hash

    def take(self, event: Event) -> None:
        """One more event."""
        self._follower.take(event)
        self._replay.take(event)
        if self._wanted.pop(event.seq, event.hash) != event.hash:
            raise IntegrityError(
                field=f"event {event.seq}", problem="is not the one that was witnessed", fix="find out who rewrote it"
            )

    def finish(self, tx: Transaction) -> Head:
        """The events since the last one taken, then the tables, in one transaction: nothing comes between."""
        while part := _slice(tx, self._follower.head.seq):
            for event in part:
                self.take(event)
        if self._wanted:
            raise IntegrityError(
                field=f"event {max(self._wanted)}",
                problem="was witnessed and is missing: the ledger was cut or rolled back",
                fix="restore the newest ledger",
            )
        self._replay.compare(tx)
        return self._follower.head


def _slice(tx: Transaction, after: int) -> list[Event]:
    found = tx.rows("SELECT seq, kind, at, body, hash FROM events WHERE seq > ? ORDER BY seq LIMIT 50000", after)
    return [Event._make(cast(tuple[int, str, int, str, str], row)) for row in found]


def _account(tx: Transaction, lineage: str, latest: int) -> Account:
    found = rows.lineage(tx, lineage)
    caps = [
        Cap(cast(Scope, scope), str(name), cast(int | None, cap), cast(int, spent))
        for scope, name, cap, spent in tx.rows(
            "SELECT scope, name, cap, spent FROM caps WHERE lineage = ? ORDER BY scope DESC, name", lineage
        )
    ]
    charges = [
        _spent(cast(tuple[int, int, str, str], row))
        for row in tx.rows(
            "SELECT c.seq, e.at, e.body, c.state FROM charges c JOIN events e ON e.seq = c.seq"
            " JOIN datasets d ON d.name = c.dataset WHERE d.lineage = ? ORDER BY c.seq DESC LIMIT ?",
            lineage,
            latest,
        )
    ]
    return Account(found, tuple(caps), tuple(charges))


def _spent(row: tuple[int, int, str, str]) -> Spent:
    seq, at, text, state = row
    body = json.loads(text)
    named = {name: body[name] for name in ("analyst", "request_id", "dataset", "what", "cost", "amount")}
    return Spent(seq=seq, at=at, state=state, **named)
