"""The API of a user's own tokens: they are made, listed and revoked without the custodian."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated

from fastapi import FastAPI, Request
from fastapi import Path as InPath
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from starling.server.access import MOST_DAYS, Issued, User
from starling.server.authentication import Service, brought, errors
from starling.server.tokens import id_of

TOKENS = "/v1/tokens"
TokenId = Annotated[str, InPath(pattern="^[0-9a-f]{16}$")]


def _whole(value: object) -> object:
    """JSON has one kind of numbers: 7.0 is the integer 7."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


class TokenRequest(BaseModel):
    """A new token."""

    model_config = ConfigDict(extra="forbid", strict=True)
    days: Annotated[int, BeforeValidator(_whole)] = Field(
        ge=1, le=MOST_DAYS, description="For how many days it lets its user in."
    )


class TokenReply(BaseModel):
    """A token or a session, by its id: nobody is let in by that."""

    id: str
    expires: datetime
    used: datetime | None = Field(description="When it was last used, to a minute; null where it never was.")
    revoked: bool
    session: bool = Field(description="Whether it is a session of a browser.")
    current: bool = Field(description="Whether this request brought it.")


class NewToken(BaseModel):
    """A token, which is shown now and never again."""

    id: str
    expires: datetime
    token: str


def add_routes(app: FastAPI, service: Service) -> None:
    """Add them to an application."""
    access, settings = service.home.access, service.home.settings

    @app.get(TOKENS, summary="One's own tokens and sessions, with when they were last used", responses=errors())
    def tokens(request: Request, user: Annotated[User, service.user()]) -> list[TokenReply]:
        current = id_of(brought(request.headers, settings)[0])
        return [_to_reply(each, current) for each in access.tokens(user.name)]

    @app.post(
        TOKENS,
        summary="Make another token for oneself; where a token makes it, it ends with that one, and is revoked with it",
        status_code=HTTPStatus.CREATED,
        responses=errors(),
    )
    def make(wanted: TokenRequest, request: Request, user: Annotated[User, service.user()]) -> NewToken:
        token, issued = access.issue_own(user.name, brought(request.headers, settings)[0], days=wanted.days)
        return NewToken(id=issued.id, expires=issued.expires, token=token)

    @app.delete(
        f"{TOKENS}/{{token}}",
        summary="Revoke a token or a session of the same user, and the tokens that were made by it",
        status_code=HTTPStatus.NO_CONTENT,
        responses=errors(404),
    )
    def revoke(token: TokenId, user: Annotated[User, service.user()]) -> None:
        access.revoke(token, user=user.name)


def _to_reply(issued: Issued, current: str | None) -> TokenReply:
    return TokenReply(
        id=issued.id,
        expires=issued.expires,
        used=issued.used,
        revoked=issued.revoked,
        session=issued.session,
        current=issued.id == current,
    )
