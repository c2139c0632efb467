"""The user of a request, whose token or session it brings, and which roles a route is for."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPBearer
from starlette.datastructures import Headers
from starlette.types import Scope

from starling.errors import PolicyRefused, StarlingError
from starling.server.access import ROLES, NotSignedIn, User
from starling.server.access_rows import Role
from starling.server.browsers import SAFE, check_own_page, cookie, cookie_name
from starling.server.charges import Charges
from starling.server.home import Home
from starling.server.question_costs import Understanding
from starling.server.rates import Rates
from starling.server.replies import ERROR_SCHEMA, JSON
from starling.server.settings import Settings
from starling.server.tokens import id_of

TOKEN: Final = HTTPBearer(auto_error=False, scheme_name="token", description="starling server token HOME NAME")
"""Says in the published OpenAPI how a token is sent; who sent which is looked at here."""
EVERYWHERE: Final = (400, 408, 413, 422)
"""What the guard may answer on every route: for another host, or a body that is slow, long or no JSON of ours."""
SIGNED_IN: Final = (401, 403, 429, 503)
"""What a route that asks for a token or a session may answer: none that is valid, one that may not, too many requests, no users to read."""


@dataclass(frozen=True, slots=True)
class Service:
    """What the routes of a home, or of its sandbox, answer with."""

    home: Home
    charges: Charges
    understanding: Understanding
    rates: Rates

    def user(self, *roles: Role) -> Any:
        """A dependency that gives the user of a request, and notes it in the log; one whose role is not among `roles` is refused."""
        return Depends(_asking(self.home, self.rates, roles or ROLES))


def _asking(home: Home, rates: Rates, roles: Sequence[Role]) -> Callable[..., Awaitable[User]]:
    session_cookie = APIKeyCookie(name=cookie_name(home.settings), auto_error=False, scheme_name="session")

    async def asks(
        request: Request,
        _token: Annotated[object, Depends(TOKEN)],
        _session: Annotated[object, Depends(session_cookie)],
    ) -> User:
        token, session = brought(request.headers, home.settings)
        if session and request.method not in SAFE:
            check_own_page(request.headers, home.settings)
        # The pattern of the path, never the path: what stands in one may be anything.
        what = f"{request.method} {route_of(request.scope)}"
        user = await home.access.enter(token, what, lambda: rates.take(id_of(token) or ""), session=session)
        request.state.user = user
        if user.role not in roles:
            names = " and ".join(f"{each}s" for each in roles)
            raise PolicyRefused("role", f"{user.role} cannot open this, which is for {names}", "ask one of them")
        return user

    return asks


def brought(headers: Headers, settings: Settings) -> tuple[str, bool]:
    """The token that a request brings, and whether it is a session's: where there is an Authorization, no cookie is looked at; raises
    NotSignedIn where it brings none, or more than one.
    """
    sent = headers.getlist("authorization")
    if not sent:
        token = cookie(headers, cookie_name(settings))
        if token is None:
            raise NotSignedIn
        return token, True
    scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
    if scheme.lower() != "bearer":
        raise NotSignedIn
    return token, False


def session_user(request: Request, home: Home) -> User | None:
    """Whose session a request brings that no route looked at; None where it brings none that holds now. Nothing is noted."""
    try:
        token, session = brought(request.headers, home.settings)
        return home.access.admit(token, session=True) if session else None
    except StarlingError:
        return None


def route_of(scope: Scope) -> str | None:
    """The pattern of the path that a request was led to, from the root of the server; None where it was led to none."""
    route = getattr(scope.get("route"), "path", None)
    # Of a sandbox it says where that is mounted; the path of a proxy in front of the server is left out.
    below = scope.get("root_path", "").removeprefix(scope.get("app_root_path", ""))
    return None if route is None else f"{below}{route}"


def whose(user: User) -> str | None:
    """Whose releases and requests a user sees: analysts their own; None, which is all, for custodians and auditors."""
    return user.name if user.role == "analyst" else None


def errors(*statuses: int, signed_in: bool = True) -> dict[int | str, dict[str, Any]]:
    """The statuses of errors that a route may answer with, all of one shape: its own, and those of each route that asks for a token or a
    session, or of every route.
    """
    answers = {*EVERYWHERE, *(SIGNED_IN if signed_in else ()), *statuses}
    return {status: {"content": {JSON: {"schema": ERROR_SCHEMA}}} for status in sorted(answers)}
