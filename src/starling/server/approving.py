"""The API of requests for approval: an analyst says what for, and reads what the custodian decided, on a machine of their own."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field

from starling.server.access import User
from starling.server.approval_requests import LONGEST, State, Waiting
from starling.server.authentication import Service, errors, whose
from starling.server.further import check_further
from starling.server.home import Home
from starling.server.releasing import ReleaseRequest


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


def add_routes(app: FastAPI, service: Service) -> None:
    """Add them to an application."""
    home = service.home
    readers = service.user()

    @app.post(
        "/v1/datasets/{name}/requests",
        summary="Ask the custodian to approve a release or an answer of a dataset that asks first",
        status_code=HTTPStatus.ACCEPTED,
        responses=errors(403, 404, 409),
    )
    def ask(
        name: str,
        wanted: ApprovalRequest,
        user: Annotated[User, service.user("analyst")],
        sent: Request,
        response: Response,
    ) -> ApprovalReply:
        waiting = ask_custodian(service, user.name, name, wanted)
        response.headers["Location"] = f"{sent.scope['root_path']}/v1/requests/{waiting.number}"
        return to_reply(home, waiting)

    @app.get(
        "/v1/requests",
        summary="Requests for approval: an analyst's own; for custodians and auditors, all",
        responses=errors(),
    )
    def requests(page: Annotated[ApprovalPage, Query()], user: Annotated[User, readers]) -> list[ApprovalReply]:
        listed = home.requests.listed(analyst=whose(user), after=page.after, most=page.most)
        return [to_reply(home, each) for each in listed]

    @app.get("/v1/requests/{number}", summary="One of them", responses=errors(404))
    def request(number: Number, user: Annotated[User, readers]) -> ApprovalReply:
        return to_reply(home, home.requests.find(number, whose(user)))


def ask_custodian(service: Service, analyst: str, name: str, wanted: ApprovalRequest) -> Waiting:
    """Ask for approval; raises as `Understanding.ask`, `check_further` and `Charges.ask`."""
    dataset = service.understanding.ask(service.home.catalogue, name, wanted.question, user=analyst)
    check_further(service, analyst, dataset, wanted.question)
    return service.charges.ask(analyst, dataset, wanted.request_id, wanted.reason, wanted.question)


def to_reply(home: Home, waiting: Waiting) -> ApprovalReply:
    """A request, as its analyst is told of it."""
    return ApprovalReply(
        number=waiting.number,
        at=waiting.at,
        analyst=waiting.request.analyst,
        dataset=waiting.request.dataset,
        request_id=waiting.request.request_id,
        title=waiting.title,
        cost=str(waiting.guarantee.cost),
        reason=waiting.reason,
        state=waiting.state,
        words=waiting.words,
        approved_cost=str(waiting.price.cost) if waiting.state == "approved" else None,
        question=home.questions.question_of(waiting.approved),
    )
