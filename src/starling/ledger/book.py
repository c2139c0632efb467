"""A ledger as a book of events: open it, make it, write one transaction's events into it, and keep its head witnessed.

Every change is one event in the chain and one transaction of the store, and the tables that repeat the events for look-ups
change in the same transaction.
"""

import time
from collections.abc import Callable
from typing import TypeVar

from starling.errors import IntegrityError
from starling.ledger import rows
from starling.ledger.chain import Head
from starling.ledger.keys import Key, Public
from starling.ledger.store import VERSION, Store, Transaction, migration, statements
from starling.ledger.witness import Witness
from starling.privacy.entropy import fresh_id

T = TypeVar("T")


class Book:
    """One ledger in a store.

    Args:
        store: Where it is.
        key: Signs custodian events and heads; must be the ledger's.
        witness: Remembers the head elsewhere, by the ledger's id.
        clock: Seconds since 1970.

    Raises:
        IntegrityError: the ledger is of another version, is behind its witnessed head, or is signed by another key.
    """

    def __init__(
        self,
        store: Store,
        key: Key,
        *,
        witness: Callable[[str], Witness] = Witness,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self.key = key
        self._clock = clock
        about = store.atomically(
            lambda tx: {str(k): str(v) for k, v in tx.rows("SELECT key, value FROM about")}, write=False
        )
        if about.get("version") != str(VERSION):
            raise IntegrityError(
                field="ledger",
                problem="was written by another version of Starling",
                fix="use the version that wrote it",
            )
        self.id = about["id"]
        self.signer = Public.parse(about["signer"])
        self.second = Public.parse(about["second"]) if about["second"] else None
        if key.public != self.signer:
            raise IntegrityError(
                field="key",
                problem=f"is {key.public.fingerprint}, the ledger is signed by {self.signer.fingerprint}",
                fix="set STARLING_HOME to the folder with the custodian's key",
            )
        self.witness = witness(self.id)
        self._check_witness()

    @classmethod
    def create(
        cls,
        store: Store,
        key: Key,
        *,
        second: Public | None = None,
        witness: Callable[[str], Witness] = Witness,
        clock: Callable[[], float] = time.time,
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
            for statement in statements(migration(1)):
                tx.run(statement)
            for name, value in about.items():
                tx.run("INSERT INTO about (key, value) VALUES (?, ?)", name, value)
            return rows.append(tx, "create", int(clock()), about)

        head = store.initialise(work)
        witness(ledger).advance(head, key)
        return cls(store, key, witness=witness, clock=clock)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in one durable transaction, then let the witness see the new head."""
        result, head = self.store.atomically(lambda tx: (work(tx), rows.head(tx)))
        self.witness.advance(head, self.key)
        return result

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction that changes nothing."""
        return self.store.atomically(work, write=False)

    def now(self, tx: Transaction) -> int:
        """The time for a next event: never before the last one, so that a clock set back prolongs no lease."""
        return rows.time_of(tx, int(self._clock()))

    def _check_witness(self) -> None:
        seen = self.witness.read(self.signer)
        if seen is None:
            return
        row = self.read(lambda tx: tx.one("SELECT hash FROM events WHERE seq = ?", seen.seq))
        if row is None or row[0] != seen.hash:
            raise IntegrityError(
                field="ledger",
                problem=f"does not hold event {seen.seq} that was witnessed: it was rolled back or restored from an old backup",
                fix="restore the newest ledger; charges that are missing here were spent all the same",
            )
