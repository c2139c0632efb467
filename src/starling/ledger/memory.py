"""What one process remembers of a ledger at its head, so that its next charge has nothing to read.

The head's hash is over all events, and events alone decide what a population, a dataset and a cap are: what was read at a head is true
as long as the chain ends there. A charge from memory is written on this condition (`EventWriter.append`, `first`), so that a memory
which is out of date lets nothing pass. Leases are no events and are not remembered, nor is who charged what.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias, cast

from starling.ledger.rows import End, Standing
from starling.ledger.rules import Cap, Scope
from starling.ledger.store import held_at_forks

MOST: Final = 10_000
"""Kinds of charges that are remembered; then it begins anew."""

Kind: TypeAlias = tuple[str, str, str]
"""Analyst, dataset, and the hash of the kind of noise."""


class Spent(NamedTuple):
    """A charge that was made: of what kind, where it stood before, how many units, and its event (None for a redraw)."""

    kind: Kind
    standing: Standing
    amount: int
    seq: int | None


@dataclass(frozen=True, slots=True)
class Done:
    """The charges that a transaction has made so far, and what they add to each cap, by the event that began it."""

    spent: list[Spent]
    added: dict[int, int]

    def add(self, spent: Spent) -> None:
        """One more charge."""
        self.spent.append(spent)
        noise = spent.standing.noise
        began = cast(int, spent.seq) if noise is None else noise.since
        for since in (*(cap.since for cap in spent.standing.caps), began):
            self.added[since] = self.added.get(since, 0) + spent.amount


class Memory:
    """What one process remembers: only its own writes reach it."""

    def __init__(self) -> None:
        self._lock = held_at_forks(threading.Lock())
        self._end: End | None = None
        self._alone = False
        self._standings: dict[Kind, Standing] = {}
        self._caps: dict[int, Cap] = {}

    def recall(self, kind: Kind) -> tuple[Standing, End] | None:
        """Where a charge of that kind stands, and the end of the chain where it does.

        None where that is not known, or where somebody else wrote last: who takes turns with others does not guess.
        """
        with self._lock:
            known = self._standings.get(kind)
            if not self._alone or self._end is None or known is None or known.noise is None:
                return None
            caps = [self._caps[cap.since] for cap in known.caps]
            return known._replace(caps=caps, noise=self._caps[known.noise.since]), self._end

    def wrote(self, start: End, end: End, spent: Iterable[Spent] = ()) -> None:
        """A transaction of this process found the chain at `start`, charged, and left it at `end`, durably."""
        with self._lock:
            self._alone = start == self._end
            if not self._alone or len(self._standings) >= MOST:
                self._standings.clear()
                self._caps.clear()
            self._end = end
            for kind, standing, amount, seq in spent:
                noise = standing.noise or Cap(cast(int, seq), cast(Scope, "noise"), kind[2], None, 0, None)
                self._standings[kind] = standing._replace(noise=noise)
                for cap in (*standing.caps, noise):
                    self._caps[cap.since] = replace(cap, spent=cap.spent + amount, last=seq or cap.last)

    def forget(self) -> None:
        """The chain does not end where it was believed to, or nobody knows: the next charge reads."""
        with self._lock:
            self._alone = False
