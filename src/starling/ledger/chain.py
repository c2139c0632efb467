"""The hash chain of events: each carries the hash of all before it, so that a flipped, dropped or reordered event is found.

A chain cut at its end is still a chain: that is found by a signed head kept elsewhere (witness.py, and every release).
Custodians sign each event of theirs in this ledger, and the approval of a raise.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from starling.errors import IntegrityError
from starling.ledger import rules
from starling.ledger.keys import Public

START = "0" * 64
"""What stands before the first event."""


class Event(NamedTuple):
    """One line of the ledger.

    Attributes:
        at: Seconds since 1970, never before the event before it.
        body: Canonical JSON.
        hash: A hash of this event and all before it, hexadecimal.
    """

    seq: int
    kind: str
    at: int
    body: str
    hash: str


@dataclass(frozen=True, slots=True)
class Head:
    """The last event: how far the ledger has come."""

    seq: int
    hash: str


@dataclass(slots=True)
class Counts:
    """How often charges were drawn for: draws committed to, open charges that another run took over, and lost draws that were paid for
    again.
    """

    draws: int = 0
    takeovers: int = 0
    redraws: int = 0


def digest(previous: str, seq: int, kind: str, at: int, body: str) -> str:
    """SHA-256 over the previous hash and the event; kind, numbers and JSON hold no raw newline, so fields can't run together."""
    return hashlib.sha256(f"{previous}\n{seq}\n{kind}\n{at}\n{body}".encode()).hexdigest()


class Follower:
    """Takes events in order and checks each against the one before."""

    def __init__(self) -> None:
        self._seq, self._hash, self._at = 0, START, 0

    @property
    def head(self) -> Head:
        """The last event taken."""
        return Head(self._seq, self._hash)

    def take(self, event: Event) -> None:
        """One more event; raises IntegrityError when it does not follow."""
        seq = self._seq + 1
        if event.seq != seq:
            raise wrong(seq, "is missing or out of order")
        if event.hash != digest(self._hash, seq, event.kind, event.at, event.body):
            raise wrong(seq, "was changed")
        if event.at < self._at:
            raise wrong(seq, "is earlier than the one before")
        self._seq, self._hash, self._at = seq, event.hash, event.at


def wrong(seq: int, problem: str) -> IntegrityError:
    """An event that breaks a rule."""
    return IntegrityError(f"event {seq}", problem, "restore the ledger and ask who changed it")


def approval_message(ledger: str, body: Mapping[str, Any]) -> bytes:
    """What a second custodian signs: this raise in this ledger, from the cap in force, so that it serves once."""
    named = {field: body[field] for field in ("population", "scope", "name", "from", "to")}
    return f"starling approve\n{ledger}\n{rules.canonical(named)}".encode()


def custodian_message(ledger: str, kind: str, body: Mapping[str, Any]) -> bytes:
    """What is signed of a custodian event."""
    return f"starling event\n{ledger}\n{kind}\n{rules.canonical(body)}".encode()


def signed_by(key: Public, ledger: str, kind: str, body: Mapping[str, Any]) -> bool:
    """Whether the event's own signature is `key`'s."""
    unsigned = {name: value for name, value in body.items() if name != "signature"}
    return key.holds(custodian_message(ledger, kind, unsigned), str(body.get("signature", "")))
