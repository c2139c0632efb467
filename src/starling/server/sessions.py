"""Signing in by a password and out again, for pages in a browser: a session is a cookie, and never the one that the browser had before."""

from typing import Annotated, Final

from fastapi import FastAPI, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from starling.errors import PolicyRefused
from starling.server.access import User
from starling.server.access_rows import Role
from starling.server.authentication import Service, brought, errors
from starling.server.browsers import check_own_page, cookie, cookie_name, forget, keep
from starling.server.passwords import MOST, Passwords

SIGN_IN: Final = "/v1/session"
_BY_PASSWORD: Final = f"POST {SIGN_IN}"


class Me(BaseModel):
    """Whose token or session was sent."""

    name: str
    role: Role


class SignIn(BaseModel):
    """Who signs in."""

    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1, max_length=64)
    password: str = Field(
        min_length=1, max_length=MOST, repr=False, json_schema_extra={"format": "password", "writeOnly": True}
    )


def add_routes(app: FastAPI, service: Service, signing_in: Passwords) -> None:
    """Add those of passwords and sessions to an application."""
    home = service.home
    settings = home.settings

    @app.post(
        SIGN_IN,
        summary="Sign in by a password: a cookie, HttpOnly and SameSite=Strict, lets the browser in from now on",
        responses=errors(401, 403, 429, 503, signed_in=False),
    )
    async def sign_in(credentials: SignIn, request: Request, response: Response) -> Me:
        check_own_page(request.headers, settings)
        left = cookie(request.headers, cookie_name(settings))
        token, user = await signing_in.sign_in(credentials.name, credentials.password, _BY_PASSWORD, left=left)
        keep(response, settings, cookie_name(settings), token, sites="strict", seconds=None)
        return Me(name=user.name, role=user.role)

    @app.delete(SIGN_IN, status_code=204, summary="Sign out: the session ends at once", responses=errors())
    def sign_out(request: Request, response: Response, _: Annotated[User, service.user()]) -> None:
        token, session = brought(request.headers, settings)
        if not session:
            raise PolicyRefused("session", "is not what lets you in", "revoke a token: starling server revoke")
        home.access.end_session(token)
        forget(response, settings, cookie_name(settings))
