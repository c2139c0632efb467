"""The chain finds what was flipped, dropped, reordered or dated back."""

from typing import Any

import pytest

from starling.errors import IntegrityError
from starling.ledger.chain import START, Event, Follower, Head, digest


def chain(length: int = 5) -> list[Event]:
    """Events as a ledger writes them."""
    events, previous = [], START
    for seq in range(1, length + 1):
        body = f'{{"n":{seq}}}'
        previous = digest(previous, seq, "charge", 100 + seq, body)
        events.append(Event(seq, "charge", 100 + seq, body, previous))
    return events


def follow(events: list[Event]) -> Head:
    follower = Follower()
    for event in events:
        follower.take(event)
    return follower.head


def test_a_whole_chain_ends_in_its_head() -> None:
    events = chain()
    assert follow(events) == Head(5, events[-1].hash)
    assert follow([]) == Head(0, START)


@pytest.mark.parametrize("field", ["seq", "kind", "at", "body", "hash"])
@pytest.mark.parametrize("place", range(5))
def test_a_changed_field_is_found(field: str, place: int) -> None:
    events = chain()
    old = getattr(events[place], field)
    changed: dict[str, Any] = {field: old + 1 if isinstance(old, int) else f"{old}x"}
    events[place] = events[place]._replace(**changed)
    with pytest.raises(IntegrityError, match=r"event \d"):
        follow(events)


@pytest.mark.parametrize("place", range(4))
def test_a_dropped_or_reordered_event_is_found(place: int) -> None:
    dropped, swapped = chain(), chain()
    del dropped[place]
    swapped[place], swapped[place + 1] = swapped[place + 1], swapped[place]
    for events in (dropped, swapped):
        with pytest.raises(IntegrityError):
            follow(events)


def test_time_that_goes_back_is_found_though_the_hashes_hold() -> None:
    first = digest(START, 1, "charge", 100, "{}")
    second = digest(first, 2, "charge", 99, "{}")
    with pytest.raises(IntegrityError, match="earlier"):
        follow([Event(1, "charge", 100, "{}", first), Event(2, "charge", 99, "{}", second)])
