"""A ledger as a book of events: open it, make it, write one transaction's events into it, and keep its head witnessed.

Every change is one event in the chain and one transaction of the store, and the tables that repeat the events for look-ups
change in the same transaction.
"""

import json
import warnings
from collections.abc import Callable
from typing import Any, Final, TypeVar

from starling.errors import IntegrityError, PolicyRefused, StarlingWarning
from starling.ledger import delegation, terms
from starling.ledger.chain import Head, signed_by
from starling.ledger.keys import Key, Pin, Public
from starling.ledger.leases import Clock
from starling.ledger.rows import End, EventWriter
from starling.ledger.store import VERSION, Store, Transaction, migration
from starling.ledger.witness import Witness
from starling.privacy.sampling.entropy import fresh_id

T = TypeVar("T")

WALL: Final = Clock()
"""The machine's own clocks."""

JUMP: Final = 300
"""Seconds by which two clocks may differ without a word."""


class ClockWarning(StarlingWarning):
    """A clock jumped forward, here or where the last event was written."""


class WitnessWarning(StarlingWarning):
    """A ledger is opened to write, and nothing here remembers how far it had come."""


class Book:
    """One ledger in a store.

    Args:
        store: Where it is.
        key: Signs heads and, if it is the custodian's, custodian events; the custodian's own, or one to which they gave the right to
            charge a dataset (delegation.py). Without it the book is read, never written.
        witness: Remembers the head elsewhere, by the ledger's id.
        clock: What is known of time.

    Attributes:
        store: The database that the ledger lies in.
        clock: What is known of time.
        id: The ledger's name, drawn at random when it was made.
        signer: The custodian's key: signs custodian events, and heads where no other key is used.
        second: Who must approve every raised cap, if anybody.
        witness: The highest head of this ledger that this machine has seen.

    Raises:
        IntegrityError: the ledger is of another version, is behind its witnessed head, or is signed by another key.
    """

    def __init__(
        self, store: Store, key: Key | None, *, witness: Callable[[str], Witness] = Witness, clock: Clock = WALL
    ) -> None:
        self.store = store
        self.clock = clock
        self._key = key
        self._set = clock.wall() - clock.elapsed()
        self._warned = False
        about = store.atomically(
            lambda tx: {str(k): str(v) for k, v in tx.rows("SELECT key, value FROM about")}, write=False
        )
        if about.get("version") != str(VERSION):
            raise IntegrityError(
                "ledger", "was written by another version of Starling", "use the version that wrote it"
            )
        if not about.keys() >= {"id", "signer", "second"}:
            raise IntegrityError("ledger", "does not say whose it is", "restore it and run starling ledger verify")
        self.id = about["id"]
        self.signer = Public.parse(about["signer"])
        self.second = Public.parse(about["second"]) if about["second"] else None
        if key is not None and key.public.text not in {right.key for right in self.rights().entries()}:
            self.check_signer(Pin.parse(key.public))
        self.witness = witness(self.id)
        seen = self.witnessed()
        if seen is not None:
            self._check_holds(seen)
        elif key is not None:
            warnings.warn(
                f"ledger {self.id}: this machine has no witnessed head of it, as at the first use of a ledger here. If it was used here"
                " before, its witness was deleted: an old copy could not be told from it. Compare its head with one in a release:"
                " starling ledger verify --head EVENT:HASH",
                WitnessWarning,
                stacklevel=2,
            )

    @classmethod
    def create(
        cls,
        store: Store,
        key: Key,
        *,
        second: Public | None = None,
        witness: Callable[[str], Witness] = Witness,
        clock: Clock = WALL,
    ) -> "Book":
        """Make the tables and the first event in an empty store. `second`: a custodian who must approve every raised cap."""
        ledger = fresh_id()
        about = {
            "id": ledger,
            "version": str(VERSION),
            "signer": key.public.text,
            "second": second.text if second else "",
        }

        def work(tx: Transaction) -> Head:
            for statement in migration():
                tx.run(statement)
            for name, value in about.items():
                tx.run("INSERT INTO about (key, value) VALUES (?, ?)", name, value)
            return EventWriter(tx, int(clock.wall())).append("create", about)

        head = store.initialise(work)
        witness(ledger).advance(head, key)
        return cls(store, key, witness=witness, clock=clock)

    def write(self, work: Callable[[Transaction, EventWriter], T], *, believed: End | None = None) -> T:
        """Run `work` in one durable transaction, then let the witness see the new head.

        Args:
            work: Gets the transaction, and the writer that writes at the end of the chain.
            believed: Where the chain is believed to end, for `work` that reads nothing; without it that is read.

        Raises:
            IntegrityError: the ledger was rolled back under a running process.
            Moved: something was written on condition that the chain ends where it is believed to, and it does not.
        """
        key = self.key

        def written(tx: Transaction) -> tuple[T, Head, int]:
            writer = self.writer(tx, believed)
            return work(tx, writer), writer.head, writer.end[2]

        write = self.store.atomically if believed is None else self.store.at_once
        result, head, last = write(written)
        self._look_at_clock(last)
        ahead = self.witness.advance(head, key)
        if ahead is not None and ahead != head:
            # Another process has come further meanwhile, or somebody replaced the ledger by an old one.
            self._check_holds(ahead)
        return result

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction that changes nothing."""
        return self.store.atomically(work, write=False)

    def check_signer(self, key: Pin) -> None:
        """Raises IntegrityError when the ledger is signed by another key."""
        if not key.names(self.signer):
            raise IntegrityError(
                "key",
                f"is {key.fingerprint}, the ledger is signed by {self.signer.fingerprint}",
                "find the custodian's key, or the ledger that is theirs",
            )

    def writer(self, tx: Transaction, believed: End | None = None) -> EventWriter:
        """Writes at the end of the chain in `tx`, and knows the time there."""
        return EventWriter(tx, int(self.clock.wall()), believed)

    def _look_at_clock(self, last: int) -> None:
        """Warn, once, where the last event is dated ahead of this clock, or this clock was set ahead since the book was opened."""
        now = self.clock.wall()
        ahead, jumped = last - now, now - self.clock.elapsed() - self._set
        if self._warned or max(ahead, jumped) <= JUMP:
            return
        self._warned = True
        what = (
            f"its last event is dated {ahead:z,.0f} seconds ahead of this machine's clock"
            if ahead > JUMP
            else f"this machine's clock was set ahead by {jumped:z,.0f} seconds"
        )
        warnings.warn(
            f"ledger {self.id}: {what}; set the clocks right: events are never dated back", ClockWarning, stacklevel=2
        )

    @property
    def key(self) -> Key:
        """Signs heads and releases: the custodian's, or a delegate's; raises PolicyRefused where the book was opened without it."""
        if self._key is None:
            raise PolicyRefused("ledger", "was opened to be read", "open it with the custodian's key")
        return self._key

    @property
    def custodian(self) -> Key:
        """The custodian's key; raises PolicyRefused where the book was opened without it."""
        if self.key.public != self.signer:
            raise PolicyRefused("key", "may charge a dataset, and nothing else", "use the custodian's key")
        return self.key

    @property
    def delegate(self) -> str | None:
        """The public key that charges in the custodian's place, 64 hexadecimal digits; None where they do so themselves."""
        return None if self._key is None or self._key.public == self.signer else self._key.public.text

    def witnessed(self) -> Head | None:
        """The head that this machine has seen, signed by the key that writes here; raises IntegrityError as `Witness.read`."""
        return self.witness.read(self.signer if self._key is None else self._key.public)

    def rights(self) -> delegation.Rights:
        """The rights that the custodian gave, by their signatures; whether one holds for a charge is asked when it is made."""
        return delegation.Rights(self._signed(delegation.KIND))

    def terms(self) -> terms.AllTerms:
        """The terms that the custodian set for charges by other keys, by their signatures; approvals are not read."""
        return terms.AllTerms(self._signed(terms.KIND))

    def _signed(self, kind: str) -> list[Any]:
        """The bodies of the events of a kind that the custodian signed."""
        sql = "SELECT body FROM events WHERE kind = ? ORDER BY seq"
        bodies = [json.loads(str(text)) for (text,) in self.read(lambda tx: list(tx.rows(sql, kind)))]
        return [body for body in bodies if signed_by(self.signer, self.id, kind, body)]

    def _check_holds(self, seen: Head) -> None:
        row = self.read(lambda tx: tx.one("SELECT hash FROM events WHERE seq = ?", seen.seq))
        if row is None or row[0] != seen.hash:
            raise IntegrityError(
                "ledger",
                f"does not hold event {seen.seq} that was witnessed: it was rolled back or restored from an old backup",
                "restore the newest ledger; charges that are missing here were spent all the same",
            )
