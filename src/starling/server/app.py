"""The API. Its web process sees users, the ledger and what was released; it opens no records."""

from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import ASGIApp

from starling.errors import LedgerUnavailable, PolicyRefused, StarlingError
from starling.ledger.opening import read_ledger
from starling.server.access import NotSignedIn, Role, User
from starling.server.guard import Guard
from starling.server.home import Home
from starling.server.replies import ErrorReply, answer_errors


class Health(BaseModel):
    """That the server runs, or is ready."""

    status: str


class Me(BaseModel):
    """Whose token was sent."""

    name: str
    role: Role


class LogPage(BaseModel):
    """Which lines of the log are asked for."""

    model_config = ConfigDict(extra="forbid")
    after: int = Field(0, ge=0, lt=2**62, description="Lines with a number beyond this one.")
    most: int = Field(100, ge=1, le=1000, description="At most so many lines.")


class LogLine(BaseModel):
    """Who asked what when."""

    number: int
    at: datetime
    who: str
    what: str


def make_app(home: Home) -> ASGIApp:
    """The application of a home, with its guard."""
    app = FastAPI(title="Starling", version="1", openapi_url="/v1/openapi.json", docs_url=None, redoc_url=None)
    answer_errors(app)
    _health(app, home)
    _users(app, home)
    return Guard(app, home.settings)


def _health(app: FastAPI, home: Home) -> None:
    @app.get("/healthz", summary="Whether the server runs", responses=_errors(400))
    def healthz() -> Health:
        return Health(status="ok")

    @app.get("/readyz", summary="Whether its users and its ledger can be read", responses=_errors(400, 503))
    def readyz() -> Health:
        home.access.log(after=0, most=1)
        try:
            with closing(read_ledger(home.settings.ledger)) as ledger:
                ledger.reading.head()
        except StarlingError:
            # Whoever asks is nobody known: where the ledger is and what ails it is told to none but the custodian.
            raise LedgerUnavailable("ledger", "cannot be read now", "ask a custodian to look at it") from None
        return Health(status="ready")


def _users(app: FastAPI, home: Home) -> None:
    @app.get("/v1/me", summary="Whose token this is", responses=_errors(400, 401))
    def me(user: Annotated[User, Depends(_asking(home, "custodian", "analyst", "auditor"))]) -> Me:
        return Me(name=user.name, role=user.role)

    @app.get(
        "/v1/log",
        summary="Who asked what when, for auditors and custodians",
        responses=_errors(400, 401, 403, 422),
        dependencies=[Depends(_asking(home, "custodian", "auditor"))],
    )
    def log(page: Annotated[LogPage, Query()]) -> list[LogLine]:
        lines = home.access.log(after=page.after, most=page.most)
        return [LogLine(number=each.number, at=each.at, who=each.who, what=each.what) for each in lines]


def _asking(home: Home, *roles: Role) -> Callable[[Request], User]:
    """A dependency that gives the user who asks, and notes it in the log; one whose role is not among `roles` is refused."""

    def asking(request: Request) -> User:
        sent = request.headers.getlist("authorization")
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        if scheme.lower() != "bearer":
            raise NotSignedIn
        user = home.access.admit(token)
        # The pattern of the path, never the path: what stands in one may be anything.
        home.access.note(user.name, f"{request.method} {request.scope['route'].path}")
        if user.role not in roles:
            raise PolicyRefused("role", f"is {user.role}", f"this is for {' or '.join(roles)}: ask one of them")
        return user

    return asking


def _errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The statuses of errors that a route may answer with, all of one shape."""
    return {status: {"model": ErrorReply} for status in statuses}
