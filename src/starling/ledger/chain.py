"""The hash chain of events: each carries the hash of all before it, so that a flipped, dropped or reordered event is found.

A chain cut at its end is still a chain: that is found by a signed head kept elsewhere (witness.py, and every release).
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from starling.errors import IntegrityError

START = "0" * 64
"""What stands before the first event."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the ledger.

    Attributes:
        seq: 1, 2, 3, ...
        kind: What happened.
        at: Seconds since 1970, never before the event before it.
        body: Canonical JSON.
        hash: Of this event and all before it, hexadecimal.
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


def digest(previous: str, seq: int, kind: str, at: int, body: str) -> str:
    """SHA-256 over the previous hash and the event; kind, numbers and JSON hold no raw newline, so fields can't run together."""
    return hashlib.sha256(f"{previous}\n{seq}\n{kind}\n{at}\n{body}".encode()).hexdigest()


def follow(events: Iterable[Event]) -> Iterator[Event]:
    """The same events, each checked against the one before.

    Raises:
        IntegrityError: at the first event that does not follow.
    """
    previous, expected, earlier = START, 1, 0
    for event in events:
        if event.seq != expected:
            raise IntegrityError(
                field=f"event {expected}",
                problem="is missing or out of order",
                fix="restore the ledger and ask who changed it",
            )
        if event.hash != digest(previous, event.seq, event.kind, event.at, event.body):
            raise IntegrityError(
                field=f"event {event.seq}", problem="was changed", fix="restore the ledger and ask who changed it"
            )
        if event.at < earlier:
            raise IntegrityError(
                field=f"event {event.seq}", problem="is earlier than the one before", fix="ask who changed it"
            )
        previous, expected, earlier = event.hash, expected + 1, event.at
        yield event
