"""The API for auditors beside the chain itself: its events in pages, chosen by what they are about, and a check of all of it."""

import re
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from starling.errors import StarlingError
from starling.ledger.checking import named_checks
from starling.ledger.event_list import EventFilter, latest_events
from starling.server.authentication import Service, errors
from starling.server.ledger_checks import LedgerChecks, unreadable
from starling.server.listing import NEWEST
from starling.server.previewing import INVENTED
from starling.server.replies import ProblemBody


def _begins_with_a_year(value: object) -> object:
    """Pydantic would take a bare number as seconds since 1970, which the published form of the request does not have."""
    if isinstance(value, str) and not re.match(r"\d{4}-", value):
        raise ValueError("is no date and time such as 2025-01-31T12:00:00Z")
    return value


Time = Annotated[
    datetime | None, BeforeValidator(_begins_with_a_year), Field(description="In UTC unless it says otherwise.")
]


class EventPage(BaseModel):
    """Which events are wanted."""

    model_config = ConfigDict(extra="forbid")
    before: int = Field(NEWEST, ge=1, le=NEWEST, description="Events with a number below this one.")
    most: int = Field(100, ge=1, le=1000, description="At most so many.")
    kind: str | None = Field(None, max_length=100, description="Such as charge, answer, grant or raise.")
    dataset: str | None = Field(None, max_length=100, description="About this dataset, or about a charge of it.")
    analyst: str | None = Field(None, max_length=100, description="About this analyst, or about a charge of theirs.")
    since: Time = None
    until: Time = None


class EventReply(BaseModel):
    """An event of the chain."""

    number: int
    kind: str
    at: datetime
    dataset: str | None
    analyst: str | None
    body: dict[str, Any]
    amounts: dict[str, str] = Field(
        description="The amounts of the body with their measure, such as epsilon 1, by their names; those of balances by their scopes."
    )
    hash: str


class EventList(BaseModel):
    """A page of them, the newest first."""

    head: str = Field(description="The last event of the chain, as EVENT:HASH.")
    events: list[EventReply]
    next: int | None = Field(
        description="The value of `before` that gives the next page, which may go on where this one is empty; null on the last one."
    )


class LedgerCheckReply(BaseModel):
    """One thing that was checked."""

    name: str
    state: Literal["holds", "not known"]
    says: str = Field(description="What holds.")


class LedgerVerificationReply(BaseModel):
    """What `starling ledger verify` finds, and whether what the server witnessed lies on the chain."""

    holds: bool
    at: datetime = Field(description="When the check ended.")
    events: int | None = Field(description="How many hold together.")
    head: str | None = Field(description="The last of them, as EVENT:HASH.")
    signed_by: str | None = Field(description="The fingerprint of the custodian's key.")
    checks: list[LedgerCheckReply]
    problem: ProblemBody | None = Field(description="The first thing that is wrong.")
    invented: bool = INVENTED


def add_routes(app: FastAPI, service: Service) -> None:
    """Add it to an application."""
    app.state.ledger_checks = LedgerChecks(service.home)
    auditors = [service.user("custodian", "auditor")]

    @app.get(
        "/v1/ledger/events",
        summary="Events of the chain, the newest first, for auditors and custodians",
        responses=errors(),
        dependencies=auditors,
    )
    def events(page: Annotated[EventPage, Query()]) -> EventList:
        return list_events(service, page)

    @app.get(
        "/v1/ledger/verification",
        summary="Whether the whole ledger holds together; verify the chain yourself to be sure",
        responses=errors(),
        dependencies=auditors,
    )
    def verification() -> LedgerVerificationReply:
        return verify_ledger(app.state.ledger_checks, invented=service.home.invented)


def list_events(service: Service, page: EventPage) -> EventList:
    """A page of events; raises LedgerUnavailable where the ledger cannot be read."""
    since, until = (None if each is None else _seconds(each) for each in (page.since, page.until))
    wanted = EventFilter(page.kind, page.dataset, page.analyst, since, until)
    try:
        with closing(service.home.read_ledger()) as ledger:
            head = ledger.reading.head()
            listed, following = latest_events(ledger.book, wanted, page.before, page.most)
    except StarlingError:
        raise unreadable() from None
    replies = [
        EventReply(
            number=each.event.seq,
            kind=each.event.kind,
            at=datetime.fromtimestamp(each.event.at, UTC),
            dataset=each.dataset,
            analyst=each.analyst,
            body=each.body,
            amounts=each.amounts,
            hash=each.event.hash,
        )
        for each in listed
    ]
    return EventList(head=f"{head.seq}:{head.hash}", events=replies, next=following)


def _seconds(at: datetime) -> int:
    """Times far away are as good as the ends of those that a ledger has."""
    zoned = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    return max(0, min(int((zoned - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()), NEWEST))


def verify_ledger(checks: LedgerChecks, *, invented: bool) -> LedgerVerificationReply:
    """The outcome of a check of the whole ledger; raises as `LedgerChecks.latest`."""
    check = checks.latest()
    outcome, problem = check.outcome, check.outcome["problem"]
    return LedgerVerificationReply(
        holds=problem is None,
        at=datetime.fromtimestamp(check.at, UTC),
        events=outcome.get("events"),
        head=outcome.get("head"),
        signed_by=outcome.get("signer"),
        checks=[LedgerCheckReply(**asdict(each)) for each in named_checks(holds=problem is None)],
        problem=None if problem is None else ProblemBody(field=problem[0], problem=problem[1], fix=problem[2]),
        invented=invented,
    )
