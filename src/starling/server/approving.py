"""The API of requests for approval: an analyst says what for, and reads what the custodian decided, on a machine of their own."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request, Response
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from starling.server.access import User
from starling.server.asking import asking, errors, whose
from starling.server.charges import Charges
from starling.server.datasets import Catalogue
from starling.server.home import Home
from starling.server.rates import Rates
from starling.server.releasing import ReleaseRequest
from starling.server.requests import LONGEST, State, Waiting
from starling.server.understanding import Understanding


class ApprovalRequest(ReleaseRequest):
    """A release or an answer for which the custodian's approval is asked."""

    reason: str = Field(
        min_length=1, max_length=LONGEST, pattern=r"\S", description="What for; the custodian reads it."
    )


class ApprovalPage(BaseModel):
    """Which requests are asked for."""

    model_config = ConfigDict(extra="forbid")
    after: int = Field(0, ge=0, lt=2**62, description="Requests with a number beyond this one.")
    most: int = Field(100, ge=1, le=1000, description="At most so many.")


class ApprovalReply(BaseModel):
    """A request for approval, and what became of it."""

    number: int
    at: datetime
    analyst: str
    dataset: str
    request_id: str
    title: str
    cost: str = Field(description="What it would be charged.")
    reason: str
    state: State
    words: str = Field(description="What the custodian said to it; why it was declined.")
    approved_cost: str | None = Field(
        description="What it will be charged, once it is approved: less than asked, perhaps."
    )
    question: dict[str, Any] | None = Field(description="The question, as it may be charged once it is approved.")


Number = Annotated[int, InPath(ge=1, lt=2**62)]


def add_routes(app: FastAPI, home: Home, rates: Rates, charges: Charges, understanding: Understanding) -> None:
    """Add them to an application."""
    catalogue = Catalogue(home.folder / "datasets")
    readers = asking(home, rates, "custodian", "analyst", "auditor")

    @app.post(
        "/v1/datasets/{name}/requests",
        summary="Ask the custodian to approve a release or an answer of a dataset that asks first",
        status_code=HTTPStatus.ACCEPTED,
        responses=errors(403, 404, 409),
    )
    def ask(
        name: str,
        wanted: ApprovalRequest,
        user: Annotated[User, Depends(asking(home, rates, "analyst"))],
        sent: Request,
        response: Response,
    ) -> ApprovalReply:
        asked = understanding.ask(catalogue, name, wanted.question, who=user.name)
        found = charges.ask(user.name, asked, wanted.request_id, wanted.reason, wanted.question)
        response.headers["Location"] = f"{sent.scope['root_path']}/v1/requests/{found.number}"
        return _told(home, found)

    @app.get(
        "/v1/requests",
        summary="Requests for approval: an analyst's own; for custodians and auditors, all",
        responses=errors(),
    )
    def requests(
        page: Annotated[ApprovalPage, Query()], user: Annotated[User, Depends(readers)]
    ) -> list[ApprovalReply]:
        return [
            _told(home, each) for each in home.requests.listed(analyst=whose(user), after=page.after, most=page.most)
        ]

    @app.get("/v1/requests/{number}", summary="One of them", responses=errors(404))
    def request(number: Number, user: Annotated[User, Depends(readers)]) -> ApprovalReply:
        return _told(home, home.requests.find(number, whose(user)))


def _told(home: Home, found: Waiting) -> ApprovalReply:
    return ApprovalReply(
        number=found.number,
        at=found.at,
        analyst=found.request.analyst,
        dataset=found.request.dataset,
        request_id=found.request.request_id,
        title=found.title,
        cost=str(found.guarantee.cost),
        reason=found.reason,
        state=found.state,
        words=found.words,
        approved_cost=str(found.price.cost) if found.state == "approved" else None,
        question=home.questions.asked(found.approved),
    )
