"""The API. Its web process sees users, the ledger and what was released; it opens no records."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import Depends, FastAPI, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import ASGIApp

from starling.errors import StarlingError
from starling.server import (
    approving,
    auditing,
    custody,
    listing,
    metrics,
    oidc,
    own_tokens,
    previewing,
    progress_events,
    released_answers,
    releasing,
    sessions,
)
from starling.server.access import User
from starling.server.authentication import Service, errors, session_user
from starling.server.charges import Charges
from starling.server.examples import Published
from starling.server.guard import BELOW, Guard
from starling.server.home import Home
from starling.server.lazy_routes import LazyRoute
from starling.server.ledger_checks import unreadable
from starling.server.metrics import Metrics
from starling.server.pages import routes as pages
from starling.server.passwords import Passwords
from starling.server.queries import check_query
from starling.server.question_costs import Understanding
from starling.server.rates import Rates
from starling.server.replies import answer_errors
from starling.server.sessions import Me


class Health(BaseModel):
    """That the server runs, or is ready."""

    status: str


class LogPage(BaseModel):
    """Which lines of the log are asked for."""

    model_config = ConfigDict(extra="forbid")
    after: int = Field(0, ge=0, lt=2**62, description="Lines with a number beyond this one.")
    most: int = Field(100, ge=1, le=1000, description="At most so many lines.")


class LogLine(BaseModel):
    """Who asked what when."""

    number: int
    at: datetime
    user: str = Field(serialization_alias="who")
    what: str


def make_app(
    home: Home, charges: Charges, understanding: Understanding | None = None, *, free: Charges | None = None
) -> ASGIApp:
    """The application of a home, with its guard; that of its sandbox is below /sandbox.

    The caller closes the charges afterwards, and what understands questions; without that one ends with the process. Without `free`, the
    charges of the sandbox, there is none.
    """
    understanding = understanding or Understanding(home.settings.question_work)
    service, numbers = Service(home, charges, understanding, Rates()), Metrics(charges)
    signing_in = Passwords(home.access)
    app = _api(service, signing_in)
    metrics.add_route(app, service, numbers)
    sessions.add_routes(app, service, signing_in)
    own_tokens.add_routes(app, service)
    oidc.add_routes(app, home)
    if free is not None and home.sandbox is not None:
        app.mount(BELOW, _api(replace(service, home=home.sandbox, charges=free), None))
    return Guard(app, home.settings, numbers.answered)


def _api(service: Service, signing_in: Passwords | None) -> FastAPI:
    """What a home and its sandbox have both."""
    title = "Starling: invented records" if service.home.invented else "Starling"
    app = Published(
        title=title,
        version="1",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(check_query)],
    )
    app.router.route_class = LazyRoute
    answer_errors(app, lambda request: session_user(request, service.home))
    _health(app, service.home)
    _users(app, service)
    _ledger(app, service)
    auditing.add_routes(app, service)
    for routes in (releasing, listing, approving, previewing, released_answers, progress_events):
        routes.add_routes(app, service)
    if not service.home.invented:
        # Of invented records nobody is a custodian.
        custody.add_routes(app, service)
    pages.add_routes(app, service, signing_in)
    return app


def _health(app: FastAPI, home: Home) -> None:
    @app.get("/healthz", summary="Whether the server runs", responses=errors(signed_in=False))
    def healthz() -> Health:
        return Health(status="ok")

    @app.get("/readyz", summary="Whether its users and its ledger can be read", responses=errors(503, signed_in=False))
    def readyz() -> Health:
        home.access.log(after=0, most=1)
        try:
            with closing(home.read_ledger()) as ledger:
                ledger.reading.head()
        except StarlingError:
            raise unreadable() from None
        return Health(status="ready")


def _ledger(app: FastAPI, service: Service) -> None:
    @app.get(
        "/v1/ledger",
        summary="The chain of events as JSON Lines, for auditors and custodians",
        response_class=StreamingResponse,
        responses={
            200: {
                "content": {"application/jsonl": {}},
                "description": "A line for each event, as docs/reference/ledger.md says.",
            },
            **errors(),
        },
        dependencies=[service.user("custodian", "auditor")],
    )
    def ledger() -> Response:
        try:
            opened = service.home.read_ledger()
            opened.reading.head()
        except StarlingError:
            raise unreadable() from None

        def lines() -> Iterator[str]:
            with closing(opened):
                for line in opened.reading.export():
                    yield f"{line}\n"

        return StreamingResponse(lines(), media_type="application/jsonl")


def _users(app: FastAPI, service: Service) -> None:
    @app.get("/v1/me", summary="Whose token or session this is", responses=errors())
    def me(user: Annotated[User, service.user()]) -> Me:
        return Me(name=user.name, role=user.role)

    @app.get(
        "/v1/log",
        summary="Who asked what when, for auditors and custodians",
        responses=errors(),
        dependencies=[service.user("custodian", "auditor")],
    )
    def log(page: Annotated[LogPage, Query()]) -> list[LogLine]:
        lines = service.home.access.log(after=page.after, most=page.most)
        return [LogLine(number=each.number, at=each.at, user=each.user, what=each.what) for each in lines]
