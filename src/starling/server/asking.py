"""Who asks: the user whose token a request brings, and which roles a route is for."""

from collections.abc import Callable
from typing import Any

from fastapi import Request

from starling.errors import PolicyRefused
from starling.server.access import NotSignedIn, Role, User
from starling.server.home import Home
from starling.server.rates import Rates
from starling.server.replies import ErrorReply
from starling.server.tokens import id_of


def asking(home: Home, rates: Rates, *roles: Role) -> Callable[[Request], User]:
    """A dependency that gives the user who asks, and notes it in the log; one whose role is not among `roles` is refused.

    Args:
        home: Knows the users.
        rates: How often tokens have asked.
        roles: Whom the route is for.
    """

    def asks(request: Request) -> User:
        sent = request.headers.getlist("authorization")
        scheme, _, token = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
        if scheme.lower() != "bearer":
            raise NotSignedIn
        user = home.access.admit(token)
        # Before the log is written, which waits for the disk.
        rates.take(id_of(token) or "")
        # The pattern of the path, never the path: what stands in one may be anything.
        home.access.note(user.name, f"{request.method} {request.scope['route'].path}")
        if user.role not in roles:
            raise PolicyRefused("role", f"is {user.role}", f"this is for {' or '.join(roles)}: ask one of them")
        return user

    return asks


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The statuses of errors that a route may answer with, all of one shape."""
    return {status: {"model": ErrorReply} for status in statuses}
