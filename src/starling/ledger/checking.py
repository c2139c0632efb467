"""Whether a ledger holds together: follows the chain, replays it, and compares the tables, once or as long as a process writes.

Tables repeat the events for look-ups and are not believed: who writes has followed the whole chain first, and goes on with what others
add to it. A row that says something else than the events is found before anything is charged by it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from starling.errors import IntegrityError
from starling.ledger.book import Book
from starling.ledger.chain import Counts, Event, Follower, Head
from starling.ledger.replay import CHARGED, Charged, Replay
from starling.ledger.store import Transaction

SLICE = 20_000
"""Events that are read in one transaction: a long audit holds up no charge."""

_WITH_CHARGES = (
    # Where to begin is said of both: a planner that merges them would read all charges before, slice after slice.
    f"SELECT events.seq, kind, at, body, hash, {CHARGED} FROM events"
    " LEFT JOIN charges ON charges.seq = events.seq AND charges.seq > ?"
    " WHERE events.seq > ? ORDER BY events.seq LIMIT ?"
)


CHECKS: Final = {
    "chain": "each event carries the hash of all before it, and none is missing",
    "signatures": "every event of the custodian bears the custodian's signature, and every charge that of a key that was let charge",
    "caps": "no charge goes beyond the cap of its analyst, dataset or population",
    "costs": "every charge costs what its noise costs, or nothing where it reads a response that an earlier one paid for",
    "balances": "every charge states the balances that it leaves",
    "draws": "every answer belongs to one charge, and no charge is drawn for twice unpaid",
    "tables": "the tables of the ledger say what its events say, and nothing hangs on them",
    "witness": "what was witnessed of the chain lies on it: nothing was rolled back",
}
"""What holds where a whole ledger is checked and nothing is found."""


@dataclass(frozen=True, slots=True)
class NamedCheck:
    """One thing that was checked, whether it holds, and what that says. A check ends at the first fault: what else holds is not known."""

    name: str
    state: Literal["holds", "not known"]
    says: str


def named_checks(*, holds: bool) -> tuple[NamedCheck, ...]:
    """Every check of a whole ledger, by whether nothing was found."""
    return tuple(NamedCheck(name, "holds" if holds else "not known", says) for name, says in CHECKS.items())


@dataclass(frozen=True, slots=True)
class Verified:
    """The last event of a ledger that holds together, and how often its charges were drawn for."""

    head: Head
    counts: Counts


class Check:
    """Follows the chain of a book, replays it, and compares; `heads` seen elsewhere (in releases, by a witness) must lie on the chain."""

    def __init__(self, book: Book, heads: Iterable[Head] = ()) -> None:
        self._book = book
        self._follower = Follower()
        self.replay = Replay(book.id, book.signer, book.second)
        self._compared = False
        self._wanted: dict[int, set[str]] = {}
        seen = book.witnessed()
        for head in [*heads, *([] if seen is None else [seen])]:
            self._wanted.setdefault(head.seq, set()).add(head.hash)

    def whole(self, notify: Callable[[int], None] = lambda _: None) -> Verified:
        """Everything, some events at a time, so that nobody who writes waits for it; `notify` is told how many were checked."""
        while self._book.read(self.slice):
            notify(self.head.seq)
        return self._book.read(self.finish)

    @property
    def head(self) -> Head:
        """The last event checked."""
        return self._follower.head

    def slice(self, tx: Transaction) -> bool:
        """Some more events; False where there are none."""
        follow, replay, wanted, before = self._follower.take, self.replay.take, self._wanted, self.head
        for row in tx.rows(_WITH_CHARGES, before.seq, before.seq, SLICE):
            event = Event._make(cast(Any, row[:5]))
            follow(event)
            replay(event, None if row[5] is None else Charged._make(cast(Any, row[5:])))
            if event.seq in wanted and wanted.pop(event.seq) != {event.hash}:
                raise IntegrityError(
                    f"event {event.seq}", "is not the one that was witnessed", "find out who rewrote it"
                )
        return self.head != before

    def finish(self, tx: Transaction) -> Verified:
        """The events since the last one taken, then the tables, in one transaction: nothing comes between."""
        self._book.store.check_schema(tx)
        while self.slice(tx):
            pass
        if self._wanted:
            raise IntegrityError(
                f"event {max(self._wanted)}",
                "was witnessed and is missing: the ledger was cut or rolled back",
                "restore the newest ledger",
            )
        self.replay.compare(tx)
        self._compared = True
        return Verified(self.head, self.replay.counts)

    def catch_up(self, tx: Transaction) -> None:
        """The events since the last one taken, with what they changed; the first time, everything."""
        if not self._compared:
            self.finish(tx)
            return
        while self.slice(tx):
            pass
        self.replay.settle(tx)
