"""What browsers add by themselves to a request: cookies, and from which page it comes.

A browser sends a cookie with whatever any page makes it send, so a cookie alone never lets anything be changed: the browser has to say
besides, by `Sec-Fetch-Site` or `Origin`, that a page of this server asks. Programs send tokens, and no cookie.
"""

import re
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from starlette.datastructures import Headers
from starlette.responses import Response

from starling.errors import PolicyRefused
from starling.server.settings import Settings

SAFE: Final = ("GET", "HEAD")
"""Methods that change nothing."""
_HOST: Final = re.compile(r"(\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^][:@/?#,\s]+))(:[0-9]{1,5})?")
Sites: TypeAlias = Literal["strict", "lax"]


def cookie_name(settings: Settings, of: str = "") -> str:
    """The name of a cookie: that of the session, or of something else.

    Over TLS it begins with `__Host-`, so that browsers take it from this host alone, and keep it for this host alone; below a path of a
    host with `__Secure-`, since a cookie with the other prefix is sent to all that the host offers.
    """
    prefix = "__Secure-" if settings.root_path else "__Host-"
    return f"{prefix if settings.encrypted else ''}starling{of}"


def cookie(headers: Headers, name: str) -> str | None:
    """The value of the one cookie of this name; None where there is none, or more than one: it is unknown which the server set."""
    parts = [part.strip().partition("=") for line in headers.getlist("cookie") for part in line.split(";")]
    values = [value for key, _, value in parts if key == name]
    return values[0] if len(values) == 1 else None


def keep(reply: Response, settings: Settings, name: str, value: str, *, sites: Sites, seconds: int | None) -> None:
    """Let the browser keep a cookie that no script can read, for so many seconds; with None until it is closed.

    `sites`: "strict", and it is sent with what pages of this server ask for alone, or "lax", with links of other sites, too.
    """
    path = settings.root_path or "/"
    reply.set_cookie(name, value, max_age=seconds, path=path, secure=settings.encrypted, httponly=True, samesite=sites)


def forget(reply: Response, settings: Settings, name: str) -> None:
    """Let the browser remove a cookie."""
    reply.delete_cookie(name, path=settings.root_path or "/", secure=settings.encrypted, httponly=True)


def from_elsewhere(headers: Headers, hosts: Iterable[str]) -> bool:
    """Whether a browser says that a page of another site sends this; programs that are no browser say nothing of it."""
    origins = {host_of(value.partition("://")[2]) for value in headers.getlist("origin")}
    return not origins <= {*hosts} or not {*headers.getlist("sec-fetch-site")} <= {"same-origin", "none"}


def check_own_page(headers: Headers, settings: Settings) -> None:
    """Raises PolicyRefused unless a browser says that a page of this very server sends this: same scheme, host and port."""
    sites = headers.getlist("sec-fetch-site")
    own = f"{'https' if settings.encrypted else 'http'}://{headers.get('host', '')}"
    if sites != ["same-origin"] if sites else headers.getlist("origin") != [own]:
        raise PolicyRefused("Origin", "is not said to be this server", "send it from a page of this server, or a token")


def host_of(host: str) -> str:
    """A host without its port, in small letters; an IPv6 address loses its brackets. Empty for what is no host with or without a port.

    >>> host_of("Localhost:8470"), host_of("[::1]:8470"), host_of("localhost:80@evil.example")
    ('localhost', '::1', '')
    """
    parts = _HOST.fullmatch(host)
    return (parts["address"] or parts["name"]).lower() if parts else ""
