"""What every page has: its frame, who is signed in, the fields of a form, and pages of errors."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, quote, urlencode

from fastapi import HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from starling.errors import ParameterError, Problem
from starling.pages.rendering import served
from starling.server.access import User

if TYPE_CHECKING:
    from starling.server.pages.tour import Strip

PACKAGE: Final = "starling.server"
HTML: Final = "text/html"
PLAIN: Final = ("/v1/", "/healthz", "/readyz", "/static/")
"""Below these there are no pages: a browser gets what a program gets."""
_LOCAL: Final = re.compile(r"/(?![/\\])[\x21-\x7e]{0,1999}")
MOST_FIELDS: Final = 60


def wants_page(request: Request) -> bool:
    """Whether a browser asks for a page; a program is answered by JSON."""
    return HTML in request.headers.get("accept", "") and not below(request).startswith(PLAIN)


def only_pages(request: Request) -> None:
    """A dependency of pages: a program is told that there is nothing."""
    if not wants_page(request):
        raise HTTPException(404)


def below(request: Request) -> str:
    """The path of a request below the root of its application: of the server, or of its sandbox."""
    path: str = request.scope["path"]
    return path.removeprefix(request.scope.get("root_path", ""))


def show(
    request: Request,
    template: str,
    user: User | None = None,
    *,
    status: int = 200,
    has_strip: bool = True,
    **values: object,
) -> HTMLResponse:
    """A page of this template; below the root of the server, in its sandbox, all are of invented records, and so are pages of a tour.

    `has_strip` is whether the strip of a tour may stand above it, for which the ledger is read.
    """
    if "app" in request.scope:  # What the guard refuses has come to no application.
        request.app.state.prepare()
    here = request.scope.get("root_path", "")
    top = request.scope.get("app_root_path", here)
    tour = strip_above(request, user) if has_strip else None
    invented = is_invented(request, tour)
    page = served(template, PACKAGE, top, here=here, user=user, tour=tour, invented=invented, **values)
    return HTMLResponse(page, status)


def in_sandbox(request: Request) -> bool:
    """Whether a request is to the sandbox of the server."""
    here = request.scope.get("root_path", "")
    return bool(here != request.scope.get("app_root_path", here))


def is_invented(request: Request, strip: "Strip | None") -> bool:
    """Whether a page is of invented records: of the sandbox, or of the tour whose strip is above it."""
    return in_sandbox(request) or (strip is not None and strip.invented)


def strip_above(request: Request, user: User | None) -> "Strip | None":
    """The strip of the tour above a page; None in a sandbox, and where there is no tour."""
    strip_of = None if user is None or in_sandbox(request) else getattr(request.app.state, "tour", None)
    strip: Strip | None = None if strip_of is None else strip_of(request, user)
    return strip


def go(request: Request, path: str) -> RedirectResponse:
    """Lead a browser to another page, which it then asks for by GET."""
    return RedirectResponse(f"{request.scope.get('root_path', '')}{path}", 303)


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; raises ParameterError for what is none, or has a field twice."""
    try:
        pairs = parse_qsl(
            (await request.body()).decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"
        )
    except ValueError:
        raise ParameterError("form", "is none of this server", "go back, and send it again") from None
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ParameterError("form", "has a field twice", "go back, and send it again")
    return fields


def local_path(text: str) -> str:
    """A path on this server to which a browser may be led after it signed in; the first page in place of anything else."""
    return text if _LOCAL.fullmatch(text) else "/"


def error_page(
    request: Request, status: int, problems: Sequence[Problem], headers: Mapping[str, str] | None, typed: bytes = b""
) -> Response:
    """What a browser gets where a program gets an error; an analyst who is not signed in is led to where that is done, and back.

    The fields of a form that was sent, `typed`, stand in the form again: the page of a form is at the address to which it is sent.
    """
    root = request.scope.get("app_root_path", "")
    if status == 401 and below(request) != "/sign-in":
        path = quote(request.scope["path"].removeprefix(root))
        query = quote(typed or request.scope["query_string"], safe="=&%+")
        wanted = local_path(f"{path}?{query}" if query else path)
        leads = urlencode({"next": local_path(path) if wanted == "/" else wanted})
        return RedirectResponse(f"{root}/sign-in?{leads}", 303)
    user = None if status == 401 else getattr(request.state, "user", None)
    page = show(request, "error.html", user, status=status, has_strip=False, problems=problems, code=status)
    page.headers.update(headers or {})
    return page


def base_url(request: Request) -> str:
    """The address of the application, as the browser reached it."""
    return f"{request.scope['scheme']}://{request.headers['host']}{request.scope.get('root_path', '')}"
