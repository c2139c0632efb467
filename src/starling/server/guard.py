"""What every request and every reply passes: who connects, for which host, from which site, how much it sends, and the headers that a
browser must obey.
"""

from collections.abc import Callable
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from starling.errors import ParameterError, Problem
from starling.server import bodies, logs
from starling.server.authentication import route_of
from starling.server.browsers import SAFE, from_elsewhere, host_of
from starling.server.replies import error_reply
from starling.server.settings import Settings

HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""On every reply."""
OWN: Final = ("Cache-Control", "Content-Security-Policy")
"""What a route may say itself: that released bytes can be kept, and the policy of a signed report, which is stricter."""
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
PAGE_HEADERS: Final = {"Content-Security-Policy": PAGE_POLICY, "Referrer-Policy": "same-origin"}
"""Of every page. By `no-referrer` a browser would say of a form that it comes from nowhere (Origin: null), and it would be refused."""
ONLY_TLS: Final = "max-age=31536000"
"""Strict-Transport-Security, where clients reach the server over TLS."""


BELOW: Final = "/sandbox"
"""The path below which everything is of invented records."""
MARK: Final = {"Starling-Sandbox": "invented records"}
"""On every reply below it, whatever it is."""


class Guard:
    """An ASGI application around another; `answered` is told of each reply: the method, the pattern of the route, where there is one, and
    the status.
    """

    def __init__(self, app: ASGIApp, settings: Settings, answered: Callable[[str, str | None, int], None]) -> None:
        self._app = app
        self._settings = settings
        self._answered = answered
        self._headers = HEADERS | ({"Strict-Transport-Security": ONLY_TLS} if settings.encrypted else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or let it through; add the headers to whatever is replied."""
        scope = self._rooted(scope)
        mark = MARK if f"{scope['path']}/".startswith(f"{self._settings.root_path}{BELOW}/") else {}

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                own = {name: headers[name] for name in OWN if name in headers}
                page = PAGE_HEADERS if _is_page(headers) else {}
                headers.update(self._headers | page | own | mark)
                route = route_of(scope)
                self._answered(scope["method"], route, message["status"])
                logs.answered(scope["method"], route, message["status"])
            await send(message)

        problem = self._refused(scope)
        try:
            # A page of the sandbox says so, errors too.
            request = Request({**scope, "root_path": f"{scope['root_path']}{BELOW}"} if mark else scope)
            if problem is not None:
                await error_reply(request, 400, "PolicyRefused", [problem])(scope, receive, guarded)
                return
            try:
                body = await bodies.received(receive)
                bodies.check(body)
            except ParameterError as error:
                # The rest of what is sent is not read: the connection ends.
                close = {"Connection": "close"}
                reply = error_reply(request, error.status, type(error).__name__, error.problems, close)
                await reply(scope, receive, guarded)
                return
            await self._app(scope, bodies.repeated(body, receive), guarded)
        except Exception as error:  # noqa: BLE001 - the reply is sent; no stack trace may reach the log, it would show values
            logs.LOGGER.error("a request ended in a fault of Starling's own: %s", type(error).__name__)

    def _rooted(self, scope: Scope) -> Scope:
        """The scope of a request below the path that server.toml names, whether or not a proxy left that out."""
        root, path = self._settings.root_path, scope["path"]
        whole = path if f"{path}/".startswith(f"{root}/") else f"{root}{path}"
        # As the client sees it: a redirection, to the path without a slash at its end, names the scheme.
        scheme = "https" if self._settings.encrypted else "http"
        return {**scope, "path": whole, "root_path": root, "app_root_path": root, "scheme": scheme}

    def _refused(self, scope: Scope) -> Problem | None:
        proxy = self._settings.trusted_proxy
        if proxy is not None and (scope["client"] or ("",))[0] != proxy:
            return Problem("connection", "does not come from the trusted proxy", "connect by way of the proxy")
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or host_of(hosts[0]) not in self._settings.hosts:
            return Problem("Host", "is not a host of this server", "name one that server.toml lists under hosts")
        if scope["method"] not in SAFE and from_elsewhere(headers, self._settings.hosts):
            return Problem("Origin", "is another site", "send it from a page of this server, or from no page")
        return None


def _is_page(headers: MutableHeaders) -> bool:
    return headers.get("Content-Type", "").startswith("text/html")
