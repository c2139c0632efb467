"""The API of the list of releases: an analyst's own, in pages, the newest first."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Query
from pydantic import BaseModel, ConfigDict, Field

from starling.ledger.reading import Charge
from starling.server.access import User
from starling.server.authentication import Service, errors, whose
from starling.server.charges import Progress
from starling.server.home import Home
from starling.server.releasing import ReleaseReply, to_reply

NEWEST = 2**62
"""Beyond the event of every charge."""


class ReleasePage(BaseModel):
    """Which releases are wanted."""

    model_config = ConfigDict(extra="forbid")
    before: int = Field(NEWEST, ge=1, le=NEWEST, description="Releases with a number below this one.")
    most: int = Field(100, ge=1, le=1000, description="At most so many.")


class ListedRelease(ReleaseReply):
    """A release with its charge."""

    at: datetime = Field(description="When it was charged.")
    analyst: str
    cost: str = Field(
        description="What it cost, as its mechanism states it; nothing, where it read a response that was paid for."
    )
    question: dict[str, Any] | None = Field(description="What was asked; null where the plan says all.")


class ReleaseList(BaseModel):
    """A page of them, the newest first."""

    releases: list[ListedRelease]
    next: int | None = Field(description="The value of `before` that gives the next page; null on the last one.")


def add_routes(app: FastAPI, service: Service) -> None:
    """Add it to an application."""

    @app.get(
        "/v1/releases",
        summary="Releases, the newest first: an analyst's own; for custodians and auditors, all",
        responses=errors(),
    )
    def releases(page: Annotated[ReleasePage, Query()], user: Annotated[User, service.user()]) -> ReleaseList:
        return list_releases(service, user, page)


def list_releases(service: Service, user: User, page: ReleasePage) -> ReleaseList:
    """A page of the releases that a user may see."""
    progresses, following = service.charges.listed(whose(user), page.before, page.most)
    return ReleaseList(releases=[to_listed(service.home, each) for each in progresses], next=following)


def cost_of(charge: Charge) -> str:
    """What a charge cost, in words: nothing where it read a response that was paid for."""
    return str(charge.cost) if charge.amount else "nothing"


def to_listed(home: Home, progress: Progress) -> ListedRelease:
    """A release with its charge, as clients are told."""
    charge = progress.charge
    return ListedRelease(
        **to_reply(progress).model_dump(),
        at=datetime.fromtimestamp(charge.at, UTC),
        analyst=charge.analyst,
        cost=cost_of(charge),
        question=home.questions.charged(charge.request_hash),
    )
