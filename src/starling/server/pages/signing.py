"""Screen 1, the first part: signing in by a password, or at a provider by a link, and out again."""

from contextlib import suppress

from fastapi import FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response
from pydantic import ValidationError

from starling.errors import ParameterError, StarlingError
from starling.server.access import NotSignedIn
from starling.server.authentication import Service, brought
from starling.server.browsers import check_own_page, cookie, cookie_name, forget, keep
from starling.server.pages.frame import form_of, local_path, show, wants_page
from starling.server.passwords import Passwords
from starling.server.replies import headers_of
from starling.server.sessions import SignIn

PATH = "/sign-in"
OUT = "/sign-out"


def add_routes(app: FastAPI, service: Service, passwords: Passwords) -> None:
    """Add the pages to an application; `passwords` counts the tries of pages and API together."""
    home = service.home
    settings = home.settings

    def page(request: Request, wanted: str, name: str = "", error: StarlingError | None = None) -> Response:
        reply = show(
            request,
            "sign_in.html",
            status=200 if error is None else error.status,
            next=local_path(wanted),
            name=name,
            problems=() if error is None else error.problems,
            provider=None if settings.oidc is None else settings.oidc.issuer,
        )
        reply.headers.update({} if error is None else headers_of(error))
        return reply

    @app.get(PATH, include_in_schema=False)
    def sign_in_page(request: Request) -> Response:
        if not wants_page(request):
            raise HTTPException(404)
        return page(request, request.query_params.get("next", "/"))

    @app.post(PATH, include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        check_own_page(request.headers, settings)
        form = await form_of(request)
        name, wanted = form.get("name", ""), form.get("next", "/")
        left = cookie(request.headers, cookie_name(settings))
        try:
            credentials = SignIn(name=name, password=form.get("password", ""))
            token, _ = await passwords.sign_in(credentials.name, credentials.password, f"POST {PATH}", left=left)
        except ValidationError:
            problem = "lacks a name or a password, or one is longer than any"
            return page(request, wanted, name[:64], ParameterError("form", problem, "fill in both"))
        except StarlingError as error:
            return page(request, wanted, name[:64], error)
        reply = RedirectResponse(f"{settings.root_path}{local_path(wanted)}", 303)
        keep(reply, settings, cookie_name(settings), token, sites="strict", seconds=None)
        return reply

    @app.post(OUT, include_in_schema=False)
    async def sign_out(request: Request) -> Response:
        check_own_page(request.headers, settings)
        with suppress(NotSignedIn):  # It has ended already, in another tab perhaps.
            token, session = brought(request.headers, settings)
            if session:
                await home.access.enter(token, f"POST {OUT}", lambda: None, session=True)
                await run_in_threadpool(home.access.end_session, token)
        reply = RedirectResponse(f"{settings.root_path}{PATH}", 303)
        forget(reply, settings, cookie_name(settings))
        return reply
