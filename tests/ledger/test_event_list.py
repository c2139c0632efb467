"""Pages of events: all of those that are wanted, each once, the newest first, however few of them there are."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from starling.ledger import event_list
from starling.ledger.event_list import EventFilter, ListedEvent, latest_events
from starling.ledger.opening import Ledger, create_ledger
from starling.ledger.rules import Request, canonical
from starling.privacy.neighbours import ADD_REMOVE_PERSON
from tests.ledger.worlds import costing


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    """Two datasets of a population, which two analysts charge in turn; some charges are answered."""
    monkeypatch.setenv("STARLING_HOME", str(tmp_path / "keys"))
    with closing(create_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite'}")) as ledger:
        ledger.custody.add_population("people", "rho", ADD_REMOVE_PERSON, 100)
        for analyst in ("ada", "eve"):
            ledger.custody.grant("people", analyst, 40)
        for dataset in ("north", "south"):
            ledger.custody.add_dataset(dataset, "people", {}, 50)
        for number in range(12):
            request = Request(
                ("ada", "eve")[number % 2], f"r{number}", ("north", "south")[number % 3 % 2], canonical({"n": number})
            )
            ledger.charging.charge(request, costing(1))
        ledger.custody.raise_cap("people", "analyst", "ada", 45)
        ledger.custody.retire("dataset", "south")
        yield ledger


def all_of(ledger: Ledger, wanted: EventFilter, most: int) -> list[ListedEvent]:
    """Page after page."""
    listed: list[ListedEvent] = []
    before: int | None = 2**62
    while before is not None:
        page, before = latest_events(ledger.book, wanted, before, most)
        assert len(page) <= most
        listed += page
    return listed


@pytest.mark.parametrize("most", [1, 3, 100])
@pytest.mark.parametrize("looked_at", [1, 4, 2000])
def test_pages_have_every_event_once_the_newest_first(
    ledger: Ledger, most: int, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_list, "MOST_READ", looked_at)
    events = list(ledger.reading.events())[::-1]
    everything = all_of(ledger, EventFilter(), most)
    assert [each.event for each in everything] == events
    for wanted in (
        EventFilter(kind="charge"),
        EventFilter(dataset="south"),
        EventFilter(analyst="ada", kind="charge"),
        EventFilter(analyst="ada"),
        EventFilter(dataset="nothing"),
    ):
        expected = [
            each
            for each in everything
            if wanted.kind in (None, each.event.kind)
            and wanted.dataset in (None, each.dataset)
            and wanted.analyst in (None, each.analyst)
        ]
        assert all_of(ledger, wanted, most) == expected
    assert {each.event.kind for each in all_of(ledger, EventFilter(analyst="ada"), most)} == {
        "grant",
        "charge",
        "raise",
    }
    assert {each.event.kind for each in all_of(ledger, EventFilter(dataset="south"), most)} == {
        "dataset",
        "charge",
        "retire",
    }


def test_times_are_taken_with_their_ends(ledger: Ledger) -> None:
    events = list(ledger.reading.events())
    first, last = events[0].at, events[-1].at
    every = [each.event for each in all_of(ledger, EventFilter(since=first, until=last), 5)]
    assert every == events[::-1]
    for wanted in (EventFilter(until=first - 1), EventFilter(since=last + 1)):
        assert all_of(ledger, wanted, 5) == []
    for at in {each.at for each in events}:
        assert [each.event for each in all_of(ledger, EventFilter(until=at), 100)] == [
            each for each in events[::-1] if each.at <= at
        ]
